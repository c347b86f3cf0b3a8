"""The Philox stream and the numbers made of it: known answers, and NumPy against XLA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import ml_dtypes
import numpy as np
import pytest

from tapeflow._src.backends import jax as jax_xp
from tapeflow._src.backends import numpy as numpy_xp
from tapeflow._src.core import dtypes, random_state
from tapeflow._src.kernels.random import fill as random_fill
from tapeflow._src.kernels.random import permute as random_permute
from tapeflow._src.kernels.random import philox, philox_host
from tapeflow._src.kernels.random import reject as random_reject
from tests.quick_compiler import compiled as jitted

# The test vectors that the authors of Philox publish: counter, key, block.
KNOWN_ANSWERS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
STREAM = random_state.stream(0x1234567890ABCDEF, 7 << 64 | 5)
BOTH = pytest.mark.parametrize("run", ["numpy", "xla"])


def evaluate(run: str, function: Callable[..., Any], *arrays: Any) -> Any:
    """`function(xp, *arrays)` on NumPy, or traced and compiled."""
    if run == "numpy":
        token = numpy_xp.silence()
        try:
            return function(numpy_xp, *arrays)
        finally:
            numpy_xp.unsilence(token)
    with jax.enable_x64(True):
        result = jitted(lambda *traced: function(jax_xp, *traced))(*arrays)
        return jax.tree.map(np.asarray, result)


def agree(function: Callable[..., Any], *arrays: Any, ulps: int = 0) -> np.ndarray:
    """The result on NumPy, once it is known to be the compiled one too."""
    host, compiled = (evaluate(run, function, *arrays) for run in ("numpy", "xla"))
    assert host.dtype == compiled.dtype
    if ulps:
        np.testing.assert_array_max_ulp(host, compiled, ulps)
    else:
        np.testing.assert_array_equal(host, compiled)
    return host


# -- the generator ---------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_known_answers(run: str, counter: list[int], key: list[int], expected: list[int]) -> None:
    stream = np.array([*key, *counter], np.uint32)

    def first_block(xp: Any, stream: Any) -> Any:
        return philox.fill(xp, stream, 4, philox.WORDS)

    assert evaluate(run, first_block, stream).tolist() == expected


@BOTH
@pytest.mark.parametrize("start", [5, 2**32 - 2, 2**64 - 2, 2**96 - 2, 2**128 - 2])
@pytest.mark.parametrize("stride", [1, 256, 2**32 - 1])
def test_counters_carry(run: str, start: int, stride: int) -> None:
    index = np.array([0, 1, 2, 3, 2**32 - 1], np.uint32)

    def walk(xp: Any, stream: Any, index: Any) -> Any:
        return philox.counters(xp, stream, index, stride)

    even, odd = evaluate(run, walk, random_state.stream(1, start), index)
    found = [
        int(e0) | int(o0) << 32 | int(e1) << 64 | int(o1) << 96
        for e0, e1, o0, o1 in zip(*even, *odd)
    ]
    assert found == [(start + int(i) * stride) % 2**128 for i in index]


@pytest.mark.parametrize("size", [1, 4, 15, 16])
def test_few_normal_numbers_are_those_of_many(size: int) -> None:
    for key in range(500):
        stream = random_state.stream(key, 3 << 64 | 5)
        many = random_fill.normal(numpy_xp, stream, 200, np.float32)
        few = random_fill.normal(numpy_xp, stream, size, np.float32)
        np.testing.assert_array_equal(few, many[:size])


def test_long_fills_are_the_short_ones_joined() -> None:
    size = 4 * 16384 * 5 + 3
    whole = random_fill.uniform_full_int(numpy_xp, STREAM, size, np.uint32)
    shifted = random_state.stream(0x1234567890ABCDEF, (7 << 64) + 5 + 4096)
    tail = random_fill.uniform_full_int(numpy_xp, shifted, size - 4 * 4096, np.uint32)
    np.testing.assert_array_equal(whole[4 * 4096 :], tail)


@pytest.mark.parametrize("start", [5, 2**32 - 20, 2**64 - 2, 2**64 - 1, 2**128 - 2])
@pytest.mark.parametrize(("size", "stride"), [(4, 1), (20, 1), (20, 256), (200, 1), (200, 256)])
def test_fills_carry(start: int, size: int, stride: int) -> None:
    stream = random_state.stream(7, start)
    words = agree(lambda xp, s: philox.fill(xp, s, size, philox.WORDS, stride), stream)
    for i in range(size // 4):
        again = random_state.stream(7, start + i * stride)
        one = philox.fill(numpy_xp, again, 4, philox.WORDS)
        np.testing.assert_array_equal(words[4 * i : 4 * i + 4], one)


@BOTH
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_seeds_are_scrambled_as_in_tensorflow(run: str, dtype: Any) -> None:
    stream = evaluate(run, philox.seeded_stream, np.array([3, -4], dtype))
    key, counter = philox.key_counter_from_stream(numpy_xp, stream)
    assert key.tolist() == [8496633186236937083]
    assert counter.tolist() == [0, 10170721048406114738]


def test_streams_from_key_and_counter_round_trip() -> None:
    key, counter = np.array([2**63 + 5], np.uint64), np.array([2**40, 2**64 - 1], np.uint64)
    stream = agree(philox.stream_from_key_counter, key, counter)
    np.testing.assert_array_equal(stream, random_state.stream(2**63 + 5, 2**40 | (2**64 - 1) << 64))
    again = philox.key_counter_from_stream(numpy_xp, stream)
    np.testing.assert_array_equal(again[0], key)
    np.testing.assert_array_equal(again[1], counter)


# -- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 7, 20001])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_uniform(size: int, dtype: Any) -> None:
    numbers = agree(lambda xp, s: random_fill.uniform(xp, s, size, dtype), STREAM)
    assert numbers.dtype == dtype
    assert numbers.shape == (size,)
    wide = numbers.astype(np.float64)
    assert ((wide >= 0) & (wide < 1)).all()
    if size > 1000:
        assert abs(wide.mean() - 0.5) < 0.01
        assert abs(wide.var() - 1 / 12) < 0.005


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_integers(dtype: Any) -> None:
    limits = np.iinfo(dtype)
    full = agree(lambda xp, s: random_fill.uniform_full_int(xp, s, 1001, dtype), STREAM)
    assert full.dtype == dtype
    bounds = [(3, 4), (0, 10), (limits.min, limits.max)]
    for low, high in bounds:
        drawn = agree(
            lambda xp, s, a, b: random_fill.uniform_int(xp, s, 1001, a, b),
            STREAM,
            np.array(low, dtype),
            np.array(high, dtype),
        )
        assert drawn.dtype == dtype
        assert ((drawn >= low) & (drawn < high)).all()


@pytest.mark.parametrize("size", [0, 1, 7, 20001])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("bounded", [False, True])
def test_normal(size: int, dtype: Any, bounded: bool) -> None:
    make = random_fill.truncated_normal if bounded else random_fill.normal
    ulps = 4 if dtype is np.float64 else 0
    numbers = agree(lambda xp, s: make(xp, s, size, dtype), STREAM, ulps=ulps)
    assert numbers.dtype == dtype
    assert numbers.shape == (size,)
    wide = numbers.astype(np.float64)
    if bounded:
        assert (abs(wide) <= 2).all()
    if size > 1000:
        assert abs(wide.mean()) < 0.03
        assert abs(wide.std() - (0.8796 if bounded else 1)) < 0.02


def test_float32_normals_do_without_64_bit_types() -> None:
    with jax.enable_x64(False):
        numbers = jax.jit(lambda s: random_fill.normal(jax_xp, s, 1000, np.float32))(STREAM)
    expected = random_fill.normal(numpy_xp, STREAM, 1000, np.float32)
    np.testing.assert_allclose(numbers, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("classes", [1, 3, 5000])
def test_categorical(classes: int) -> None:
    weights = np.linspace(1, 2, 2 * classes).reshape(2, classes).astype(np.float32)
    drawn = agree(lambda xp, s, w: random_fill.categorical(xp, s, xp.log(w), 400), STREAM, weights)
    assert drawn.shape == (2, 400)
    assert ((drawn >= 0) & (drawn < classes)).all()


def test_categorical_passes_over_classes_that_are_not_finite() -> None:
    logits = np.array([[-np.inf, 0, np.nan, 0, np.inf], [0, -np.inf, -np.inf, -1e30, 1]])
    drawn = agree(lambda xp, s, x: random_fill.categorical(xp, s, x, 200), STREAM, logits)
    assert set(drawn[0].tolist()) == {1, 3}
    assert set(drawn[1].tolist()) == {0, 4}


# -- rejection -------------------------------------------------------------------------------


def test_gamma() -> None:
    alpha = np.array([0.05, 0.5, 1.0, 1.5, 30.0, 1e5])
    # Small parameters take a high power, which multiplies differences in the last place.
    numbers = agree(lambda xp, s, a: random_reject.gamma(xp, s, a, 3000), STREAM, alpha, ulps=512)
    assert numbers.shape == (6, 3000)
    np.testing.assert_allclose(numbers.mean(axis=1), alpha, rtol=0.15)
    np.testing.assert_allclose(numbers.std(axis=1), np.sqrt(alpha), rtol=0.2)


def test_poisson() -> None:
    rate = np.array([0.0, 0.3, 9.9, 10.0, 200.0])
    counts = agree(
        lambda xp, s, r: random_reject.poisson(xp, s, r, 3000, dtypes.int32), STREAM, rate
    )
    np.testing.assert_allclose(counts.mean(axis=1), rate, atol=0.05, rtol=0.05)
    np.testing.assert_allclose(counts.var(axis=1), rate, atol=0.05, rtol=0.1)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(dtypes.int32, [0, np.nan, 0, 2**31 - 1]), (dtypes.float16, [0, np.nan, np.inf, 65504])],
)
def test_poisson_of_senseless_rates_ends(dtype: Any, expected: Any) -> None:
    rate = np.array([-1.0, np.nan, np.inf, 1e12])
    counts = agree(lambda xp, s, r: random_reject.poisson(xp, s, r, 2, dtype), STREAM, rate)
    np.testing.assert_array_equal(counts[:, 0], expected)


def test_binomial() -> None:
    count = np.array([0.0, 5, 20, 100, 1000, 50, 3, 10])
    prob = np.array([0.5, 0.3, 0.9, 0.5, 0.001, 0, 1, np.nan])
    wins = agree(lambda xp, s, n, p: random_reject.binomial(xp, s, n, p, 3000), STREAM, count, prob)
    np.testing.assert_allclose(wins.mean(axis=1), count * prob, atol=0.05, rtol=0.02)
    variance = count * prob * (1 - prob)
    np.testing.assert_allclose(wins.var(axis=1), variance, atol=0.05, rtol=0.1)


@pytest.mark.parametrize(
    ("mean", "deviation", "low", "high"),
    [(0, 1, -2, 2), (1, 2, 1.5, 2), (0, 1, 4, 9), (0, 1, -9, -4), (5, 1, -np.inf, 6), (0, 1, 2, 9)],
)
def test_bounded_normal(mean: float, deviation: float, low: float, high: float) -> None:
    parameters = [np.array([x], np.float32) for x in (mean, deviation, low, high)]
    numbers = agree(
        lambda xp, s, *p: random_reject.bounded_normal(xp, s, p, 2000), STREAM, *parameters, ulps=2
    )
    assert ((numbers >= low) & (numbers <= high)).all()
    grid = np.linspace(max(low, mean - 9 * deviation), min(high, mean + 9 * deviation), 10001)
    weight = np.exp(-(((grid - mean) / deviation) ** 2) / 2)
    np.testing.assert_allclose(numbers.mean(), np.average(grid, weights=weight), atol=0.06)


# -- permutations ----------------------------------------------------------------------------


@pytest.mark.parametrize("elements", [0, 1, 2, 3, 4, 17, 1000])
def test_permutation(elements: int) -> None:
    order = agree(lambda xp, s: random_permute.permutation(xp, s, elements), STREAM)
    assert sorted(order.tolist()) == list(range(elements))
    assert order.dtype == np.int32


@pytest.mark.parametrize(("max_index", "rounds"), [(0, 4), (1, 4), (9, 6), (300, 8), (70000, 4)])
def test_index_shuffle_is_a_permutation(max_index: int, rounds: int) -> None:
    count = min(max_index + 1, 70001)
    moved = evaluate(
        "numpy",
        lambda xp, i, k, m: random_permute.index_shuffle(xp, i, k, m, rounds),
        np.arange(count, dtype=np.uint64),
        np.array([[1, 2, 3]], np.uint64),
        np.array([max_index], np.uint64),
    )
    assert sorted(moved.tolist()) == list(range(count))


def test_index_shuffle_compiled() -> None:
    index = np.array([0, 5, 700, 70000], np.uint64)
    keys = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]], np.uint64)
    limits = np.array([20000, 9000, 70000, 2**40], np.uint64)
    agree(lambda xp, *a: random_permute.index_shuffle(xp, *a, 4), index, keys, limits)


@pytest.mark.parametrize("blocks", [1, 2, 4, 16, 17, 100])
@pytest.mark.parametrize("counter", [5 << 96 | 7, (1 << 32) - 3, (1 << 128) - 2])
def test_words_of_few_blocks_are_those_of_one_block_each(blocks: int, counter: int) -> None:
    key, stride = 0xFEDCBA9876543210, 3
    stream = random_state.stream(key, counter)
    halves = key & 0xFFFFFFFF, key >> 32
    positions = [(counter + stride * i) % (1 << 128) for i in range(blocks)]
    expected = [list(philox_host.encrypt(halves, position)) for position in positions]
    words = philox_host.few_blocks(stream, blocks, stride)
    assert words.tolist() == expected and words.flags.writeable
    if blocks <= philox_host.VERY_FEW:
        assert philox_host.few_words(stream, blocks, stride) == words.reshape(-1).tolist()


def test_normal_numbers_of_words_are_computed_alike() -> None:
    words = np.random.default_rng(1).integers(0, 2**32, 4000, dtype=np.uint32)
    words[:4] = 0, 0, 0x7FFFFF, 0x7FFFFF
    pairs = random_fill.box_muller32(np, words[0::2], words[1::2])
    few = np.array(random_fill._normals32_of_few(words.tolist()), np.float32)
    np.testing.assert_array_equal(few, np.stack(pairs, -1).reshape(-1))
