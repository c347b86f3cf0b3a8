"""Gamma, Poisson and binomial numbers of few samples, with few calls of NumPy.

The same methods and the same draws as in `reject`, one sample after the other: for few samples that
beats some fifty calls of NumPy for each attempt. Blocks of all samples are computed together, as
many as most samples need, and what is counted is counted for all of them by one call. What enters a
result with all its bits (normal numbers, powers) is computed by NumPy as there; the rest are exact
operations, counts, and comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tapeflow._src.kernels.random.fill import RESERVED, box_muller64, unit_float64
from tapeflow._src.kernels.random.philox_host import blocks_at

FEW_SAMPLES = 64
"""Up to this many samples are drawn here."""
COUNTED_SAMPLES = 512
"""So many if they are Poisson counts of small rates."""

_MOST_STEPS = 1000
# The rate below which events are counted.
_COUNTED_RATE = 10


class _Numbers:
    """The uniform numbers of the blocks of samples, each with a region of a stream."""

    def __init__(self, stream: np.ndarray, samples: int, region: int, blocks: int) -> None:
        self._stream, self._region = stream, region
        self._blocks = blocks
        self.words = blocks_at(stream, samples, blocks, region)
        self._samples = samples
        self._uniform = _uniform_pairs(self.words)
        self._listed: list[list[float]] = []

    def in_rows(self) -> np.ndarray:
        """Return the numbers of the blocks that were computed, one row a sample, in order."""
        return self._uniform[::-1].T.reshape(self._samples, -1)

    def pair(self, sample: int, step: int) -> list[float]:
        """Return both numbers of a block."""
        if step < self._blocks:
            if not self._listed:
                self._listed = self._uniform.T.tolist()
            return self._listed[sample * self._blocks + step]
        pair: list[float] = _uniform_pairs(self.later(sample, step)).T.tolist()[0]
        return pair

    def later(self, sample: int, step: int) -> np.ndarray:
        """Return the words of a block that was not computed with the others."""
        return blocks_at(self._stream, 1, 1, self._region, sample * self._region + step)

    def in_order(self, sample: int) -> Iterator[float]:
        """Return the numbers of a sample: of each block the second one first."""
        for step in range(_MOST_STEPS):
            first, second = self.pair(sample, step)
            yield second
            yield first


def _uniform_pairs(words: np.ndarray) -> np.ndarray:
    return unit_float64(np, words[:, 0::2].T, words[:, 1::2].T)


# -- Poisson ---------------------------------------------------------------------------------


def poisson(stream: np.ndarray, rates: np.ndarray, limit: float) -> np.ndarray | None:
    """Return one Poisson count per rate; None where another method is faster, or a rate special."""
    if not rates.size:
        return rates
    largest = float(rates.max())
    if not rates.min() > 0 or not largest < math.inf:
        return None
    if largest < _COUNTED_RATE:
        return _counted(stream, rates, limit, largest)
    if rates.size > FEW_SAMPLES:
        return None
    listed = rates.tolist()
    most = max((rate for rate in listed if rate < _COUNTED_RATE), default=0.0)
    numbers = _Numbers(stream, len(listed), RESERVED, int(most / 2) + 3)
    counts = [
        _few_events(numbers, sample, rate, limit)
        if rate < _COUNTED_RATE
        else _many_events(numbers, sample, rate, limit)
        for sample, rate in enumerate(listed)
    ]
    return np.array(counts)


def _counted(stream: np.ndarray, rates: np.ndarray, limit: float, largest: float) -> np.ndarray:
    """Return one Poisson count for each rate, of which `largest` is below 10."""
    blocks = int(largest / 2) + 3
    if len(rates) > FEW_SAMPLES:
        # Hardly any sample takes more: each of these is computed alone.
        blocks += int(2 * math.sqrt(largest))
    numbers = _Numbers(stream, len(rates), RESERVED, blocks)
    # The products of a row never grow.
    products = np.multiply.accumulate(numbers.in_rows(), 1)
    above = products > np.exp(-rates)[:, None]
    counts = np.add.reduce(above, 1).astype(np.float64)
    for sample in np.flatnonzero(above[:, -1]).tolist():
        counts[sample] = _few_events(numbers, sample, float(rates[sample]), limit)
    return counts


def _few_events(numbers: _Numbers, sample: int, rate: float, limit: float) -> float:
    threshold = float(np.exp(-rate))
    product = 1.0
    for count, number in enumerate(numbers.in_order(sample)):
        product *= number
        if product <= threshold and count <= limit:
            return float(count)
    return 0.0


def _many_events(numbers: _Numbers, sample: int, lam: float, limit: float) -> float:
    if not lam - 10 * math.sqrt(lam) <= limit:
        return limit if lam > limit else lam
    b = 0.931 + 2.53 * math.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    for step in range(_MOST_STEPS):
        v, u = numbers.pair(sample, step)
        u -= 0.5
        edge = 0.5 - abs(u)
        if not edge:
            continue
        k = math.floor((2 * a / edge + b) * u + lam + 0.43)
        if k > limit:
            continue
        if edge >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return float(k)
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        s = _log(v * inverse_alpha / (a / (edge * edge) + b))
        if s <= -lam + k * math.log(lam) - math.lgamma(k + 1):
            return float(k)
    return limit if lam > limit else lam


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


# -- binomial --------------------------------------------------------------------------------


def binomial_inversion(
    stream: np.ndarray, counts: list[float], probs: list[float], region: int
) -> list[float]:
    """Return the successes among `counts` trials: geometric waiting times are added up."""
    most = max((n * p for n, p in zip(counts, probs)), default=0.0)
    numbers = _Numbers(stream, len(counts), region, int(most / 2) + 3)
    rates = np.log1p(-np.array(probs))[:, None]
    # The logarithm of zero is minus infinity: an endless wait.
    waited = np.add.accumulate(np.ceil(np.log(numbers.in_rows()) / rates), 1)
    within = waited <= np.array(counts)[:, None]
    return [
        wins if wins < within.shape[1] else _waits(numbers, i, counts[i], probs[i])
        for i, wins in enumerate(np.add.reduce(within, 1).tolist())
    ]


def _waits(numbers: _Numbers, sample: int, n: float, p: float) -> float:
    rate = float(np.log1p(-p))
    waited = 0.0
    for count, number in enumerate(numbers.in_order(sample)):
        waited += float(np.ceil(np.log(number) / rate))
        if waited > n:
            return float(count)
    return 0.0


# -- gamma -----------------------------------------------------------------------------------

_GAMMA_BLOCKS = 4


def gamma(stream: np.ndarray, shapes: list[float]) -> list[float]:
    """Return one gamma number per shape parameter, all of them positive and not 1."""
    numbers = _Numbers(stream, len(shapes), RESERVED, _GAMMA_BLOCKS)
    normals = _normal_pairs(numbers.words)
    values, boosts, exponents = [], [], []
    for sample, shape in enumerate(shapes):
        value, boost = _try_gamma(numbers, normals, sample, shape)
        values.append(value)
        boosts.append(boost)
        exponents.append(1 / shape if shape < 1 else 0.0)
    if any(exponents):
        powers = np.array(boosts) ** np.array(exponents)
        values = [v * p if e else v for v, p, e in zip(values, powers.tolist(), exponents)]
    return values


def _normal_pairs(words: np.ndarray) -> list[list[float]]:
    normals = box_muller64(np, words[:, 0::2].T, words[:, 1::2].T)
    pairs: list[list[float]] = np.array(normals).T.tolist()
    return pairs


def _try_gamma(
    numbers: _Numbers, normals: list[list[float]], sample: int, shape: float
) -> tuple[float, float]:
    """Return a sample by Marsaglia and Tsang's method, and the uniform number behind it."""
    d = shape + (2.0 / 3 if shape < 1 else -1.0 / 3)
    c = 1.0 / 3 / math.sqrt(d)
    position = 0
    left_normals: list[float] = []
    left_uniforms: list[float] = []
    for _ in range(_MOST_STEPS):
        if not left_normals:
            left_normals = _normals_at(numbers, normals, sample, position)
            position += 1
        x = left_normals.pop()
        root = 1 + c * x
        if root <= 0:
            continue
        v = root * root * root
        if not left_uniforms:
            left_uniforms = list(numbers.pair(sample, position))
            position += 1
        u = left_uniforms.pop()
        if u < 1 - 0.0331 * (x * x) * (x * x) or _log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            if not left_uniforms and shape < 1:
                left_uniforms = list(numbers.pair(sample, position))
            return d * v, left_uniforms[-1] if left_uniforms else 1.0
    return 0.0, 1.0


def _normals_at(
    numbers: _Numbers, normals: list[list[float]], sample: int, step: int
) -> list[float]:
    if step < _GAMMA_BLOCKS:
        return list(normals[sample * _GAMMA_BLOCKS + step])
    return _normal_pairs(numbers.later(sample, step))[0]


def is_plain(values: list[float]) -> bool:
    """Whether all parameters are finite and positive: what is special is left to `reject`."""
    return all(0 < value < math.inf for value in values)
