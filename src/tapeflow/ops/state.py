"""Reading and changing variables. The first input is the variable's handle; the body sees its cell.

These are the only ops that change anything. They replace the cell's array, or write into it when
no tensor shares it: a tensor read before keeps its value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import FailedPreconditionError, InvalidArgumentError, fmt_shape
from tapeflow.core.registry import Resource, op
from tapeflow.core.spec import Spec


def current(cell: Any) -> np.ndarray:
    """The array a variable holds now."""
    if cell.array is None:
        raise FailedPreconditionError(
            None, None, f"Could not find variable {cell.name}: it has not been initialized."
        )
    return cell.array


@op("ReadVariableOp", effect="reads")
def read_variable(xp, resource: Resource, *, dtype):
    """The variable's value now."""
    return current(resource)


@read_variable.infer
def _(resource, *, dtype):
    return Spec(resource.shape, as_dtype(dtype))


@read_variable.gradient
def _(dz):
    return dz


def _nothing(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


def _must_fit(cell: Any, value: Any) -> None:
    have = current(cell).shape
    if have != value.shape:
        raise InvalidArgumentError(
            None,
            None,
            f"Cannot update variable with shape {fmt_shape(have)} using a Tensor with shape "
            f"{fmt_shape(value.shape)}, shapes must be equal.",
        )


@op("AssignVariableOp", infer=_nothing, outputs=(), effect="writes", grad=None)
def assign_variable(xp, resource: Resource, value, *, validate_shape=False):
    """Give the variable a new value."""
    resource.array = value


@op("AssignAddVariableOp", infer=_nothing, outputs=(), effect="writes", grad=None)
def assign_add_variable(xp, resource: Resource, value):
    """Add to the variable."""
    _must_fit(resource, value)
    array = resource.exclusive()
    array += value


@op("AssignSubVariableOp", infer=_nothing, outputs=(), effect="writes", grad=None)
def assign_sub_variable(xp, resource: Resource, value):
    """Subtract from the variable."""
    _must_fit(resource, value)
    array = resource.exclusive()
    array -= value
