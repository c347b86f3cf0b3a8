"""Candidate sampling: a few of very many classes, and their expected counts.

Runs on the host, sequentially where it must: candidates are few. The draws are TensorFlow's. Every
sampler is a `draw(count)` that returns the next candidates of an endless sequence, and a
`probability(values)`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core.random_state import DrawnSeed, on_reset
from tapeflow._src.kernels.random.fill import uniform, uniform_full_int

# 32-bit words that one candidate may use up.
WORDS_PER_CANDIDATE = 2048


class _Sampler:
    """The candidates of one call; `_at` counts the words of the stream already used."""

    def __init__(self, stream: np.ndarray, range_max: int) -> None:
        self.range_max = range_max
        self._stream = stream
        self._at = 0

    def draw(self, count: int) -> np.ndarray:
        raise NotImplementedError

    def probability(self, values: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _words(self, count: int, dtype: Any = np.uint32) -> np.ndarray:
        """Return the next `count` integers of 32 or 64 bits."""
        size = np.dtype(dtype).itemsize // 4
        first, self._at = self._at, self._at + count * size
        return uniform_full_int(np, self._stream, first // size + count, dtype)[first // size :]

    def _below(self, bound: int, count: int, dtype: Any) -> np.ndarray:
        """Return `count` unbiased integers in `[0, bound)`, by rejection."""
        words = self._words(count, dtype)
        if bound & (bound - 1) == 0:
            return words & words.dtype.type(bound - 1)
        spare = np.iinfo(dtype).max % bound + 1
        good = words[words >= spare] % words.dtype.type(bound)
        missing = count - good.size
        return np.concatenate([good, self._below(bound, missing, dtype)]) if missing else good


class Uniform(_Sampler):
    """All classes are equally likely."""

    def draw(self, count: int) -> np.ndarray:
        return self._below(self.range_max, count, np.uint64).astype(np.int64)

    def probability(self, values: np.ndarray) -> np.ndarray:
        return np.full(values.shape, 1.0 / self.range_max, np.float32)


class LogUniform(_Sampler):
    """Classes sorted by decreasing frequency, with Zipf's distribution."""

    def draw(self, count: int) -> np.ndarray:
        first, self._at = self._at // 2, self._at + 2 * count
        numbers = uniform(np, self._stream, first + count, np.float64)[first:]
        return (np.exp(numbers * np.log1p(self.range_max)).astype(np.int64) - 1) % self.range_max

    def probability(self, values: np.ndarray) -> np.ndarray:
        odds = np.log((values + 2.0) / (values + 1.0)) / np.log1p(self.range_max)
        return odds.astype(np.float32)


class LearnedUnigram(_Sampler):
    """In proportion to how often the classes have been seen in this program, plus one."""

    def __init__(self, stream: np.ndarray, range_max: int, counts: np.ndarray) -> None:
        super().__init__(stream, range_max)
        self._counts = counts
        self._cumulative = np.cumsum(counts)

    def draw(self, count: int) -> np.ndarray:
        points = self._below(int(self._cumulative[-1]), count, np.uint32)
        return np.searchsorted(self._cumulative, points, side="right")

    def probability(self, values: np.ndarray) -> np.ndarray:
        return (self._counts[values].astype(np.float32) / self._cumulative[-1]).astype(np.float32)


class FixedUnigram(_Sampler):
    """In proportion to given weights, by Walker's alias method."""

    def __init__(self, stream: np.ndarray, weights: np.ndarray) -> None:
        super().__init__(stream, weights.size)
        self._weights = weights
        self._share, self._alias = _alias_table(weights.tobytes())

    def draw(self, count: int) -> np.ndarray:
        # One word decides, the next ones pick a slot; the order matters when a word is passed over.
        fractions = np.empty(count, np.float32)
        slots = np.empty(count, np.int64)
        for i in range(count):
            fractions[i] = (self._words(1)[0] & 0x7FFFFF) * np.float32(2.0**-23)
            slots[i] = self._below(self.range_max, 1, np.uint32)[0]
        return np.where(fractions < self._share[slots], slots, self._alias[slots])

    def probability(self, values: np.ndarray) -> np.ndarray:
        # Accumulated sequentially in 32 bits, as TensorFlow does.
        return self._weights[values] / np.cumsum(self._weights, dtype=np.float32)[-1]


@lru_cache(maxsize=8)
def _alias_table(encoded_weights: bytes) -> tuple[np.ndarray, np.ndarray]:
    weights = np.frombuffer(encoded_weights, np.float32)
    size = weights.size
    share = (weights * np.float32(size) / weights.astype(np.float64).sum()).tolist()
    alias = list(range(size))
    low = [i for i, s in enumerate(share) if s < 1.0]
    high = [i for i, s in enumerate(share) if s >= 1.0]
    while low and high:
        poor, rich = low.pop(), high.pop()
        alias[poor] = rich
        share[rich] -= 1.0 - share[poor]
        (low if share[rich] < 1.0 else high).append(rich)
    for i in (*low, *high):
        share[i] = 1.0
    return np.array(share, np.float32), np.array(alias, np.int64)


def fixed_weights(
    unigrams: Sequence[float], distortion: float, reserved: int, shards: int, shard: int
) -> np.ndarray:
    """Return weights per class: zeros for reserved ones, the others raised to `distortion`."""
    weights = [0.0 for i in range(reserved) if i % shards == shard]
    first = len(weights)
    weights += [
        float(np.float32(w) ** np.float32(distortion))
        for i, w in enumerate(unigrams, first)
        if i % shards == shard
    ]
    return np.array(weights, np.float32)


def sample(
    sampler: _Sampler, true_classes: np.ndarray, num_sampled: int, unique: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return candidates, and the expected counts of the true classes and of the candidates."""
    if unique:
        candidates, tries = _distinct(sampler, num_sampled)
    else:
        candidates, tries = sampler.draw(num_sampled), num_sampled
    true_count, candidate_count = (
        _expected_count(sampler.probability(values), num_sampled, tries)
        for values in (true_classes, candidates)
    )
    return candidates, true_count, candidate_count


def _distinct(sampler: _Sampler, count: int) -> tuple[np.ndarray, int]:
    """Return the first `count` distinct candidates, and how many draws that took."""
    drawn = np.empty(0, np.int64)
    while True:
        drawn = np.concatenate([drawn, sampler.draw(max(count, 16))])
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if first.size >= count:
            first = first[:count]
            return drawn[first], int(first[-1]) + 1 if count else 0


def _expected_count(probability: np.ndarray, sampled: int, tries: int) -> np.ndarray:
    if tries == sampled:
        return probability * np.float32(sampled)
    # In single precision, each step rounded as a good mathematical library rounds it.
    wide = np.float64
    log = np.log1p(-probability.astype(wide)).astype(np.float32) * np.float32(tries)
    return -np.expm1(log.astype(wide)).astype(np.float32)


class SeenClasses:
    """How often each class was seen by the learned sampler, for each of its kernels."""

    def __init__(self) -> None:
        self._counts: dict[Any, np.ndarray] = {}

    def counts(self, kernel: tuple[Any, ...], range_max: int) -> np.ndarray:
        """Return the counts so far, plus one; a kernel with a drawn seed is used once and not
        stored.
        """
        if any(type(part) is DrawnSeed for part in kernel):
            return np.ones(range_max, np.int64)
        return self._counts.setdefault(kernel, np.ones(range_max, np.int64))

    def clear(self) -> None:
        self._counts.clear()


seen_classes = SeenClasses()
on_reset(seen_classes.clear)
