"""Directives: calls that configure AutoGraph, and do nothing elsewhere."""

from __future__ import annotations

from typing import Any

LOOP_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Set how the enclosing loop is staged. Elsewhere it has no effect.

    Args:
        parallel_iterations: Accepted for compatibility.
        swap_memory: Accepted for compatibility.
        maximum_iterations: The maximum number of iterations.
        shape_invariants: Pairs of a variable's value before the loop and its shape in every
            iteration.

    Returns:
        None.

    Example:
        >>> @tf.function
        ... def grow(n):
        ...     x = tf.zeros([0])
        ...     for i in tf.range(n):
        ...         tf.autograph.experimental.set_loop_options(
        ...             shape_invariants=[(x, tf.TensorShape([None]))]
        ...         )
        ...         x = tf.concat([x, [0.0]], 0)
        ...     return x
        >>> grow(tf.constant(3)).shape
        TensorShape([3])
    """
