"""`tensorflow.python.util.variable_utils`: structures with variables."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.core import nest
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable


def convert_variables_to_tensors(values: TensorLike) -> Any:
    """Return a structure with the values of variables in their place, in composites, too."""
    return nest.map_structure(_converted, values)


def _converted(value: Any) -> Any:
    if isinstance(value, Variable):
        return convert_to_tensor(value)
    convert = getattr(value, "_convert_variables_to_tensors", None)
    return value if convert is None else convert()
