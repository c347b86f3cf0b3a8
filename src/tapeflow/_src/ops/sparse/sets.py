"""Sets along the last axis of tensors: what they have in common, together, or alone.

A set's members are the different values of a row; a sparse tensor has rows of different lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.sparse.parts import HOST, check_parts, known_dims, require_inside

# The dtypes of members of a set.
MEMBERS = frozenset(
    {
        dtypes.int8,
        dtypes.int16,
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.uint16,
        dtypes.string,
    }
)
_RESULT = ("result_indices", "result_values", "result_shape")
_OPERATIONS: dict[str, Callable[[set[Any], set[Any]], set[Any]]] = {
    "a-b": set.difference,
    "b-a": lambda a, b: b - a,
    "intersection": set.intersection,
    "union": set.union,
}

Sets = dict[tuple[int, ...], set[Any]]


def _dense_sets(array: Any) -> tuple[Sets, tuple[int, ...]]:
    rows = array.reshape(-1, array.shape[-1]).tolist()
    positions = np.ndindex(*array.shape[:-1])
    return {at: set(row) for at, row in zip(positions, rows, strict=True)}, array.shape[:-1]


def _sparse_sets(
    xp: Any, indices: Any, values: Any, shape: Any, validate: bool
) -> tuple[Sets, tuple[int, ...]]:
    if validate:
        require_inside(xp, indices, shape)
        step = indices[1:] - indices[:-1]
        ordered = (
            not len(step)
            or (np.take_along_axis(step, np.argmax(step != 0, axis=1)[:, None], axis=1) > 0).all()
        )
        xp.require(ordered, "Sparse indices are out of order or repeated. Use tf.sparse.reorder.")
    sets: Sets = {}
    for at, value in zip(map(tuple, indices[:, :-1].tolist()), values.tolist(), strict=True):
        sets.setdefault(at, set()).add(value)
    return sets, tuple(shape[:-1].tolist())


def _operate(
    xp: Any,
    first: tuple[Sets, tuple[int, ...]],
    second: tuple[Sets, tuple[int, ...]],
    operation: str,
    dtype: Any,
) -> tuple[Any, Any, Any]:
    """Return the results for each pair of sets, sorted, as a sparse tensor."""
    (a, groups), (b, other_groups) = first, second
    xp.require(
        groups == other_groups,
        lambda: (
            f"Mismatched group shapes {fmt_shape(groups)} and {fmt_shape(other_groups)}: all axes "
            f"but the last must agree"
        ),
    )
    compute = _OPERATIONS[operation]
    rows, members, longest = [], [], 0
    for at in sorted(a.keys() | b.keys()):
        result = sorted(compute(a.get(at, set()), b.get(at, set())))
        rows += [(*at, j) for j in range(len(result))]
        members += result
        longest = max(longest, len(result))
    values = np.empty(len(members), dtype)
    values[:] = members
    indices = np.array(rows, np.int64).reshape(-1, len(groups) + 1)
    return indices, values, np.array((*groups, longest), np.int64)


def _result(operation: str, rank: int | None, dtype: Any) -> tuple[Spec, Spec, Spec]:
    if operation not in _OPERATIONS:
        raise InferError(
            f"Invalid set_operation {operation!r}: expected one of {', '.join(_OPERATIONS)}"
        )
    return Spec((None, rank), dtypes.int64), Spec((None,), dtype), Spec((rank,), dtypes.int64)


def _common_rank(a: Any, b: Any, what: str) -> int | None:
    """Return the rank of two tensors of sets, whose leading axes must agree."""
    groups = merge_shape(a and a[:-1], b and b[:-1], what)
    return None if groups is None else len(groups) + 1


def _require_members(spec: Spec, name: str) -> None:
    if spec.shape is not None and len(spec.shape) < 2:
        raise InferError(f"{name}: shape {fmt_shape(spec.shape)} has rank {len(spec.shape)} < 2")


def _require_rows(shape: Spec, name: str) -> tuple[int | None, ...] | None:
    """Return the sizes of a sparse tensor of rank >= 2."""
    dims = known_dims(shape)
    if dims is not None and len(dims) < 2:
        raise InferError(f"{name}: Invalid rank {len(dims)}: sets need at least 2 axes")
    return dims


_LEADING_AXES = "All axes but the last must agree"


@op(
    "DenseToDenseSetOperation",
    dtypes=MEMBERS,
    grad=None,
    host=HOST,
    checked=True,
    outputs=_RESULT,
)
def dense_to_dense_set_operation(xp, set1, set2, *, set_operation, validate_indices=True):
    """Apply a set operation to the rows of two tensors."""
    return _operate(xp, _dense_sets(set1), _dense_sets(set2), set_operation, set1.dtype)


@dense_to_dense_set_operation.infer
def _(set1, set2, *, set_operation, validate_indices):
    _require_members(set1, "set1")
    _require_members(set2, "set2")
    return _result(set_operation, _common_rank(set1.shape, set2.shape, _LEADING_AXES), set1.dtype)


@op(
    "DenseToSparseSetOperation",
    dtypes=MEMBERS,
    grad=None,
    host=HOST,
    checked=True,
    outputs=_RESULT,
)
def dense_to_sparse_set_operation(
    xp,
    set1,
    set2_indices: Index,
    set2_values,
    set2_shape: Static,
    *,
    set_operation,
    validate_indices=True,
):
    """Apply a set operation to the rows of a tensor and a sparse one."""
    second = _sparse_sets(xp, set2_indices, set2_values, set2_shape, validate_indices)
    return _operate(xp, _dense_sets(set1), second, set_operation, set1.dtype)


@dense_to_sparse_set_operation.infer
def _(set1, set2_indices, set2_values, set2_shape, *, set_operation, validate_indices):
    _require_members(set1, "set1")
    check_parts(set2_indices, set2_values, set2_shape, name="set2")
    rank = _common_rank(set1.shape, _require_rows(set2_shape, "set2"), _LEADING_AXES)
    return _result(set_operation, rank, set1.dtype)


@op(
    "SparseToSparseSetOperation",
    dtypes=MEMBERS,
    grad=None,
    host=HOST,
    checked=True,
    outputs=_RESULT,
)
def sparse_to_sparse_set_operation(
    xp,
    set1_indices: Index,
    set1_values,
    set1_shape: Static,
    set2_indices: Index,
    set2_values,
    set2_shape: Static,
    *,
    set_operation,
    validate_indices=True,
):
    """Apply a set operation to the rows of two sparse tensors."""
    first = _sparse_sets(xp, set1_indices, set1_values, set1_shape, validate_indices)
    second = _sparse_sets(xp, set2_indices, set2_values, set2_shape, validate_indices)
    return _operate(xp, first, second, set_operation, set1_values.dtype)


@sparse_to_sparse_set_operation.infer
def _(
    set1_indices,
    set1_values,
    set1_shape,
    set2_indices,
    set2_values,
    set2_shape,
    *,
    set_operation,
    validate_indices,
):
    check_parts(set1_indices, set1_values, set1_shape, name="set1")
    check_parts(set2_indices, set2_values, set2_shape, name="set2")
    dims1, dims2 = _require_rows(set1_shape, "set1"), _require_rows(set2_shape, "set2")
    rank = _common_rank(dims1, dims2, _LEADING_AXES)
    return _result(set_operation, rank, set1_values.dtype)


@op("SetSize", dtypes=MEMBERS, grad=None, host=HOST, checked=True, outputs=("size",))
def set_size(xp, set_indices: Index, set_values, set_shape: Static, *, validate_indices=True):
    """Return the number of members of each set."""
    sets, groups = _sparse_sets(xp, set_indices, set_values, set_shape, validate_indices)
    sizes = np.zeros(groups, np.int32)
    for at, members in sets.items():
        sizes[at] = len(members)
    return sizes


@set_size.infer
def _(set_indices, set_values, set_shape, *, validate_indices):
    check_parts(set_indices, set_values, set_shape, name="set")
    dims = _require_rows(set_shape, "set")
    return Spec(None if dims is None else dims[:-1], dtypes.int32)
