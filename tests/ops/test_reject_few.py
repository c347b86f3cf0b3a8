"""Few samples, many samples and pieces of them: one stream, the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow._src.backends import lapack_calls
from tapeflow._src.backends import numpy as xp
from tapeflow._src.core import dtypes
from tapeflow._src.kernels.random import fill, permute, philox_host, reject

STREAM = np.array([11, 22, 5, 6, 7, 8], np.uint32)
# The lowest word of its counter overflows soon.
AT_END = np.array([11, 22, 2**32 - 3, 6, 7, 8], np.uint32)


def gamma(stream: np.ndarray) -> np.ndarray:
    return reject.gamma(xp, stream, np.array([0.3, 0.9, 1.7, 12.0]), 4)


def poisson(stream: np.ndarray) -> np.ndarray:
    return reject.poisson(xp, stream, np.array([0.2, 4.0, 9.9, 250.0]), 4, dtypes.float64)


def binomial(stream: np.ndarray) -> np.ndarray:
    counts, probs = np.array([3.0, 17.0, 5.0]), np.array([0.5, 0.1, 0.93])
    return reject.binomial(xp, stream, counts, probs, 5)


def few_events(stream: np.ndarray) -> np.ndarray:
    return reject.poisson(xp, stream, np.array([0.2, 4.0, 9.9]), 5, dtypes.int32)


def counted(stream: np.ndarray) -> np.ndarray:
    return reject.poisson(xp, stream, np.array([0.2, 4.0, 9.9]), 100, dtypes.int32)


@pytest.mark.parametrize("draw", [few_events, counted, binomial])
def test_counts_that_need_more_numbers_than_most_are_those_of_the_method_for_many(
    monkeypatch: pytest.MonkeyPatch, draw: Any
) -> None:
    streams = [np.array([seed, 22, 5, 6, 7, 8], np.uint32) for seed in range(60)]
    few = [draw(stream) for stream in streams]
    monkeypatch.setattr(reject, "FEW_SAMPLES", 0)
    monkeypatch.setattr(reject, "COUNTED_SAMPLES", 0)
    np.testing.assert_array_equal(few, [draw(stream) for stream in streams])


@pytest.mark.parametrize("draw", [gamma, poisson, few_events, counted, binomial])
@pytest.mark.parametrize("stream", [STREAM, AT_END])
def test_few_samples_are_those_of_the_method_for_many(
    monkeypatch: pytest.MonkeyPatch, draw: Any, stream: np.ndarray
) -> None:
    few = draw(stream)
    monkeypatch.setattr(reject, "FEW_SAMPLES", 0)
    monkeypatch.setattr(reject, "COUNTED_SAMPLES", 0)
    np.testing.assert_array_equal(few, draw(stream))


@pytest.mark.parametrize("draw", [gamma, poisson, binomial])
def test_samples_in_pieces_are_those_drawn_together(
    monkeypatch: pytest.MonkeyPatch, draw: Any
) -> None:
    monkeypatch.setattr(reject, "FEW_SAMPLES", 0)
    monkeypatch.setattr(reject, "COUNTED_SAMPLES", 0)
    together = draw(STREAM)
    monkeypatch.setattr(reject, "_PIECE", 5)
    np.testing.assert_array_equal(together, draw(STREAM))


@pytest.mark.parametrize("stream", [STREAM, AT_END])
@pytest.mark.parametrize("blocks", [1, 2, 5, 40])
def test_lanes_of_integers_are_blocks_one_by_one(stream: np.ndarray, blocks: int) -> None:
    (k0, k1), counter = philox_host._key_and_counter(stream)
    expected = [philox_host.encrypt((k0, k1), counter + 3 * i) for i in range(blocks)]
    assert philox_host.few_blocks(stream, blocks, 3).tolist() == [list(row) for row in expected]


@pytest.mark.parametrize("elements", [2, 5, 100])
def test_few_elements_are_shuffled_like_many(
    monkeypatch: pytest.MonkeyPatch, elements: int
) -> None:
    few = permute.permutation(xp, STREAM, elements)
    monkeypatch.setattr(permute, "_FEW_SWAPS", 0)
    np.testing.assert_array_equal(permute.permutation(xp, STREAM, elements), few)


@pytest.mark.parametrize("samples", [1, 5])
def test_few_classes_are_drawn_like_many(monkeypatch: pytest.MonkeyPatch, samples: int) -> None:
    logits = np.array([[0.5, -1.0, 2.0], [0.0, -np.inf, 0.1]], np.float32)
    few = fill.categorical(xp, STREAM, logits, samples)
    monkeypatch.setattr(fill, "_FEW_POINTS", 0)
    np.testing.assert_array_equal(fill.categorical(xp, STREAM, logits, samples), few)


@pytest.mark.parametrize("power", [0, 1, 30])
@pytest.mark.parametrize("classes", [1, 2, 7, 150])
def test_classes_found_by_buckets_are_those_of_a_search(classes: int, power: int) -> None:
    numbers = np.random.default_rng(classes)
    weights = numbers.exponential(size=(4, classes)) ** power
    weights[:2] *= numbers.random((2, classes)) < 0.5  # classes that are never drawn
    weights[:, classes // 2] += 1e-9
    cumulative = np.cumsum(weights, axis=1)
    points = numbers.random((4, 2000)) * cumulative[:, -1:]
    # At the edges of classes, and as far as a point can be.
    points[:, : classes - 1] = cumulative[:, :-1]
    points = np.minimum(points, np.nextafter(cumulative[:, -1:], 0))
    points[:, -1:] = points.max(axis=1, keepdims=True)
    drawn = fill._search_by_buckets(cumulative, points)
    expected = [np.searchsorted(c, p, side="right") for c, p in zip(cumulative, points)]
    np.testing.assert_array_equal(drawn, expected)


def test_rows_without_weights_have_the_class_behind_the_last() -> None:
    logits = np.array([[-np.inf] * 60, [0.0] * 60], np.float32)
    drawn = fill.categorical(xp, STREAM, logits, 100)
    assert (drawn[0] == 60).all() and (drawn[1] < 60).all()


@pytest.mark.parametrize("elements", [2, 3, 10, 1000, 20_000])
def test_swapping_together_is_swapping_one_by_one(elements: int) -> None:
    words = np.random.default_rng(elements).integers(0, 2**31, elements - 1)
    index = np.arange(elements, dtype=np.int32)
    partner = index[:-1] + (words % np.arange(elements, 1, -1)).astype(np.int32)
    expected = permute._swap_one_by_one(partner)
    np.testing.assert_array_equal(permute._swap_together(index, partner), expected)


@pytest.mark.parametrize("elements", [2, 3, 10, 1000, 20_000])
@pytest.mark.parametrize("kind", ["i4", "f8", "c16"])
def test_lapack_swaps_one_by_one(elements: int, kind: str) -> None:
    words = np.random.default_rng(elements).integers(0, 2**31, elements - 1)
    partner = np.arange(elements - 1) + words % np.arange(elements, 1, -1)
    order = permute._swap_one_by_one(partner)
    values = np.arange(elements).astype(kind)
    if not lapack_calls.can_swap(values.dtype):
        pytest.skip("NumPy uses another library")
    lapack_calls.swap(values, partner + 1)
    np.testing.assert_array_equal(values, order.astype(kind))


@pytest.mark.parametrize("value", [np.arange(500.0), np.arange(1000).reshape(500, 2)])
def test_rows_are_shuffled_as_indices_are(value: np.ndarray) -> None:
    order = permute.permutation(xp, STREAM, 500)
    np.testing.assert_array_equal(permute.shuffled(xp, STREAM, value), value[order])
