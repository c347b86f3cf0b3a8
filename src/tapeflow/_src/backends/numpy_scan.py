"""Recurrences over the rows of arrays, and derivatives of bodies, for the NumPy backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule

_jax: Any = LazyModule("tapeflow._src.backends.jax", "derivatives of op bodies", "jax")


def scan(
    step: Callable[[Any, Any], tuple[Any, Any]],
    state: Sequence[Any],
    rows: Sequence[Any],
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Run `step(state, row) -> (state, outputs)` over the leading axis of `rows`.

    Returns the last state and the outputs of all steps, stacked in the order of the rows. There
    must be at least one row.
    """
    count = len(rows[0])
    stacked: list[Any] = []
    for index in range(count - 1, -1, -1) if reverse else range(count):
        state, outputs = step(state, tuple(row[index] for row in rows))
        if not stacked:
            stacked = [np.empty((count, *each.shape), each.dtype) for each in outputs]
        for target, each in zip(stacked, outputs):
            target[index] = each
    return state, tuple(stacked)


def vjp(
    body: Callable[..., Any],
    primals: Sequence[Any],
    cotangents: Sequence[Any],
    constants: Mapping[int, Any],
    **attrs: Any,
) -> Any:
    """Like the JAX backend's, which computes it: compiled once per body and shapes."""
    compiled = _compiled(body, tuple(constants), tuple(attrs.items()))
    with _jax.jax.enable_x64(True):
        gradients = compiled(tuple(primals), tuple(cotangents), tuple(constants.values()))
    return tuple(np.asarray(each) for each in gradients)


@lru_cache(maxsize=64)
def _compiled(
    body: Callable[..., Any], indices: tuple[int, ...], attrs: tuple[tuple[str, Any], ...]
) -> Callable[..., Any]:
    def gradients(primals: Any, cotangents: Any, constants: Any) -> Any:
        placed = dict(zip(indices, constants, strict=True))
        return _jax.vjp(body, primals, cotangents, placed, **dict(attrs))

    jitted: Callable[..., Any] = _jax.jax.jit(gradients)
    return jitted
