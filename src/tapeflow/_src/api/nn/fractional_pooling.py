"""`tf.nn`: fractional pooling with randomly drawn windows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.convolution import sequence
from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import random_state
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.nn import fractional_pooling as ops


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Compute fractional max pooling; also return the row and column boundaries.

    The windows have sizes of 1 and 2, drawn so that sizes shrink by a ratio that need not be whole.

    Args:
        value: `[batch, height, width, channels]`.
        pooling_ratio: How much smaller the result is: one number, one for height and width, or one
            for each axis with 1 for batch and channels; at least 1.
        pseudo_random: Whether window sizes follow a pseudo-random sequence instead of being
            shuffled.
        overlapping: Whether windows share the values at their boundaries.
        seed: A seed; 0 draws other windows at each call.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the result, the row boundaries and the column boundaries.

    Raises:
        ValueError: A ratio is below 1, or not 1 for batch or channels.

    Example:

        >>> x = tf.zeros((1, 9, 9, 1))
        >>> [part.shape for part in tf.nn.fractional_max_pool(x, [1, 1.5, 1.5, 1], seed=1)]
        [TensorShape([1, 6, 6, 1]), TensorShape([7]), TensorShape([7])]
    """
    op = ops.fractional_max_pool
    return _pool(op, value, pooling_ratio, pseudo_random, overlapping, seed, name)


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Compute fractional average pooling; also return the row and column boundaries.

    Args:
        value: `[batch, height, width, channels]`.
        pooling_ratio: How much smaller the result is: one number, one for height and width, or one
            for each axis with 1 for batch and channels; at least 1.
        pseudo_random: Whether window sizes follow a pseudo-random sequence instead of being
            shuffled.
        overlapping: Whether windows share the values at their boundaries.
        seed: A seed; 0 draws other windows at each call.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the result, the row boundaries and the column boundaries.

    Raises:
        ValueError: A ratio is below 1, or not 1 for batch or channels.

    Example:

        >>> x = tf.zeros((1, 9, 9, 1))
        >>> tf.nn.fractional_avg_pool(x, [1, 1.5, 1.5, 1], seed=1)[0].shape
        TensorShape([1, 6, 6, 1])
    """
    op = ops.fractional_avg_pool
    return _pool(op, value, pooling_ratio, pseudo_random, overlapping, seed, name)


def _pool(
    op: Any,
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool,
    overlapping: bool,
    seed: int,
    name: str | None,
) -> Any:
    ratio = sequence(pooling_ratio, 2, False, "pooling_ratio", float)
    if min(ratio) < 1:
        raise ValueError(
            f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={pooling_ratio}"
        )
    if (ratio[0], ratio[3]) != (1, 1):
        raise ValueError(
            "pooling_ratio must be 1.0 for batch and channels (its first and last entries), "
            f"received {pooling_ratio}"
        )
    if seed == 0 and random_state.determinism_required():
        raise ValueError(
            f"{op.name} needs a seed other than 0 while determinism is enabled, received "
            f"seed={seed}: pass for example seed=1."
        )
    seeds = op_seeds(seed) if seed else {}
    result = op(
        value,
        pooling_ratio=ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=bool(seed),
        name=name,
        **seeds,
    )
    return op.result_type(*result)
