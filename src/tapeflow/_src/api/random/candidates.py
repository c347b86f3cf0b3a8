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
        A named tuple: the candidates `[num_sampled]`, and the expected counts of the true classes
        and of the candidates.

    Example:

        >>> result = tf.random.uniform_candidate_sampler([[1], [2]], 1, 3, True, 10)
        >>> [part.shape for part in result]
        [TensorShape([3]), TensorShape([2, 1]), TensorShape([3])]
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
    """Sample candidates by Zipf's law, for classes sorted by descending frequency.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        num_true: The number of target classes per example.
        num_sampled: The number of candidates.
        unique: Whether to sample without replacement.
        range_max: The number of classes.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the candidates `[num_sampled]`, and the expected counts of the true classes
        and of the candidates.

    Example:

        >>> result = tf.random.log_uniform_candidate_sampler([[1], [2]], 1, 3, True, 10)
        >>> [part.shape for part in result]
        [TensorShape([3]), TensorShape([2, 1]), TensorShape([3])]
    """
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
    """Sample candidates by the frequency of true classes in earlier calls.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        num_true: The number of target classes per example.
        num_sampled: The number of candidates.
        unique: Whether to sample without replacement.
        range_max: The number of classes.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the candidates `[num_sampled]`, and the expected counts of the true classes
        and of the candidates.

    Raises:
        ValueError: `range_max` does not fit into int32.

    Example:

        >>> result = tf.random.learned_unigram_candidate_sampler([[1], [2]], 1, 3, True, 10)
        >>> [part.shape for part in result]
        [TensorShape([3]), TensorShape([2, 1]), TensorShape([3])]
    """
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
    """Sample candidates in proportion to weights from a list or a file.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        num_true: The number of target classes per example.
        num_sampled: The number of candidates.
        unique: Whether to sample without replacement.
        range_max: The number of classes.
        vocab_file: A file with a class per line, the weight in the last column of comma-separated
            values.
        distortion: The exponent of the weights: 0 is uniform.
        num_reserved_ids: How many classes at the start are never sampled.
        num_shards: In how many parts the classes are split.
        shard: Which of them this sampler draws from.
        unigrams: The weights, one per class, instead of a file.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the candidates `[num_sampled]`, and the expected counts of the true classes
        and of the candidates.
    """
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
    """Return every class once; for tests.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        num_true: The number of target classes per example.
        num_sampled: The number of classes.
        unique: Whether to sample without replacement.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the candidates `[num_sampled]`, and the expected counts of the true classes
        and of the candidates.

    Example:

        >>> tf.random.all_candidate_sampler([[1]], 1, 4, True)[0].numpy().tolist()
        [0, 1, 2, 3]
    """
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
    """Return where candidates are true classes, and weights to remove them.

    Args:
        true_classes: `[batch, num_true]` int64 target classes.
        sampled_candidates: The candidates.
        num_true: The number of target classes per example.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A named tuple: rows, positions among the candidates, and weights near minus infinity to add
        to their logits.

    Example:

        >>> rows, positions, weights = tf.nn.compute_accidental_hits([[1], [2]], [2, 5], 1)
        >>> rows.numpy().tolist(), positions.numpy().tolist()
        ([1], [0])
    """
    op = ops.compute_accidental_hits
    true_classes = dispatch.convert(true_classes, None, dtypes.int64)
    return op.result_type(
        *op(true_classes, sampled_candidates, num_true=num_true, name=name, **op_seeds(seed))
    )
