"""Candidate samplers: ops that draw a few of very many classes, and accidental hits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import Shape
from tapeflow._src.core.random_state import reserves
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.random.candidates import (
    WORDS_PER_CANDIDATE,
    FixedUnigram,
    LearnedUnigram,
    LogUniform,
    Uniform,
    fixed_weights,
    sample,
    seen_classes,
)

_OUTPUTS = ("sampled_candidates", "true_expected_count", "sampled_expected_count")
_INT64 = frozenset({dtypes.int64})
_HOST = "draws until the candidates differ"
_REFUSED_HITS = float(np.finfo(np.float32).min)


def _infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, ...]:
    true_classes, num_true, num_sampled = specs[0], attrs["num_true"], attrs["num_sampled"]
    batch = None
    if true_classes.rank not in (None, 2):
        raise InferError("true_classes must be a matrix")
    if true_classes.shape is not None:
        batch, columns = true_classes.shape
        if columns not in (None, num_true):
            raise InferError(
                f"true_classes must have num_true columns, expected: {columns} was: {num_true}"
            )
    limit = attrs.get("range_max", num_sampled)
    if limit <= 0:
        raise InferError(f"range_max must be positive, got {limit}")
    if num_sampled < 1 or num_true < 1:
        raise InferError(f"num_sampled and num_true must be positive: {num_sampled}, {num_true}")
    if attrs["unique"] and num_sampled > limit:
        raise InferError("Sampler's range is too small.")
    return (
        Spec((num_sampled,), dtypes.int64),
        Spec((batch, num_true), dtypes.float32),
        Spec((num_sampled,), dtypes.float32),
    )


def _require_in_range(true_classes: np.ndarray, limit: int) -> None:
    wrong = true_classes[(true_classes < 0) | (true_classes >= limit)]
    if wrong.size:
        raise InvalidArgumentError(
            None, None, f"`true_candidate` out of range [0, {limit}), received {wrong[0]}"
        )


def _sampler(name: str) -> Any:
    """Declare a sampler, and how much of the stream it uses."""
    reserves(name)(lambda arrays, attrs: attrs["num_sampled"] * WORDS_PER_CANDIDATE // 4)
    return op(
        name,
        infer=_infer,
        dtypes=_INT64,
        outputs=_OUTPUTS,
        effect="random",
        host=_HOST,
        grad=None,
        checked=True,
    )


@_sampler("UniformCandidateSampler")
def uniform_candidate_sampler(
    xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0, counter
):
    """Draw candidates uniformly."""
    _require_in_range(true_classes, range_max)
    return sample(Uniform(counter, range_max), true_classes, num_sampled, unique)


@_sampler("LogUniformCandidateSampler")
def log_uniform_candidate_sampler(
    xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0, counter
):
    """Draw candidates log-uniformly, for classes sorted by decreasing frequency."""
    _require_in_range(true_classes, range_max)
    return sample(LogUniform(counter, range_max), true_classes, num_sampled, unique)


def _learned(true_classes, num_sampled, unique, range_max, kernel, counter):
    _require_in_range(true_classes, range_max)
    counts = seen_classes.counts(kernel, range_max)
    sampler = LearnedUnigram(counter, range_max, counts)
    result = sample(sampler, true_classes, num_sampled, unique)
    np.add.at(counts, true_classes.reshape(-1), 1)
    return result


@_sampler("LearnedUnigramCandidateSampler")
def learned_unigram_candidate_sampler(
    xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0, counter
):
    """Draw candidates in proportion to their counts as true classes of earlier calls."""
    kernel = (num_true, num_sampled, unique, range_max, seed, seed2)
    return _learned(true_classes, num_sampled, unique, range_max, kernel, counter)


@_sampler("ThreadUnsafeUnigramCandidateSampler")
def thread_unsafe_unigram_candidate_sampler(
    xp, true_classes, *, num_true, num_sampled, unique, range_max, seed=0, seed2=0, counter
):
    """Like the learned sampler, with counts of its own."""
    kernel = ("unsafe", num_true, num_sampled, unique, range_max, seed, seed2)
    return _learned(true_classes, num_sampled, unique, range_max, kernel, counter)


@_sampler("FixedUnigramCandidateSampler")
def fixed_unigram_candidate_sampler(
    xp,
    true_classes,
    *,
    num_true,
    num_sampled,
    unique,
    range_max,
    vocab_file="",
    distortion=1.0,
    num_reserved_ids=0,
    num_shards=1,
    shard=0,
    unigrams=(),
    seed=0,
    seed2=0,
    counter,
):
    """Draw candidates in proportion to given weights."""
    _require_in_range(true_classes, range_max)
    counts = _unigrams(vocab_file, unigrams)
    weights = fixed_weights(counts, distortion, num_reserved_ids, num_shards, shard)
    if weights.size != range_max:
        raise InvalidArgumentError(
            None, None, f"range is {range_max} must be equal to weights size {weights.size}"
        )
    return sample(FixedUnigram(counter, weights), true_classes, num_sampled, unique)


fixed_unigram_candidate_sampler.accesses("files", when=lambda vocab_file, **_: bool(vocab_file))


def _unigrams(vocab_file: str, unigrams: Any) -> list[float]:
    """Return the given weights, or the last column of a CSV file."""
    if bool(vocab_file) == bool(len(unigrams)):
        problem = "Must only provide one of" if vocab_file else "Must provide either"
        raise InvalidArgumentError(None, None, f"{problem} vocab_file and unigrams.")
    if not vocab_file:
        return [float(weight) for weight in unigrams]
    weights = []
    for line in Path(vocab_file).read_text(encoding="utf-8").splitlines():
        try:
            weights.append(float(line.rsplit(",", 1)[-1]))
        except ValueError as error:
            raise InvalidArgumentError(
                None, None, f"Wrong vocabulary format at line: {line}"
            ) from error
    return weights


@_sampler("AllCandidateSampler")
def all_candidate_sampler(
    xp, true_classes, *, num_true, num_sampled, unique, seed=0, seed2=0, counter
):
    """Return every class, once."""
    _require_in_range(true_classes, num_sampled)
    return (
        np.arange(num_sampled, dtype=np.int64),
        np.ones(true_classes.shape, np.float32),
        np.ones(num_sampled, np.float32),
    )


@op(
    "ComputeAccidentalHits",
    dtypes=_INT64,
    outputs=("indices", "ids", "weights"),
    host="data-dependent shape",
    grad=None,
    checked=True,
)
def compute_accidental_hits(xp, true_classes, sampled_candidates, *, num_true, seed=0, seed2=0):
    """Return where a candidate is a true class: the row, the candidate, and a weight that removes
    it.
    """
    # The last occurrence of a candidate counts, if it is repeated.
    index_of = {int(candidate): i for i, candidate in enumerate(sampled_candidates)}
    hits = [
        (row, index_of[true_class])
        for row, classes in enumerate(true_classes.tolist())
        for true_class in classes
        if true_class in index_of
    ]
    pairs = np.array(hits, np.int64).reshape(-1, 2)
    weights = np.full(len(hits), _REFUSED_HITS, np.float32)
    return pairs[:, 0].astype(np.int32), pairs[:, 1], weights


@compute_accidental_hits.infer
def _(true_classes, sampled_candidates, *, num_true, seed, seed2):
    shape: Shape = true_classes.shape
    if shape is not None and (len(shape) != 2 or shape[1] not in (None, num_true)):
        raise InferError(
            f"true_candidates must be a batch_size * num_true matrix, got {fmt_shape(shape)}"
        )
    if sampled_candidates.rank not in (None, 1):
        raise InferError(
            "sampled_candidates must be a vector, which is typically an output from "
            f"CandidateSampler, got {fmt_shape(sampled_candidates.shape)}"
        )
    return Spec((None,), dtypes.int32), Spec((None,), dtypes.int64), Spec((None,), dtypes.float32)
