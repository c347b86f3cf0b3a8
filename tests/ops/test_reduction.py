"""Edge values of reductions and scans, as TensorFlow gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

NAN, INF = math.nan, math.inf


def gradient(function: Any, x: Any, seed: Any = None) -> Any:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=seed).numpy()


# -- axes ------------------------------------------------------------------------------------

MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (None, 15.0),
        (0, [3, 5, 7]),
        (-1, [3, 12]),
        ([0, 1], 15.0),
        ((1, -2), 15.0),
        ([], MATRIX),
        ([[0, 1]], 15.0),
        (range(2), 15.0),
        (np.int64(1), [3, 12]),
        (np.array([0]), [3, 5, 7]),
    ],
)
def test_ways_to_name_axes(axis: Any, expected: Any) -> None:
    np.testing.assert_array_equal(tf.reduce_sum(MATRIX, axis), expected)


def test_axis_as_a_tensor() -> None:
    for dtype in (tf.int32, tf.int64):
        np.testing.assert_array_equal(tf.reduce_max(MATRIX, tf.constant(1, dtype)), [2, 5])
    np.testing.assert_array_equal(tf.raw_ops.Sum(input=tf.constant(MATRIX), axis=1), [3, 12])


@pytest.mark.parametrize("keepdims", [True, 1, "yes", np.True_])
def test_keepdims_is_what_is_true(keepdims: Any) -> None:
    assert tf.reduce_mean(MATRIX, 1, keepdims).shape == (2, 1)
    assert tf.reduce_mean(MATRIX, None, keepdims).shape == (1, 1)


@pytest.mark.parametrize("keepdims", [False, None, 0])
def test_keepdims_is_not_what_is_false(keepdims: Any) -> None:
    assert tf.reduce_logsumexp(MATRIX, 1, keepdims).shape == (2,)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        (2, r"Invalid reduction dimension 2"),
        (-3, r"Invalid reduction dimension -3"),
        ([0, 0], "Invalid reduction: axis 0"),
        ([1, -1], "Invalid reduction: axis 1"),
        (tf.constant(1, tf.int8), "int8"),
        ("x", "string"),
    ],
)
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_wrong_axes(name: str, axis: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        getattr(tf, f"reduce_{name}")(MATRIX, axis)


def test_a_scalar_has_no_axis() -> None:
    assert tf.reduce_max(3.0).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        tf.reduce_sum(3.0, 0)


# -- dtypes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dtype", "values", "expected"),
    [
        ("sum", "int8", [100, 100], -56),
        ("prod", "int8", [100, 100], 16),
        ("mean", "int8", [100, 100, 100], 100),
        ("mean", "uint8", [200, 200, 200], 200),
        ("mean", "int32", [1, 2, 4], 2),
        ("mean", "int32", [-1, -2, -4], -2),
        ("mean", "int64", [2**62] * 3, -1537228672809129301),
        ("mean", "int32", [], 0),
        ("max", "uint16", [3, 2], 3),
    ],
)
def test_integers_keep_their_dtype(name: str, dtype: str, values: Any, expected: int) -> None:
    result = getattr(tf, f"reduce_{name}")(tf.constant(values, dtype))
    assert result.dtype == dtype
    assert result.numpy() == expected


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_booleans_and_strings_are_refused(name: str) -> None:
    for value in ([True], ["a"]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values"):
            getattr(tf, f"reduce_{name}")(tf.constant(value))


def test_only_booleans_for_all_and_any() -> None:
    assert tf.reduce_all([True, True]).numpy()
    assert not tf.reduce_any([[False], [False]], 0).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        tf.reduce_all(tf.constant([1, 0]))
    with pytest.raises(TypeError):
        tf.reduce_any([1, 0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("axis", [0, None])
def test_narrow_floats_are_added_up_in_wide_ones(dtype: str, axis: Any) -> None:
    ones = tf.constant(np.ones((5000, 2)), dtype)
    total = tf.reduce_sum(ones, axis).numpy().astype(np.float64)
    np.testing.assert_allclose(total, 5000 if axis == 0 else 10000, rtol=1e-2)
    assert (tf.reduce_mean(ones, axis).numpy() == 1).all()
    last = tf.cumsum(ones)[-1].numpy().astype(np.float64)
    np.testing.assert_allclose(last, 5000, rtol=1e-2)


# -- empty, infinite, NaN --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("sum", "float32", 0.0),
        ("prod", "int32", 1),
        ("mean", "float32", NAN),
        ("max", "float32", -INF),
        ("max", "bfloat16", -INF),
        ("max", "int32", -(2**31)),
        ("max", "uint8", 0),
        ("min", "float16", INF),
        ("min", "uint8", 255),
        ("min", "int64", 2**63 - 1),
        ("logsumexp", "float32", -INF),
    ],
)
def test_reducing_nothing(name: str, dtype: str, expected: Any) -> None:
    result = getattr(tf, f"reduce_{name}")(tf.constant([], dtype))
    assert result.dtype == dtype
    np.testing.assert_equal(float(result.numpy()), float(expected))


def test_all_and_any_of_nothing() -> None:
    assert tf.reduce_all(tf.constant([], tf.bool)).numpy()
    assert not tf.reduce_any(tf.constant([], tf.bool)).numpy()


def test_extremes_pass_nan_on() -> None:
    rows = [[1.0, NAN, 3.0], [NAN, 1, 2], [1, 2, NAN]]
    assert np.isnan(tf.reduce_max(rows, 1).numpy()).all()
    assert np.isnan(tf.reduce_min(rows, 0).numpy()).all()


def test_logsumexp_of_infinities() -> None:
    assert tf.reduce_logsumexp([1000.0, 1000.0]).numpy() == pytest.approx(1000.6931)
    assert tf.reduce_logsumexp([-INF, -INF]).numpy() == -INF
    assert tf.reduce_logsumexp([INF, 1.0]).numpy() == INF


# -- places ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([1, 3, 3], 1, 0),
        ([1.0, NAN, 3.0, NAN], 2, 0),
        ([NAN, 1.0, 3.0], 2, 1),
        ([NAN, NAN], 0, 0),
        ([NAN, -INF], 0, 1),
        ([False, True, True], 1, 0),
    ],
)
def test_places_of_extremes(values: Any, largest: int, smallest: int) -> None:
    assert tf.argmax(values).numpy() == largest
    assert tf.argmin(values).numpy() == smallest
    # Long ones take another way to find out about NaN.
    many = np.repeat(np.array(values)[:, None], 3000, axis=1)
    assert (tf.argmax(many, 0).numpy() == largest).all()
    assert (tf.argmin(many, 0).numpy() == smallest).all()


def test_places_have_the_dtype_asked_for() -> None:
    assert tf.argmax([1, 2]).dtype == tf.int64
    assert tf.argmax([1, 2], output_type=tf.uint16).dtype == tf.uint16
    assert tf.argmin([1, 2], output_type="int32").dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_type"):
        tf.argmin([1, 2], output_type=tf.int16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_type"):
        tf.argmax([1, 2], output_type=tf.float32)


def test_places_along_an_axis() -> None:
    x = [[3.0, 4.0], [5.0, 1.0]]
    np.testing.assert_array_equal(tf.argmax(x), [1, 0])
    np.testing.assert_array_equal(tf.argmax(x, axis=-1), [1, 0])
    assert tf.argmax(tf.constant(np.zeros((0, 3))), axis=1).shape == (0,)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"range \[-2, 2\), but got 2"):
        tf.argmax(x, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis 0 is empty in shape \[0,3\]"):
        tf.argmax(tf.constant(np.zeros((0, 3))), axis=0)


# -- composites ------------------------------------------------------------------------------


def test_variance_and_deviation() -> None:
    assert tf.math.reduce_variance([1j, 2.0]).numpy() == 1.25
    assert tf.math.reduce_variance([1j, 2.0]).dtype == tf.float64
    np.testing.assert_allclose(tf.math.reduce_std([[1.0, 3.0], [2.0, 2.0]], 1), [1, 0])
    for function in (tf.math.reduce_variance, tf.math.reduce_std):
        with pytest.raises(TypeError, match="received int32: use"):
            function([1, 2])


def test_euclidean_norm() -> None:
    assert tf.math.reduce_euclidean_norm([3, 5]).numpy() == 5
    assert tf.math.reduce_euclidean_norm(tf.constant([100, 100], tf.int8)).numpy() == 5
    assert tf.math.reduce_euclidean_norm([3 + 4j, 0j]).numpy() == 5
    assert tf.math.reduce_euclidean_norm(tf.constant([300, 400], tf.float16)).numpy() == 500


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 0, 2], 2), (["", "a", " "], 2), ([True, False], 1), ([NAN, 0.0], 1), ([1j, 0], 1)],
)
def test_count_nonzero(values: Any, expected: int) -> None:
    result = tf.math.count_nonzero(values)
    assert result.dtype == tf.int64
    assert result.numpy() == expected


def test_count_nonzero_by_rows() -> None:
    result = tf.math.count_nonzero([[1, 0], [2, 3]], axis=1, keepdims=True, dtype=tf.float32)
    assert result.dtype == tf.float32
    np.testing.assert_array_equal(result, [[1], [2]])


# -- scans -----------------------------------------------------------------------------------


def test_scans_without_the_element_itself() -> None:
    options = {"exclusive": True, "reverse": True}
    np.testing.assert_array_equal(tf.cumsum([1, 2, 3], **options), [5, 3, 0])
    np.testing.assert_array_equal(tf.math.cumprod([1, 2, 3], **options), [6, 3, 1])
    logs = tf.math.cumulative_logsumexp([1.0, 2, 3], exclusive=True)
    np.testing.assert_allclose(logs, [-INF, 1, 2.3132617], rtol=1e-6)


def test_scans_of_edge_values() -> None:
    np.testing.assert_array_equal(tf.cumsum(tf.constant([100, 100], tf.int8)), [100, -56])
    logs = tf.math.cumulative_logsumexp([-INF, 2, INF, NAN, 1])
    np.testing.assert_array_equal(logs, [-INF, 2, INF, NAN, NAN])
    np.testing.assert_allclose(
        tf.math.cumulative_logsumexp([1000.0, 2, 1000]), [1000, 1000, 1000.6931], rtol=1e-6
    )


@pytest.mark.parametrize(
    ("x", "axis", "message"),
    [
        ([1, 2], 1, r"Expected scan axis in the range \[-1, 1\), but got 1"),
        (1, 0, r"in the range \[0, 0\)"),
        ([1, 2], [0], r"axis must be a scalar, not \[1\]"),
    ],
)
def test_wrong_scan_axes(x: Any, axis: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.cumsum(x, axis)


# -- gradients -------------------------------------------------------------------------------

TIED = np.array([[1, 2, 2], [3, 3, 3], [0, 5, 0]], np.float32)


def test_equal_extremes_share_the_gradient() -> None:
    third = 1 / 3
    np.testing.assert_allclose(
        gradient(lambda x: tf.reduce_max(x, 1), TIED),
        [[0, 0.5, 0.5], [third] * 3, [0, 1, 0]],
    )
    np.testing.assert_allclose(
        gradient(lambda x: tf.reduce_min(x), TIED), [[0, 0, 0], [0, 0, 0], [0.5, 0, 0.5]]
    )


def test_gradient_of_products_with_zeros() -> None:
    np.testing.assert_array_equal(
        gradient(lambda x: tf.reduce_prod(x, 1), TIED), [[4, 2, 2], [9, 9, 9], [0, 0, 0]]
    )
    one_zero = np.array([[2, 0, 3], [4, 5, 1]], np.float32)
    np.testing.assert_array_equal(gradient(tf.reduce_prod, one_zero), [[0, 120, 0], [0, 0, 0]])


def test_gradient_of_running_products_with_zeros() -> None:
    # The sum of x0, x0*x1 and x0*x1*x2. TensorFlow itself gives 0 in place of 1 + x1 here.
    expected = [6, 0, 0]
    np.testing.assert_array_equal(gradient(tf.math.cumprod, [0.0, 5.0, 0.0]), expected)


def test_gradient_of_complex_products() -> None:
    z = np.array([3 + 4j, 1j], np.complex64)
    seed = tf.constant(1 + 2j, tf.complex64)
    np.testing.assert_allclose(gradient(tf.reduce_prod, z, seed), [2 - 1j, 11 + 2j])


def test_gradient_of_the_norm_of_nothing_but_zeros_is_nan() -> None:
    norms = gradient(lambda x: tf.math.reduce_euclidean_norm(x, 1), [[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(norms, [[NAN, NAN], [0.6, 0.8]])


def test_gradient_of_an_empty_mean() -> None:
    assert gradient(lambda x: tf.reduce_mean(x, 1), np.zeros((3, 0), np.float32)).shape == (3, 0)
