"""Recurrences over the rows of arrays for the JAX backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax import lax


def scan(
    step: Callable[[Any, Any], tuple[Any, Any]],
    state: Sequence[Any],
    rows: Sequence[Any],
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Run `step(state, row) -> (state, outputs)` over the leading axis of `rows`.

    Returns the last state and the outputs of all steps, stacked in the order of the rows.
    """
    return lax.scan(step, tuple(state), tuple(rows), reverse=reverse)
