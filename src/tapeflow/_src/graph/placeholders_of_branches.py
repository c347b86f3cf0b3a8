"""Values that are there only because a function must return something of the right dtype.

A branch may lack a result that another branch has: what only the gradient of the other one looks
at. The IR says so with None; a FunctionDef must return a tensor all the same, which nobody reads.
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


def write_stand_in(messages: Any, tensor: SymbolicTensor, taken: Names) -> str:
    """Add nodes for a value like `tensor` to those of a function; returns the name of the value."""
    if tensor.dtype is variant:
        return _empty_list(messages, taken)
    return _constant(messages, absent(tensor), tensor.dtype, taken)


def _constant(messages: Any, value: np.ndarray, dtype: DType, taken: Names) -> str:
    node = messages.add(name=taken.unique("absent"), op="Const")
    write(node.attr["value"], value, "tensor")
    write(node.attr["dtype"], dtype, "type")
    return f"{node.name}:output:0"


def _empty_list(messages: Any, taken: Names) -> str:
    """Lists are what loops keep for their gradients."""
    shape = _constant(messages, np.array(-1, np.int32), int32, taken)
    size = _constant(messages, np.array(0, np.int32), int32, taken)
    node = messages.add(name=taken.unique("absent"), op="EmptyTensorList")
    node.input.extend([shape, size])
    write(node.attr["element_dtype"], float32, "type")
    write(node.attr["shape_type"], int32, "type")
    return f"{node.name}:handle:0"
