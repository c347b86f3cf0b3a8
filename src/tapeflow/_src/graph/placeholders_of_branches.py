"""Dummy values for results that a function must return but nothing reads.

A branch may lack a result that only the gradient of another branch reads. The IR has None for it; a
FunctionDef must still return a tensor of the right dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow._src.core.dtypes import DType, float32, int32, variant
from tapeflow._src.graph.attr_values import write
from tapeflow._src.graph.names import Names
from tapeflow._src.graph.undefined_outputs import absent

if TYPE_CHECKING:
    from tapeflow._src.graph.tensor import SymbolicTensor


def write_stand_in(messages: Any, tensor: SymbolicTensor, names: Names) -> str:
    """Add nodes for a value like `tensor` to those of a function; return the name of the value."""
    if tensor.dtype is variant:
        return _empty_list(messages, names)
    return _constant(messages, absent(tensor), tensor.dtype, names)


def _constant(messages: Any, value: np.ndarray, dtype: DType, names: Names) -> str:
    node = messages.add(name=names.unique("absent"), op="Const")
    write(node.attr["value"], value, "tensor")
    write(node.attr["dtype"], dtype, "type")
    return f"{node.name}:output:0"


def _empty_list(messages: Any, names: Names) -> str:
    """Add an empty list: loops keep residuals in lists."""
    shape = _constant(messages, np.array(-1, np.int32), int32, names)
    size = _constant(messages, np.array(0, np.int32), int32, names)
    node = messages.add(name=names.unique("absent"), op="EmptyTensorList")
    node.input.extend([shape, size])
    write(node.attr["element_dtype"], float32, "type")
    write(node.attr["shape_type"], int32, "type")
    return f"{node.name}:handle:0"
