"""The three parts of a sparse tensor: what must hold of them, and how their rows are ordered.

Rows of coordinates are compared from the first axis on: the order of the elements in memory.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import int64
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, shape_from_value
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec

# Why an op on sparse tensors is not compiled.
HOST = "data-dependent shape"


def check_parts(
    indices: Spec, values: Spec, shape: Spec, name: str = "input", narrow: bool = False
) -> tuple[int | None, int | None]:
    """Return the static numbers of elements and axes of a sparse tensor.

    Raise InferError if components disagree.

    `values` may be None, where an op does not take them; a few ops take `narrow` coordinates too,
    of 32 bits.
    """
    for part, spec, rank, kind in (
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
        ("shape", shape, 1, "vector"),
    ):
        if spec is not None and spec.shape is not None and len(spec.shape) != rank:
            raise InferError(
                f"{name} {part} must be a {kind}, but has shape {fmt_shape(spec.shape)}"
            )
    for part, spec in (("indices", indices), ("shape", shape)):
        if spec.dtype is not int64 and not narrow:
            raise InferError(f"{name} {part} must be int64, but is {spec.dtype.name}")
    rows, columns = indices.shape or (None, None)
    count = values.shape[0] if values is not None and values.shape else None
    rank_ = shape.shape[0] if shape.shape else None
    if rows is not None and count is not None and rows != count:
        raise InferError(
            f"{name} has {rows} rows of indices but {count} values: shapes "
            f"{fmt_shape(indices.shape)} and {fmt_shape(values.shape)}"
        )
    if columns is not None and rank_ is not None and columns != rank_:
        raise InferError(
            f"{name} has indices of {columns} axes but a dense shape of {rank_}: shapes "
            f"{fmt_shape(indices.shape)} and {fmt_shape(shape.shape)}"
        )
    return count if rows is None else rows, rank_ if columns is None else columns


def known_dims(shape: Spec) -> Shape:
    """Return the static dense shape, or None."""
    return shape_from_value(shape)


def require_inside(xp: ModuleType, rows: Any, dims: Any) -> None:
    """Raise unless all coordinates lie within `dims`."""
    limits = np.asarray(dims, rows.dtype)
    inside = (rows >= 0) & (rows < limits)
    xp.require(xp.all(inside), lambda: _out_of_range(np.asarray(rows), np.asarray(inside), limits))


def _out_of_range(rows: np.ndarray, inside: np.ndarray, limits: np.ndarray) -> str:
    first = int(np.argmin(inside.all(axis=1)))
    return (
        f"indices[{first}] = {rows[first].tolist()} is out of bounds: need 0 <= index < "
        f"{limits.tolist()}"
    )


def flat_positions(xp: ModuleType, rows: Any, dims: tuple[int, ...]) -> Any:
    """Return the row-major index of each row of coordinates in a tensor of shape `dims`."""
    steps = np.ones(len(dims), np.int64)
    steps[:-1] = np.cumprod(np.asarray(dims[:0:-1], np.int64))[::-1]
    return xp.sum(rows * steps, axis=1).astype(np.int64)


def row_order(rows: np.ndarray) -> np.ndarray:
    """Return the stable order that sorts rows of coordinates."""
    if rows.shape[1] == 0:
        return np.arange(len(rows))
    return np.lexsort(rows.T[::-1])


def distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the unique rows in order, and the index of each row among them."""
    order = row_order(rows)
    ranked = rows[order]
    starts = np.ones(len(rows), bool)
    starts[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    which = np.empty(len(rows), np.intp)
    which[order] = np.cumsum(starts) - 1
    return ranked[starts], which


def find_rows(keys: np.ndarray, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index in `among` of each row of `keys`, and whether it is present."""
    unique_rows, which = distinct(np.concatenate([among, keys]))
    position = np.full(len(unique_rows), -1, np.intp)
    position[which[: len(among)]] = np.arange(len(among))
    positions = position[which[len(among) :]]
    return positions, positions >= 0
