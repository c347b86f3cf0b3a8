"""Candidate samplers: sampled classes, and their expected counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.nn import candidates as ops

_INT32_MAX = 2**31 - 1


def _sample(op: Op, true_classes: Any, seed: Any, name: str | None, **attrs: Any) -> Any:
    true_classes = dispatch.convert(true_classes, None, dtypes.int64)
    return op.result_type(*op(true_classes, name=name, **attrs, **op_seeds(seed)))


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Sample candidates uniformly.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        num_true: The number of target classes per example.
        num_sampled: The number of candidates.
        unique: Whether to sample without replacement.
        range_max: The number of classes.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        The candidates, and the expected counts of the true classes and of the candidates.
    """
    return _sample(
        ops.uniform_candidate_sampler,
        true_classes,
        seed,
        name,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
    )


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Sample candidates by Zipf's law, for classes sorted by descending frequency."""
    return _sample(
        ops.log_uniform_candidate_sampler,
        true_classes,
        seed,
        name,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
    )


def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Sample candidates by the frequency of true classes in earlier calls."""
    if range_max > _INT32_MAX:
        raise ValueError(f"range_max must be at most {_INT32_MAX}, received {range_max}.")
    return _sample(
        ops.learned_unigram_candidate_sampler,
        true_classes,
        seed,
        name,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
    )


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Sample candidates in proportion to weights from a list or a file."""
    return _sample(
        ops.fixed_unigram_candidate_sampler,
        true_classes,
        seed,
        name,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=tuple(unigrams),
    )


def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return every class once; for tests."""
    return _sample(
        ops.all_candidate_sampler,
        true_classes,
        seed,
        name,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
    )


def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return the rows and positions of candidates that are true classes, and weights to remove
    them.
    """
    op = ops.compute_accidental_hits
    true_classes = dispatch.convert(true_classes, None, dtypes.int64)
    return op.result_type(
        *op(true_classes, sampled_candidates, num_true=num_true, name=name, **op_seeds(seed))
    )
