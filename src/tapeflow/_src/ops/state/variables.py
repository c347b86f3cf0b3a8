"""Reading and changing variables. The first input is the variable's handle; the body sees its cell.

They replace the cell's array, or write into it when no tensor shares it: a tensor read before keeps
its value. Each change is atomic: the cell's lock is held from reading to writing. In compiled code
nothing is written into: the "jax" kernels assign another array to the cell's stand-in.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC, as_dtype
from tapeflow._src.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
    fmt_shape,
)
from tapeflow._src.core.registry import Index, InferError, Resource, op
from tapeflow._src.core.resource import UNSHARED_REFERENCES
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import SHAPE_ONLY


def current(cell: Any) -> np.ndarray:
    """Return the array of a variable; raise if it is uninitialised."""
    array = cell.array
    if array is None:
        array = cell.now()
        if array is None:
            raise FailedPreconditionError(
                None, None, f"Could not find variable {cell.name}: it has not been initialized."
            )
    return array


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


def _of_the_same_shape(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    current, received = specs[0].shape, specs[1].shape
    if current is not None and received is not None:
        sizes = zip(current, received)
        if len(current) != len(received) or any(a != b and None not in (a, b) for a, b in sizes):
            raise InferError(_cannot_update(current, received))
    return ()


def _cannot_update(current: Any, received: Any) -> str:
    return (
        f"Cannot update variable with shape {fmt_shape(current)} using a Tensor with shape "
        f"{fmt_shape(received)}, shapes must be equal."
    )


def _must_fit(cell: Any, value: Any) -> None:
    current_value = current(cell)
    if current_value.shape != value.shape:
        raise InvalidArgumentError(None, None, _cannot_update(current_value.shape, value.shape))
    must_be_of_dtype(cell, value)


def _fitting(cell: Any, value: Any) -> np.ndarray:
    """Return the variable's array, if `value` can be added to it."""
    _must_fit(cell, value)
    return current(cell)


def must_be_of_dtype(cell: Any, value: Any) -> None:
    """Raise unless `value` has the variable's dtype."""
    if value.dtype != cell.value_dtype.np:
        raise InvalidArgumentError(
            None,
            None,
            f"Trying to assign a {dtypes.FROM_NUMPY[value.dtype].name} tensor to variable "
            f"{cell.name} of dtype {cell.value_dtype.name}.",
        )


# -- the whole value ---------------------------------------------------------------------------


@op("ReadVariableOp", effect="reads")
def read_variable(xp, resource: Resource, *, dtype):
    """Return the variable's value."""
    array = resource.array
    return current(resource) if array is None else array


read_variable.kernel("jax")(read_variable.body)


@read_variable.infer
def _(resource, *, dtype):
    return Spec(resource.shape, as_dtype(dtype))


@read_variable.gradient
def _(dz):
    return dz


@op("VarIsInitializedOp", effect="reads", grad=None)
def var_is_initialized(xp, resource: Resource):
    """Whether the variable has a value."""
    return np.array(resource.now() is not None)


@var_is_initialized.kernel("jax")
def _(xp, resource):
    return np.array(resource.array is not None)


@var_is_initialized.infer
def _(resource):
    return Spec((), dtypes.bool)


@op("VariableShape", effect="reads", grad=None, traits=(SHAPE_ONLY,))
def variable_shape(xp, input: Resource, *, out_type=dtypes.int32):
    """Return the shape of the variable's value."""
    return np.array(current(input).shape, as_dtype(out_type).np)


variable_shape.kernel("jax")(variable_shape.body)


@variable_shape.infer
def _(input, *, out_type):
    return Spec((input.rank,), as_dtype(out_type))


@op(
    "DestroyResourceOp",
    infer=_no_outputs,
    outputs=(),
    effect="writes",
    host="gives up a variable",
    grad=None,
)
def destroy_resource(xp, resource: Resource, *, ignore_lookup_error=True):
    """Give up the value of a variable."""
    resource.array = resource.borrowed = None


@op(
    "AssignVariableOp",
    infer=_no_outputs,
    outputs=(),
    effect="writes",
    grad=None,
    locks_itself=True,
)
def assign_variable(xp, resource: Resource, value, *, validate_shape=False):
    """Assign a new value to the variable."""
    must_be_of_dtype(resource, value)
    with resource.lock:
        before = resource.array
        if validate_shape and before is not None and before.shape != value.shape:
            raise _of_another_shape(before, value)
        resource.array = value


@assign_variable.kernel("jax")
def _(xp, resource, value, *, validate_shape=False):
    must_be_of_dtype(resource, value)
    if validate_shape and resource.array.shape != value.shape:
        raise _of_another_shape(resource.array, value)
    resource.array = value


def _of_another_shape(before: Any, value: Any) -> Exception:
    return InvalidArgumentError(
        None,
        None,
        f"Trying to assign to variable with tensor with wrong shape. Expected "
        f"{fmt_shape(before.shape)} got {fmt_shape(value.shape)}",
    )


@op(
    "AssignAddVariableOp",
    infer=_of_the_same_shape,
    outputs=(),
    effect="writes",
    dtypes=NUMERIC,
    grad=None,
    locks_itself=True,
)
def assign_add_variable(xp, resource: Resource, value):
    """Add to the variable."""
    with resource.lock:
        array = resource.array
        if array is None or array.shape != value.shape or array.dtype is not value.dtype:
            array = _fitting(resource, value)
        # As `resource.take()`, without a call.
        resource.borrowed = array
        resource.array = None
        try:
            shared = getrefcount(array) > UNSHARED_REFERENCES
            if shared or array.base is not None or not array.flags.writeable:
                array = resource.borrowed = np.array(array, order="C")
            array += value
        finally:
            resource.array, resource.borrowed = resource.borrowed, None


@assign_add_variable.kernel("jax")
def _(xp, resource, value):
    _must_fit(resource, value)
    resource.array = resource.array + value


@op(
    "AssignSubVariableOp",
    infer=_of_the_same_shape,
    outputs=(),
    effect="writes",
    dtypes=NUMERIC,
    grad=None,
    locks_itself=True,
)
def assign_sub_variable(xp, resource: Resource, value):
    """Subtract from the variable."""
    with resource.lock:
        array = resource.array
        if array is None or array.shape != value.shape or array.dtype is not value.dtype:
            array = _fitting(resource, value)
        # As `resource.take()`, without a call.
        resource.borrowed = array
        resource.array = None
        try:
            shared = getrefcount(array) > UNSHARED_REFERENCES
            if shared or array.base is not None or not array.flags.writeable:
                array = resource.borrowed = np.array(array, order="C")
            array -= value
        finally:
            resource.array, resource.borrowed = resource.borrowed, None


@assign_sub_variable.kernel("jax")
def _(xp, resource, value):
    _must_fit(resource, value)
    resource.array = resource.array - value


@op("ResourceCountUpTo", effect="writes", grad=None)
def resource_count_up_to(xp, resource: Resource, *, limit, T):
    """Return the value and increment it; raise OutOfRangeError at the limit."""
    value = current(resource)
    if value >= limit:
        raise OutOfRangeError(None, None, f"Reached limit of {limit}")
    resource.array = value + np.array(1, value.dtype)
    return value


@resource_count_up_to.kernel("jax")
def _(xp, resource, *, limit, T):
    value = current(resource)
    xp.require(value < limit, f"Reached limit of {limit}")
    resource.array = value + np.array(1, value.dtype)
    return value


@resource_count_up_to.infer
def _(resource, *, limit, T):
    return Spec((), as_dtype(T))


# -- rows --------------------------------------------------------------------------------------


def checked_rows(cell: Any, indices: Any) -> Any:
    """Return `indices`; raise unless all are rows of the variable."""
    rows = current(cell).shape[0] if current(cell).ndim else 0
    flat = indices.reshape(-1)
    bad = (flat < 0) | (flat >= rows)
    if bad.any():
        first = int(bad.argmax())
        at = ",".join(map(str, np.unravel_index(first, indices.shape)))
        raise InvalidArgumentError(
            None, None, f"indices[{at}] = {int(flat[first])} is not in [0, {rows})"
        )
    return indices


def _checked_updates(cell: Any, indices: Any, updates: Any) -> None:
    expected = (*indices.shape, *current(cell).shape[1:])
    must_be_of_dtype(cell, updates)
    if updates.ndim and updates.shape != expected:
        raise InvalidArgumentError(
            None,
            None,
            f"Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], "
            f"got updates.shape {fmt_shape(updates.shape)}, indices.shape "
            f"{fmt_shape(indices.shape)}, params.shape {fmt_shape(current(cell).shape)}",
        )


def _scatter(name: str, apply: Any, compiled: str, doc: str) -> Any:
    """Declare an op that combines rows of the variable with updates.

    `compiled` is JAX's name for it.
    """

    @op(name, infer=_no_outputs, outputs=(), effect="writes", grad=None)
    def scatter(xp, resource: Resource, indices: Index, updates):
        checked_rows(resource, indices)
        _checked_updates(resource, indices, updates)
        changed_in_place(resource, apply, indices, updates)

    @scatter.kernel("jax")
    def _(xp, resource, indices, updates):
        _checked_updates(resource, indices, updates)
        array = current(resource)
        xp.require(((indices >= 0) & (indices < array.shape[0])).all(), "indices out of range")
        resource.array = getattr(array.at[indices], compiled)(updates)

    scatter.__doc__ = doc
    return scatter


def changed_in_place(cell: Any, change: Any, *arguments: Any) -> None:
    """Run `change(array, *arguments)` on the variable's array. The cell's lock is held."""
    array = cell.take()
    try:
        change(array, *arguments)
    finally:
        cell.put()


def set_items(array: np.ndarray, key: Any, values: Any) -> None:
    array[key] = values


resource_scatter_update = _scatter("ResourceScatterUpdate", set_items, "set", "Replace rows.")
resource_scatter_add = _scatter("ResourceScatterAdd", np.add.at, "add", "Add to rows.")
resource_scatter_sub = _scatter(
    "ResourceScatterSub", np.subtract.at, "subtract", "Subtract from rows."
)
resource_scatter_mul = _scatter("ResourceScatterMul", np.multiply.at, "multiply", "Multiply rows.")
resource_scatter_div = _scatter("ResourceScatterDiv", np.divide.at, "divide", "Divide rows.")
resource_scatter_min = _scatter(
    "ResourceScatterMin", np.minimum.at, "min", "The smaller, row by row."
)
resource_scatter_max = _scatter(
    "ResourceScatterMax", np.maximum.at, "max", "The larger, row by row."
)


def _scatter_nd(name: str, apply: Any, compiled: str, doc: str) -> Any:
    """Declare an op that combines slices of the variable, at coordinates, with updates."""

    @op(name, infer=_no_outputs, outputs=(), effect="writes", grad=None)
    def scatter(
        xp, ref: Resource, indices: Index, updates, *, use_locking=True, bad_indices_policy=""
    ):
        key = _coordinates(current(ref).shape, indices)
        _checked_slices(ref, indices, updates)
        changed_in_place(ref, apply, key, updates)

    @scatter.kernel("jax")
    def _(xp, ref, indices, updates, *, use_locking=True, bad_indices_policy=""):
        array, depth = current(ref), _depth(current(ref).shape, indices)
        _checked_slices(ref, indices, updates)
        inside = (indices >= 0) & (indices < np.array(array.shape[:depth], indices.dtype))
        xp.require(inside.all(), "indices out of range")
        key = tuple(indices[..., i] for i in range(depth))
        ref.array = getattr(array.at[key], compiled)(updates)

    scatter.__doc__ = doc
    return scatter


def _checked_slices(cell: Any, indices: Any, updates: Any) -> None:
    expected = (*indices.shape[:-1], *current(cell).shape[indices.shape[-1] :])
    must_be_of_dtype(cell, updates)
    if updates.shape != expected:
        raise InvalidArgumentError(
            None,
            None,
            f"updates must have shape {fmt_shape(expected)} = indices.shape[:-1] + the rest of "
            f"the variable's shape, got {fmt_shape(updates.shape)}",
        )


def _depth(dims: tuple[int, ...], indices: Any) -> int:
    """Return the number of axes of a variable of shape `dims` that the coordinates index."""
    depth = indices.shape[-1] if indices.ndim else 0
    if not indices.ndim or depth > len(dims):
        raise InvalidArgumentError(
            None,
            None,
            f"The last axis of indices, {fmt_shape(indices.shape)}, names at most as many axes as "
            f"the variable has, {fmt_shape(dims)}",
        )
    return depth


def _coordinates(dims: tuple[int, ...], indices: Any) -> tuple[Any, ...]:
    """Return the last axis of `indices` as a NumPy key, all within `dims`."""
    depth = _depth(dims, indices)
    bounds = np.array(dims[:depth])
    bad = ((indices < 0) | (indices >= bounds)).any(-1)
    if bad.any():
        at = np.unravel_index(int(bad.argmax()), bad.shape)
        raise InvalidArgumentError(
            None,
            None,
            f"indices[{','.join(map(str, at))}] = {indices[at].tolist()} does not index into "
            f"shape {fmt_shape(dims)}",
        )
    return tuple(indices[..., i] for i in range(depth))


resource_scatter_nd_update = _scatter_nd(
    "ResourceScatterNdUpdate", set_items, "set", "Replace slices."
)
resource_scatter_nd_add = _scatter_nd("ResourceScatterNdAdd", np.add.at, "add", "Add to slices.")
resource_scatter_nd_sub = _scatter_nd(
    "ResourceScatterNdSub", np.subtract.at, "subtract", "Subtract."
)
resource_scatter_nd_min = _scatter_nd("ResourceScatterNdMin", np.minimum.at, "min", "The smaller.")
resource_scatter_nd_max = _scatter_nd("ResourceScatterNdMax", np.maximum.at, "max", "The larger.")
