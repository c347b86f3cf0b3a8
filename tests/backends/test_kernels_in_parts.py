"""NumPy kernels that work in parts, or differently for many elements, compute what bodies do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import special

import tapeflow as tf
from tapeflow._src.backends import blocks, numpy_groups
from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.registry import OPS, every
from tapeflow._src.ops.math import reduction

every()
NUMBERS = np.random.default_rng(0)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few elements are several parts."""
    monkeypatch.setattr(blocks, "BLOCK", 2)
    monkeypatch.setattr(blocks, "_ROW", 2)
    monkeypatch.setattr(numpy_groups, "_SEARCHED", 2)
    monkeypatch.setattr(numpy_groups, "_COUNTED", 4)
    monkeypatch.setattr(reduction, "_WORTH_PICKING", 2)
    monkeypatch.setattr(reduction, "_WORTH_DIVIDING", 2)


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (2, 3, 3), (1, 5), (5, 1), (0, 3)])
def test_bands_are_those_of_the_body(shape: tuple[int, ...]) -> None:
    op, x = OPS["MatrixBandPart"], NUMBERS.standard_normal(shape)
    sides = [range(-1, size + 1) for size in shape[-2:]]
    for lower, upper in itertools.product(*sides):
        limits = np.array(lower, np.int32), np.array(upper, np.int32)
        np.testing.assert_array_equal(op.run(xp, x, *limits), op.body(xp, x, *limits))


@pytest.mark.usefixtures("small_parts")
def test_filled_arrays_are_filled_everywhere() -> None:
    assert (tf.fill([3, 5], 1.5).numpy() == 1.5).all()
    assert not tf.zeros_like(np.ones((3, 5))).numpy().any()
    assert tf.ones_like(np.zeros((3, 5), bool)).numpy().all()


@pytest.mark.usefixtures("small_parts")
def test_numbers_are_counted_in_parts() -> None:
    for limits in ((17,), (3, 40), (-8, 100, 3), (-(2**31), 2**31 - 1, 2**28)):
        numbers = tf.range(*limits)
        assert numbers.dtype is tf.int32
        np.testing.assert_array_equal(numbers, np.arange(*limits))
    wide = tf.range(tf.constant(-(2**63)), tf.constant(2**63 - 1), tf.constant(2**59))
    assert wide.numpy().tolist() == list(range(-(2**63), 2**63 - 1, 2**59))


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("shift", "axis"), [(1, 0), (-2, 1), ([1, 2], [0, -1]), (0, 0)])
def test_large_arrays_are_rolled_in_parts(shift: Any, axis: Any) -> None:
    x = NUMBERS.standard_normal((4, 5))
    np.testing.assert_array_equal(tf.roll(x, shift, axis), np.roll(x, shift, axis))


@pytest.mark.usefixtures("small_parts")
def test_hot_positions_are_marked_in_filled_arrays() -> None:
    expected = [[2.0, 5.0, 2.0], [2.0, 2.0, 2.0], [5.0, 2.0, 2.0]]
    np.testing.assert_array_equal(tf.one_hot([1, -1, 0], 3, 5.0, 2.0), expected)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_large_arrays_are_joined_in_parts(axis: int) -> None:
    arrays = [NUMBERS.standard_normal((3, 3, 2)) for _ in range(3)]
    np.testing.assert_array_equal(tf.concat(arrays, axis), np.concatenate(arrays, axis))
    np.testing.assert_array_equal(tf.stack(arrays, axis), np.stack(arrays, axis))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.concat([np.ones((4, 4)), np.ones((1, 1))], axis % 2)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_are_searched_in_parts(side: Any) -> None:
    rows, values = np.sort(NUMBERS.integers(0, 9, (2, 7))), NUMBERS.integers(-1, 11, (2, 9))
    expected = [np.searchsorted(*pair, side) for pair in zip(rows, values)]
    np.testing.assert_array_equal(tf.searchsorted(rows, values, side), expected)


@pytest.mark.usefixtures("small_parts")
def test_bins_are_counted_in_parts() -> None:
    numbers = NUMBERS.integers(0, 3, 50)
    np.testing.assert_array_equal(tf.math.bincount(numbers), np.bincount(numbers))
    np.testing.assert_array_equal(tf.math.bincount(numbers, maxlength=2), np.bincount(numbers)[:2])
    values = np.array([-1.0, 0.1, 0.6, 7.0, np.inf, -np.inf, 0.5, 0.4])
    np.testing.assert_array_equal(tf.histogram_fixed_width(values, [0.0, 1.0], nbins=2), [4, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        tf.histogram_fixed_width([0.0, 1.0, np.nan, 0.5], [0.0, 1.0], nbins=2)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", ["ArgMax", "ArgMin"])
def test_indices_of_columns_are_the_first_and_ignore_nan(name: str) -> None:
    x = NUMBERS.integers(0, 3, (6, 5)).astype(np.float32)
    x[2, 1], x[:, 3] = np.nan, np.nan
    op, axis, output = OPS[name], np.array(0, np.int32), tf.int64
    for array in (x, np.nan_to_num(x)):
        expected = op.body(xp, array, axis, output_type=output)
        np.testing.assert_array_equal(op.run(xp, array, axis, output_type=output), expected)


@pytest.mark.parametrize("count", [3, 40, 400])
@pytest.mark.parametrize("kind", ["sum", "max", "prod"])
@pytest.mark.parametrize("repeated", [False, True])
def test_segments_of_any_sizes_are_reduced(count: int, kind: str, repeated: bool) -> None:
    rows = NUMBERS.integers(1, 4, (count, 5)).astype(np.float64)
    ids = NUMBERS.integers(0, count, count) if repeated else NUMBERS.permutation(count)
    ufunc = {"sum": np.add, "max": np.maximum, "prod": np.multiply}[kind]
    result = getattr(tf.math, f"unsorted_segment_{kind}")(rows, ids, count).numpy()
    for number in set(ids.tolist()):
        np.testing.assert_array_equal(result[number], ufunc.reduce(rows[ids == number]))


def test_few_elements_are_grouped_like_many() -> None:
    few = np.array([0.0, np.nan, -0.0, 2.0, np.nan, 2.0])
    many = np.concatenate([few, np.arange(100.0, 200.0)])
    for values in (few, many):
        unique, index = tf.unique(values)
        np.testing.assert_array_equal(unique[:4], [0.0, np.nan, 2.0, np.nan])
        assert index[:6].numpy().tolist() == [0, 1, 0, 2, 3, 2]


def test_error_functions_of_many_elements_are_exact_to_a_few_units() -> None:
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-38, 1e30]
    x = np.concatenate([np.linspace(-6, 6, 20_001), np.geomspace(1e-8, 1, 100), ends]).astype("f")
    expected = special.erf(x.astype(np.float64))
    np.testing.assert_allclose(tf.math.erf(x), expected, rtol=6e-7)
    compiled = tf.function(tf.math.erf, jit_compile=True)
    double = x.astype(np.float64)
    np.testing.assert_allclose(compiled(double), expected, rtol=1e-15)


def test_compiled_exponentials_minus_one_are_exact_to_a_few_units() -> None:
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 88.7, 89.0, -200.0, 1e-30, -1e-30]
    x = np.concatenate([np.linspace(-20, 80, 20_001), ends]).astype("f")
    with np.errstate(over="ignore"):
        expected = np.expm1(x.astype(np.float64)).astype("f")
    compiled = tf.function(tf.math.expm1, jit_compile=True)(x).numpy()
    np.testing.assert_allclose(compiled, expected, rtol=4e-7)
    np.testing.assert_array_equal(np.signbit(compiled[:-10]), np.signbit(expected[:-10]))


@pytest.mark.parametrize("widths", [[(1, 2), (0, 3)], [(0, 0), (2, 0)]])
def test_large_arrays_are_padded_as_by_numpy(widths: list[tuple[int, int]]) -> None:
    array = np.arange(2 * blocks.BLOCK, dtype=np.float32).reshape(512, -1)
    expected = np.pad(array, widths, constant_values=7.0)
    np.testing.assert_array_equal(blocks.padded(array, widths, 7.0), expected)
    padded = tf.pad(array, widths, constant_values=7.0)
    np.testing.assert_array_equal(padded, expected)


@pytest.mark.parametrize("length", [1024, 1033, 4500])
def test_products_of_long_rows_are_those_of_numpy(length: int) -> None:
    factors = np.random.default_rng(0).uniform(0.99, 1.01, (3, length))
    for axis in (-1, 1, None, 0):
        expected = np.prod(factors, axis)
        np.testing.assert_allclose(tf.reduce_prod(factors, axis), expected, rtol=1e-10)
