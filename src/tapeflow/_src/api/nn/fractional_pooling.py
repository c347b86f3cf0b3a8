"""`tf.nn`: fractional pooling with randomly drawn windows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.convolution import sequence
from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import random_state
from tapeflow._src.ops.nn import fractional_pooling as ops


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Compute fractional max pooling; also return the row and column boundaries."""
    op = ops.fractional_max_pool
    return _pool(op, value, pooling_ratio, pseudo_random, overlapping, seed, name)


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Compute fractional average pooling; also return the row and column boundaries."""
    op = ops.fractional_avg_pool
    return _pool(op, value, pooling_ratio, pseudo_random, overlapping, seed, name)


def _pool(
    op: Any,
    value: Any,
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
