"""Jacobians: one vectorised backward pass for all elements of the target, or one pass each.

The backward pass starts from a batch of one-hot gradients, one for each requested element. The pass
itself is the ordinary one, run on batched tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.batch import move_axis
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.token import Token
from tapeflow._src.gradients.vectorize import Vectorizer
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    fill,
    pack,
    reshape,
    scalar_int,
    static_ints,
    zeros_like,
)
from tapeflow._src.ops.indexed_slices import densify

# -- seeds --------------------------------------------------------------------------------------


def unit_seeds(target: Any) -> np.ndarray:
    """Return one one-hot gradient for each element of the target."""
    return _units(_static_dims(target), target.dtype.np)


def row_seeds(target: Any) -> np.ndarray:
    """Return one gradient for each element of a row of the target, the same for all rows."""
    dims = _static_dims(target)
    units = _units(dims[1:], target.dtype.np)
    return np.broadcast_to(units[:, None], (len(units), *dims))


def _units(dims: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    size = math.prod(dims)
    return np.eye(size, dtype=dtype).reshape(size, *dims)


def _static_dims(target: Any) -> tuple[int, ...]:
    dims: tuple[int, ...] | None = target.static_shape
    if dims is None or None in dims:
        raise ValueError(
            f"A jacobian needs a target of known shape, got {target.shape}. Give the function an "
            f"input_signature with that size, or use tf.ensure_shape."
        )
    return dims


def require_rows(target: Any, source: Any) -> None:
    """Raise ValueError unless target and source have the same number of rows, and at least one."""
    for tensor in (target, source):
        if len(tensor.static_shape) < 2:
            raise ValueError(
                f"Shape {tensor.shape} must have rank at least 2: batch_jacobian takes a batch of "
                f"rows, not of scalars. Use tape.jacobian, or add an axis."
            )
    if target.static_shape[0] != source.static_shape[0]:
        raise ValueError(
            f"Need first dimension of target shape ({target.shape}) and source shape "
            f"({source.shape}) to match."
        )


# -- rows of the jacobian -----------------------------------------------------------------------


def rows_at_once(
    ledger: Ledger, target: Token, seeds: np.ndarray, sources: list[Token], limit: int | None
) -> list[Any]:
    """Compute for each source the gradients of the target from each of `seeds`, stacked.

    `limit` is the most that are computed together. The result is None for a source that the target
    does not depend on.
    """
    parts = [_batch(ledger, target, chunk, sources) for chunk in _chunks(seeds, limit)]
    if len(parts) == 1:
        return parts[0]
    return [
        None if column[0] is None else concat_v2(list(column), scalar_int(0))
        for column in zip(*parts, strict=True)
    ]


def _chunks(seeds: np.ndarray, limit: int | None) -> Iterator[np.ndarray]:
    step = max(limit or len(seeds), 1)
    for start in range(0, max(len(seeds), 1), step):
        yield seeds[start : start + step]


def _batch(ledger: Ledger, target: Token, seeds: np.ndarray, sources: list[Token]) -> list[Any]:
    mode = Vectorizer(len(seeds))
    start = mode.wrap(dispatch.convert(seeds))
    with dispatch.use_mode(mode):
        by_token = backpropagate(ledger, [(target, start)], set(sources), consume=False)
        gradients = [densify(by_token.get(source)) for source in sources]
    return [None if g is None else mode.unwrap(g) for g in gradients]


def rows_one_by_one(
    ledger: Ledger, target: Token, seeds: np.ndarray, sources: list[Token]
) -> list[Any]:
    """Like `rows_at_once`, with a backward pass for each of `seeds`."""
    columns: list[list[Any]] = [[] for _ in sources]
    for seed in seeds:
        start = [(target, dispatch.convert(seed))]
        gradients = backpropagate(ledger, start, set(sources), consume=False)
        for column, source in zip(columns, sources, strict=True):
            column.append(densify(gradients.get(source)))
    return [pack(c, axis=0) if c and c[0] is not None else None for c in columns]


# -- the jacobian from its rows -----------------------------------------------------------------


def reshaped(rows: Any, dims: tuple[int, ...]) -> Any:
    """Reshape `rows`, one for each element of the target, to the target's shape."""
    return reshape(rows, static_ints((*dims, *rows.static_shape[1:])))


def jacobian_of(target: Any, source: Any, zero: bool) -> Any:
    """Return the Jacobian w.r.t. a source that the target does not depend on."""
    if not zero:
        return None
    zeros = zeros_like(dispatch.convert(source))
    return broadcast_to(zeros, static_ints((*target.static_shape, *zeros.static_shape)))


def batch_jacobian_of(target: Any, source: Any, rows: Any, zero: bool) -> Any:
    """Build the stacked Jacobians from rows, each of which holds one row of every Jacobian."""
    shape = static_ints((*target.static_shape, *source.static_shape[1:]))
    if rows is None:
        dtype = source.dtype if zero else target.dtype
        return fill(shape, dispatch.convert(0, dtype))
    return reshape(move_axis(rows, 0, 1), shape)
