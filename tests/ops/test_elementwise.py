"""Element-wise ops at their edges: infinities, NaN, signed zeros, overflow, casts out of range.

The expected values are TensorFlow's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import raw_ops
from tapeflow._src.core.errors import InvalidArgumentError, UnimplementedError

INF, NAN = np.inf, np.nan


def same(actual: Any, expected: Any) -> None:
    """Equal, NaN to NaN, and with the same signs of zeros."""
    actual, expected = np.asarray(actual), np.asarray(expected, np.asarray(actual).dtype)
    np.testing.assert_array_equal(actual, expected)
    if actual.dtype.kind == "f":
        zeros = actual == 0
        np.testing.assert_array_equal(np.signbit(actual[zeros]), np.signbit(expected[zeros]))


def gradient(function: Any, *inputs: Any) -> Any:
    tensors = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    found = tape.gradient(result, tensors)
    return found[0] if len(found) == 1 else found


# -- division --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("FloorDiv", [2, -3, -3, 2]),
        ("TruncateDiv", [2, -2, -2, 2]),
        ("Div", [2, -2, -2, 2]),
        ("FloorMod", [1, 2, -2, -1]),
        ("TruncateMod", [1, -1, 1, -1]),
        ("Mod", [1, -1, 1, -1]),
    ],
)
def test_integers_divide_by_their_rule(op: str, expected: list[int]) -> None:
    same(getattr(raw_ops, op)(x=[7, -7, 7, -7], y=[3, 3, -3, -3]), expected)


@pytest.mark.parametrize("op", ["FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Mod", "Div"])
def test_integers_refuse_zero(op: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"Integer division by zero.*{op}"):
        getattr(raw_ops, op)(x=[1, 2], y=[1, 0])


def test_the_smallest_integer_over_minus_one_stays() -> None:
    smallest = tf.constant([-128], tf.int8)
    for op in ("FloorDiv", "TruncateDiv", "Div"):
        same(getattr(raw_ops, op)(x=smallest, y=tf.constant([-1], tf.int8)), [-128])


def test_floats_divide_by_zero() -> None:
    same(tf.constant([1.0, -1.0, 0.0]) / 0.0, [INF, -INF, NAN])
    same(tf.constant([1.0, -1.0]) // 0.0, [INF, -INF])
    same(tf.constant([1.0]) % 0.0, [NAN])
    same(tf.constant([-1.0, 1.0]) % tf.constant([INF, -INF]), [INF, -INF])


def test_zero_wins() -> None:
    same(raw_ops.DivNoNan(x=[1.0, NAN, INF, 0.0], y=[0.0] * 4), [0.0] * 4)
    same(raw_ops.MulNoNan(x=[NAN, INF, 1.0], y=[0.0, 0.0, 2.0]), [0.0, 0.0, 2.0])
    same(raw_ops.MulNoNan(x=[0.0], y=[NAN]), [NAN])
    same(raw_ops.Xdivy(x=[0.0, 1.0, 0.0], y=[0.0, 0.0, NAN]), [0.0, INF, 0.0])
    same(raw_ops.Xlogy(x=[0.0, 1.0, 0.0], y=[0.0, 0.0, -1.0]), [0.0, -INF, 0.0])
    same(raw_ops.Xlog1py(x=[0.0, 1.0], y=[-1.0, -1.0]), [0.0, -INF])


def test_gradients_where_zero_wins() -> None:
    same(gradient(tf.math.divide_no_nan, [3.0, 3.0], [2.0, 0.0])[0], [0.5, 0.0])
    same(gradient(tf.math.divide_no_nan, [3.0, 3.0], [2.0, 0.0])[1], [-0.75, -0.0])
    same(gradient(tf.math.xlogy, [0.0], [0.0])[0], [0.0])
    same(gradient(tf.math.xlogy, [0.0], [0.0])[1], [0.0])


# -- gradients that no one asks about --------------------------------------------------------


@pytest.mark.parametrize("function", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
def test_a_gradient_of_zero_stays_zero_at_an_infinite_slope(function: Any) -> None:
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) * tf.constant([0.0, 1.0])
    assert tape.gradient(y, x)[0] == 0.0


def test_the_slope_of_a_root_at_zero_is_infinite() -> None:
    same(gradient(tf.sqrt, [0.0]), [INF])


def test_extremes_pass_ties_to_the_first() -> None:
    for function in (tf.maximum, tf.minimum):
        first, second = gradient(function, [1.0, 2.0], [1.0, 2.0])
        same(first, [1.0, 1.0])
        same(second, [0.0, 0.0])


def test_clipping_at_the_bounds_passes_the_gradient() -> None:
    def clip(t: Any) -> Any:
        return raw_ops.ClipByValue(t=t, clip_value_min=0.0, clip_value_max=1.0)

    same(gradient(clip, [-1.0, 0.0, 0.5, 1.0, 2.0]), [0.0, 1.0, 1.0, 1.0, 0.0])


def test_constants_have_no_gradient() -> None:
    for function in (tf.floor, tf.math.ceil, tf.round, tf.math.rint):
        assert gradient(function, [1.5]) is None
    same(gradient(tf.sign, [1.5]), [0.0])
    assert gradient(tf.math.floordiv, [1.5], [1.0]) == [None, None]


def test_slope_of_acosh_left_of_zero() -> None:
    z, step = np.array([-1.5 + 0.5j, -0.3 - 0.7j]), 1e-6
    slope = (np.arccosh(z + step) - np.arccosh(z - step)) / (2 * step)
    np.testing.assert_allclose(gradient(tf.acosh, z), np.conj(slope), rtol=1e-6)


# -- rounding, signs, powers -----------------------------------------------------------------


def test_halves_round_to_the_even_number() -> None:
    same(tf.round([0.5, 1.5, 2.5, -0.5, -1.5]), [0.0, 2.0, 2.0, -0.0, -2.0])
    same(tf.math.rint(tf.constant([0.5, 1.5, -2.5], tf.float64)), [0.0, 2.0, -2.0])
    same(tf.round([1, -2]), [1, -2])


def test_signs_of_nan_and_zero() -> None:
    same(tf.sign([0.0, NAN, -INF]), [0.0, NAN, -1.0])
    same(tf.abs([-0.0, -INF, NAN]), [0.0, INF, NAN])
    np.testing.assert_allclose(tf.sign([3 + 4j, 0j]), [0.6 + 0.8j, 0])
    same(tf.abs(tf.constant([-128], tf.int8)), [-128])


def test_integers_overflow_silently() -> None:
    same(tf.constant([2**31 - 1]) + 1, [-(2**31)])
    same(tf.constant([200], tf.uint8) * tf.constant([2], tf.uint8), [144])
    same(tf.pow(tf.constant(10, tf.int8), tf.constant(3, tf.int8)), -24)


def test_integers_have_no_negative_powers() -> None:
    with pytest.raises(InvalidArgumentError, match="negative integer powers"):
        tf.pow([2, 3], [1, -1])


def test_extremes_of_nan_are_nan() -> None:
    same(tf.maximum([NAN, 1.0], [1.0, NAN]), [NAN, NAN])
    same(tf.minimum([NAN, 1.0], [1.0, NAN]), [NAN, NAN])


def test_complex_numbers_with_infinite_parts() -> None:
    z = tf.complex([INF, 1.0], [0.0, NAN])
    same(tf.math.real(z), [INF, 1.0])
    same(tf.math.imag(z), [0.0, NAN])


def test_sigmoid_does_not_underflow_before_its_dtype_does() -> None:
    np.testing.assert_allclose(tf.sigmoid([-80.0, 80.0]), [1.8048513e-35, 1.0], rtol=1e-5)
    assert tf.sigmoid(tf.constant([-12.0], tf.float16)).numpy()[0] == np.float16(6.14e-6)


# -- casts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("uint8", [0, 255, 44, 0, 0]),
        ("int8", [0, -1, 44, 0, 0]),
        ("int16", [0, -1, 300, 0, 0]),
        ("int32", [0, -1, 300, -(2**31), -(2**31)]),
        ("int64", [0, -1, 300, -(2**63), -(2**63)]),
        ("uint32", [0, 2**32 - 1, 300, 0, 0]),
        ("uint64", [0, 2**64 - 1, 300, 2**63, 2**63]),
    ],
)
def test_floats_out_of_range(source: str, target: str, expected: list[int]) -> None:
    x = tf.cast(tf.constant([-0.9, -1.9, 300.0, INF, NAN]), source)
    same(tf.cast(x, target), np.array(expected, object).astype(target))


def test_large_floats_wrap_in_32_bits_without_a_sign() -> None:
    same(tf.cast([1e10, -1e10, 3e9], tf.uint32), [1410065408, 2884901888, 3000000000])
    same(tf.cast(tf.constant([1.8e19, 1.9e19], tf.float64), tf.uint64), [18 * 10**18, 2**63])


def test_casts_between_kinds() -> None:
    same(tf.cast([0.0, -0.0, NAN, 0.1], tf.bool), [False, False, True, True])
    same(tf.cast([1 + 2j, 0 + 2j], tf.bool), [True, False])
    same(tf.cast([1.9 + 2j], tf.int32), [1])
    same(tf.cast([True, False], tf.complex64), [1, 0])
    same(tf.cast([300, -1], tf.uint8), [44, 255])
    same(tf.cast([100, -1], tf.dtypes.experimental.int4), [4, -1])


def test_casts_through_quantised_types() -> None:
    quantised = tf.cast([1.0, 300.0, -5.0], tf.qint8)
    assert quantised.dtype is tf.qint8
    same(tf.cast(quantised, tf.float32), [1.0, 44.0, -5.0])
    same(tf.equal(quantised, quantised), [True, True, True])


def test_truncating_casts() -> None:
    x = tf.constant([1 / 3, -1.999, 65519.0, 1e30])
    half = raw_ops.Cast(x=x, DstT=tf.float16, Truncate=True)
    same(half, np.array([0.3333, -1.998, 65500, INF], np.float16))
    brain = raw_ops.Cast(x=x, DstT=tf.bfloat16, Truncate=True)
    same(tf.cast(brain, tf.float32), [0.33203125, -1.9921875, 65280, 9.953038e29])


@pytest.mark.parametrize(("value", "dtype"), [("1", tf.int32), (1, tf.string), (1.0, tf.variant)])
def test_strings_and_handles_are_not_cast(value: Any, dtype: Any) -> None:
    with pytest.raises(UnimplementedError, match=r"Cast .* is not supported.*\[Op:Cast\]"):
        tf.cast(value, dtype)


def test_gradients_pass_through_casts_between_floats_only() -> None:
    same(gradient(lambda x: tf.cast(x, tf.float64), [1.5]), np.float32([1.0]))
    assert gradient(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), [1.5]) is None


# -- special functions -----------------------------------------------------------------------


def test_gamma_functions_at_their_poles() -> None:
    same(tf.math.lgamma([0.0, -1.0, INF]), [INF, INF, INF])
    same(tf.math.digamma([0.0, -1.0, INF]), [NAN, NAN, INF])
    same(tf.math.polygamma([1.0, 2.0, 0.5, -1.0], [0.0, 0.0, 1.0, 1.0]), [INF, NAN, NAN, NAN])
    same(tf.math.zeta([2.0, 3.0, 1.0, 0.5], [0.0, -1.0, 2.0, 2.0]), [INF, NAN, INF, NAN])


def test_incomplete_functions_outside_of_their_domain() -> None:
    same(tf.math.igamma([0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, INF, -1.0]), [0, NAN, 0, 1, NAN])
    same(tf.math.igammac([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, INF]), [NAN, NAN, 1, 0])
    same(tf.math.betainc([1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.5, 0.5, 1.0]), [NAN, NAN, 1.0])


def test_inverse_functions_outside_of_their_domain() -> None:
    same(tf.math.erfinv([1.0, -1.0, 1.5]), [INF, -INF, NAN])
    same(tf.math.ndtri([0.0, 1.0, 0.5, 2.0]), [-INF, INF, 0.0, NAN])
    same(tf.acos([2.0]), [NAN])


def test_bessel_functions_at_zero_and_below() -> None:
    special = tf.math.special
    same(special.bessel_y0([0.0, -1.0]), [-INF, -INF])
    same(special.bessel_k1([0.0, -1.0]), [INF, INF])
    same(gradient(special.bessel_j1, [0.0]), [0.5])
    same(gradient(special.bessel_i1, [0.0]), [0.5])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["lgamma", "erf", "bessel_i0", "ndtri", "digamma"])
def test_special_functions_of_narrow_floats(name: str, dtype: str) -> None:
    function = getattr(tf.math, name)
    narrow = function(tf.cast([0.25, 0.75], dtype))
    assert narrow.dtype.name == dtype
    np.testing.assert_allclose(
        tf.cast(narrow, tf.float32), function([0.25, 0.75]), rtol=1e-2, atol=1e-3
    )


# -- shapes and dtypes that are refused ------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: raw_ops.AddV2(x="a", y="b"), "does not support dtype string"),
        (lambda: tf.add(True, False), "does not support dtype bool"),
        (lambda: tf.sin(1), "does not support dtype int32"),
        (lambda: tf.less(1j, 2j), "does not support dtype"),
        (lambda: tf.bitwise.invert(1.0), "does not support dtype float32"),
        (lambda: tf.add(tf.zeros([2]), tf.zeros([3])), r"Incompatible shapes: \[2\] vs. \[3\]"),
        (lambda: tf.equal([1, 2], [1, 2, 3]), r"Incompatible shapes: \[2\] vs. \[3\]"),
        (lambda: tf.add(tf.constant(1.0), tf.constant(1)), "float32, y is int32, expected"),
        (lambda: tf.where([True, False], [1.0, 2.0, 3.0], 1.0), "must be broadcastable"),
        (lambda: raw_ops.TanhGrad(y=[1.0, 2.0], dy=[1.0]), "must have one shape"),
        (lambda: raw_ops.ApproximateEqual(x=[1.0, 2.0], y=[1.0]), "same shape"),
        (lambda: raw_ops.AddN(inputs=[[1.0], [1.0, 2.0]]), "one shape"),
        (
            lambda: raw_ops.ClipByValue(t=[1, 2], clip_value_min=[1, 2, 3], clip_value_max=1),
            "must be a scalar or have the shape",
        ),
        (lambda: raw_ops.Select(condition=[True], x=[[1], [2]], y=[[1], [2]]), "rows"),
    ],
)
def test_refusals_name_what_was_received(call: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call()


def test_a_vector_of_conditions_selects_rows() -> None:
    same(raw_ops.Select(condition=[True, False], x=[[1], [2]], y=[[3], [4]]), [[1], [4]])


def test_shifts_stay_within_the_width() -> None:
    x, y = tf.constant([1, 1, 1, -1], tf.int8), tf.constant([7, 8, -1, 100], tf.int8)
    same(tf.bitwise.left_shift(x, y), [-128, -128, 1, -128])
    same(tf.bitwise.right_shift(tf.constant([-128, -128, 64, -128], tf.int8), y), [-1, -1, 64, -1])


def test_strings_are_joined_by_the_older_op() -> None:
    assert (tf.constant(["a"]) + "b").numpy().tolist() == [b"ab"]
    assert ("a" + tf.constant("b")).numpy() == b"ab"
    assert tf.add("a", ["b", "c"]).numpy().tolist() == [b"ab", b"ac"]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, -1.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float16])
def test_short_cuts_for_powers_change_nothing(exponent: float, dtype: type) -> None:
    x = np.array([0.5, 2.0, 3.0], dtype)
    result = tf.pow(x, tf.constant(exponent, dtype))
    assert result.dtype.np == dtype
    np.testing.assert_allclose(result, x ** np.full(3, exponent, dtype), rtol=1e-3)
