"""Calls that say something to AutoGraph, and do nothing where it does not see them."""

from __future__ import annotations

from typing import Any

LOOP_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """In a loop: how it is to be staged. Elsewhere it has no effect.

    maximum_iterations: the loop stops after so many. shape_invariants: pairs of a variable's value
    before the loop and what its shape is in every iteration. The other two change nothing.
    """
