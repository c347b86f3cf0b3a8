"""`tf.math`, `tf.bitwise`, `tf.dtypes`: what the public functions add to the ops.

The expected values, classes and messages are TensorFlow's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.errors import InvalidArgumentError

INF, NAN = np.inf, np.nan
LARGEST = float(np.finfo(np.float32).max)


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


# -- dtypes of the arguments -----------------------------------------------------------------


def test_python_values_take_the_dtype_of_the_tensor() -> None:
    half = tf.constant([1.0], tf.float16)
    assert tf.maximum(half, 2).dtype is tf.float16
    assert tf.maximum(2.5, half).dtype is tf.float16
    assert tf.multiply(np.array([2.5]), tf.constant(2.0)).dtype is tf.float32
    assert tf.add(1, 2).dtype is tf.int32


@pytest.mark.parametrize(
    "name",
    ["multiply", "subtract", "maximum", "less", "pow", "squared_difference", "equal", "floormod"],
)
def test_functions_refuse_python_values_of_another_kind(name: str) -> None:
    function = getattr(tf.math, name)
    for arguments in ((tf.constant(2), 2.5), (2.5, tf.constant(2)), (1, 2.0)):
        with pytest.raises(
            TypeError, match=r"Cannot convert 2\.[05] to EagerTensor of dtype int32"
        ):
            function(*arguments)


def test_operators_report_a_clash_of_two_tensors() -> None:
    with pytest.raises(InvalidArgumentError, match="cannot compute AddV2: x"):
        tf.constant(2) + 2.5
    with pytest.raises(TypeError, match=r"Cannot convert 2\.5"):
        2.5 + tf.constant(2)
    with pytest.raises(InvalidArgumentError, match="cannot compute MatMul"):
        tf.constant([[2]]) @ [[2.5]]


# Recorded from TensorFlow 2.21: `+` and `@` alone report two tensors.
@pytest.mark.parametrize(
    "name", ["sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "and", "or"]
)
@pytest.mark.parametrize("other", [2.5, "a"])
def test_operators_refuse_values_of_another_kind(name: str, other: Any) -> None:
    with pytest.raises(TypeError, match=r"Cannot convert|the same dtype"):
        getattr(tf.constant(2), f"__{name}__")(other)


@pytest.mark.parametrize(
    ("dtype", "result"),
    [("int8", "float32"), ("uint16", "float32"), ("int32", "float64"), ("uint64", "float64")],
)
def test_integers_divide_to_floats(dtype: str, result: str) -> None:
    quotient = tf.constant([3], dtype) / tf.constant([2], dtype)
    assert quotient.dtype.name == result
    close(quotient, [1.5])
    assert tf.divide(3, 2).dtype is tf.float64


def test_tensors_of_two_dtypes_are_not_divided() -> None:
    with pytest.raises(TypeError, match=r"the same dtype, received int32"):
        tf.divide(tf.constant(3), tf.constant(2.0))
    with pytest.raises(TypeError, match="the same dtype"):
        tf.math.multiply_no_nan(tf.constant(1.0), tf.constant(1))


# -- complex numbers -------------------------------------------------------------------------


def test_parts_of_real_tensors() -> None:
    assert tf.math.real(2).numpy() == 2
    assert tf.math.imag(2.0).numpy() == 0.0
    close(tf.math.angle([-1.0, 2.0, 0.0]), [np.pi, 0, 0])
    assert tf.math.conj(3).numpy() == 3
    with pytest.raises(TypeError, match="expects numbers, received dtype"):
        tf.math.conj("a")


def test_parts_of_complex_tensors() -> None:
    z = tf.constant([3 + 4j, -1j], tf.complex128)
    for function, expected in (
        (tf.math.real, [3, 0]),
        (tf.math.imag, [4, -1]),
        (tf.math.angle, [0.92729522, -np.pi / 2]),
        (tf.abs, [5, 1]),
    ):
        part = function(z)
        assert part.dtype is tf.float64
        close(part, expected)


def test_complex_wants_parts_of_one_float_dtype() -> None:
    assert tf.complex(1.0, 2.0).dtype is tf.complex64
    for parts in ((1, 2), (tf.constant(1.0, tf.float64), tf.constant(1.0)), ("a", "b")):
        with pytest.raises(TypeError, match="float32 or float64"):
            tf.complex(*parts)


# -- of several tensors ----------------------------------------------------------------------


def test_add_n() -> None:
    a = tf.constant([1.0, 2.0])
    close(tf.add_n([a, a, a]), [3, 6])
    assert tf.add_n([a]).numpy().tolist() == [1, 2]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]), tf.constant([2]))
    close(tf.add_n([a, slices]), [1, 3])
    with pytest.raises(ValueError, match="needs one tensor or more"):
        tf.add_n([])
    with pytest.raises(InvalidArgumentError, match="AddN"):
        tf.add_n([a, tf.constant([1.0])])
    with pytest.raises(InvalidArgumentError, match=r"float32.*int32"):
        tf.add_n([a, tf.constant([1, 2])])


def test_accumulate_n_checks_what_is_stated() -> None:
    a = tf.constant([1.0, 2.0])
    close(tf.math.accumulate_n([a, a], shape=[2], tensor_dtype=tf.float32), [2, 4])
    with pytest.raises(ValueError, match="shape"):
        tf.math.accumulate_n([a], shape=[3])
    with pytest.raises(TypeError, match="int32"):
        tf.math.accumulate_n([a], tensor_dtype=tf.int32)
    with pytest.raises(ValueError, match="needs a list of one"):
        tf.math.accumulate_n([])


def test_scalar_mul() -> None:
    close(tf.math.scalar_mul(2, tf.constant([1.5])), [3.0])
    slices = tf.IndexedSlices(tf.constant([1.5]), tf.constant([0]))
    close(tf.math.scalar_mul(2, slices).values, [3.0])
    with pytest.raises(ValueError, match="must be a single number"):
        tf.math.scalar_mul([1.0, 2.0], tf.constant([1.0]))


def test_polyval() -> None:
    assert tf.math.polyval([1.0, 2.0, 3.0], 2.0).numpy() == 11.0
    close(tf.math.polyval([2.0, tf.constant(1.0)], [0.0, 1.0]), [1, 3])
    assert tf.math.polyval([], 2.0).numpy() == 0.0
    with pytest.raises(ValueError, match="must be a list, received"):
        tf.math.polyval((1.0, 2.0), 2.0)


@pytest.mark.parametrize(
    ("values", "weakly", "strictly"),
    [([1, 1, 2], True, False), ([[1, 2], [3, 4]], True, True), ([2, 1], False, False)],
    ids=["with a tie", "in rows", "falling"],
)
def test_ordering(values: Any, weakly: bool, strictly: bool) -> None:
    for dtype in (tf.int32, tf.uint8, tf.float32):
        x = tf.constant(values, dtype)
        assert bool(tf.math.is_non_decreasing(x)) is weakly
        assert bool(tf.math.is_strictly_increasing(x)) is strictly


def test_only_numbers_are_in_order() -> None:
    for x in ([True, False], ["a", "b"]):
        for call in (tf.math.is_non_decreasing, tf.math.is_strictly_increasing):
            with pytest.raises(TypeError, match="Expected numeric"):
                call(x)


def test_nothing_and_one_are_in_order() -> None:
    assert tf.math.is_strictly_increasing([])
    assert tf.math.is_strictly_increasing(3)


# -- composites ------------------------------------------------------------------------------


def test_composites_of_probability() -> None:
    close(tf.math.erfcinv([0.2, 1.0, 2.0]), [0.9061938, 0.0, -INF])
    close(tf.math.lbeta([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), [-4.0943446, -0.6931472])
    close(tf.math.lbeta(tf.zeros([2, 0])), [-INF, -INF])
    close(tf.math.log_sigmoid([-100.0, 0.0, 100.0]), [-100.0, -0.6931472, 0.0])


def test_composites_without_nan() -> None:
    close(tf.math.reciprocal_no_nan([2.0, 0.0]), [0.5, 0.0])
    close(tf.math.divide_no_nan([1, 2], [0, 2]), [0.0, 1.0])
    assert tf.math.divide_no_nan([1, 2], [0, 2]).dtype is tf.float64


def test_logic() -> None:
    left, right = tf.constant([True, True, False]), tf.constant([True, False, False])
    assert tf.math.logical_xor(left, right).numpy().tolist() == [False, True, False]

    def products(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
        return [x * y, x * True, False * x]

    for run in (products, tf.function(products), tf.function(products, jit_compile=True)):
        found = [each.numpy().tolist() for each in run(left, right)]
        assert found == [right.numpy().tolist(), left.numpy().tolist(), [False] * 3]
    with pytest.raises(InvalidArgumentError, match="bool"):
        tf.multiply(left, right)
    for call in (lambda: tf.logical_and(1, 2), lambda: tf.logical_not([1])):
        with pytest.raises(TypeError, match="dtype bool"):
            call()
    with pytest.raises(InvalidArgumentError, match="LogicalAnd"):
        tf.logical_and(tf.constant([1]), True)


def test_sobol_sample() -> None:
    first = [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]
    assert tf.math.sobol_sample(3, 4).numpy().tolist() == first
    rest = tf.math.sobol_sample(3, 2, skip=2, dtype=tf.float64)
    assert rest.dtype is tf.float64
    assert rest.numpy().tolist() == first[2:]
    for arguments in ((0, 3, 0), (2, 0, 0), (2, 1, -1), ([2], 1, 0)):
        with pytest.raises(InvalidArgumentError, match="SobolSample"):
            tf.math.sobol_sample(*arguments)
    with pytest.raises(InvalidArgumentError, match="float32 or float64"):
        tf.math.sobol_sample(2, 1, dtype=tf.float16)


# -- casts -----------------------------------------------------------------------------------


def test_cast_accepts_what_names_a_dtype() -> None:
    assert tf.cast(1, float).dtype is tf.float32
    assert tf.cast([1], "half").dtype is tf.float16
    assert tf.cast(np.float64(1.5), np.int8).numpy() == 1
    assert tf.cast(tf.Variable(1), tf.float32).numpy() == 1.0
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x
    slices = tf.IndexedSlices(tf.constant([1]), tf.constant([0]))
    assert tf.cast(slices, tf.float32).values.dtype is tf.float32
    with pytest.raises(TypeError, match="'foo'"):
        tf.cast(3, "foo")


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("uint8", [255, 0, 255, 0, 255, 0]),
        ("int8", [127, -5, 127, 0, 127, -128]),
        ("int32", [300, -5, 2147483520, -(2**31), 2147483520, -(2**31)]),
        ("uint32", [300, 0, 4294967040, 0, 4294967040, 0]),
        ("int64", [300, -5, 2**63 - 2**39, -(2**63), 2**63 - 2**39, -(2**63)]),
        ("float16", [300, -5, 65504, NAN, 65504, -65504]),
        ("float32", [300, -5, np.float32(1e20), NAN, LARGEST, -LARGEST]),
        ("float64", [300, -5, np.float32(1e20), NAN, LARGEST, -LARGEST]),
    ],
)
def test_saturate_cast(dtype: str, expected: list[float]) -> None:
    result = tf.saturate_cast([300.0, -5.0, 1e20, NAN, INF, -INF], dtype)
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result, np.array(expected, object).astype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
def test_saturate_cast_of_small_floats_to_large_integers(dtype: str) -> None:
    # The least and the largest of these integers are no numbers of 16 bits.
    assert tf.saturate_cast(tf.constant([7.0, INF], tf.float16), dtype).numpy()[0] == 7
    assert tf.saturate_cast(tf.constant([7.0], tf.bfloat16), dtype).numpy() == 7
    assert tf.saturate_cast(tf.constant([7], dtype), tf.float16).numpy() == 7


def test_saturate_cast_of_integers_and_complex_numbers() -> None:
    assert tf.saturate_cast([300, -3], tf.uint8).numpy().tolist() == [255, 0]
    assert tf.saturate_cast(tf.constant([2**63], tf.uint64), tf.int64).numpy() == [2**63 - 1]
    assert tf.saturate_cast([300 + 1j], tf.uint8).numpy().tolist() == [255]
    assert tf.saturate_cast([1e300 + 1e300j], tf.complex64).numpy() == [LARGEST * (1 + 1j)]
    assert tf.saturate_cast([300.0, INF], tf.complex64).numpy().tolist() == [300, LARGEST]
    infinite = tf.constant([complex(INF, -INF)], tf.complex64)
    assert tf.saturate_cast(infinite, tf.complex128).numpy().tolist() == [complex(INF, -INF)]
    with pytest.raises(TypeError, match="minimum"):
        tf.saturate_cast([True], tf.int8)


def test_the_namespace_of_dtypes() -> None:
    assert tf.dtypes.cast is tf.cast
    assert tf.dtypes.float32 is tf.float32
    assert tf.dtypes.experimental.float8_e5m2.name == "float8_e5m2"
    assert tf.qint8 in tf.dtypes.QUANTIZED_DTYPES


# -- clipping --------------------------------------------------------------------------------


def test_clip_by_value() -> None:
    close(tf.clip_by_value([1.0, 5.0, -3.0, NAN], 0, 2), [1, 2, 0, NAN])
    close(tf.clip_by_value([1.0, 5.0], 3.0, 2.0), [3, 3])
    close(tf.clip_by_value(tf.constant([[1, 5], [6, 7]]), [2, 3], 4), [[2, 4], [4, 4]])
    slices = tf.IndexedSlices(tf.constant([1.0, 5.0]), tf.constant([0, 1]))
    close(tf.clip_by_value(slices, 2.0, 3.0).values, [2, 3])
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_value(tf.constant(1), [2, 3], 4)
    with pytest.raises(TypeError, match=r"Cannot convert 0\.5"):
        tf.clip_by_value(tf.constant([1, 5]), 0.5, 2)


def test_clip_by_norm() -> None:
    close(tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8])
    close(tf.clip_by_norm([[3.0, 4.0], [0.0, 0.0]], 1.0, axes=[1]), [[0.6, 0.8], [0, 0]])
    close(tf.clip_by_norm([3.0, 4.0], 10.0), [3.0, 4.0])
    close(tf.clip_by_norm([3.0, 4.0], -1.0), [0.0, 0.0])
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_norm([3.0, 4.0], [[2.0], [0.5]])


def test_clip_by_norm_has_a_gradient_at_zero() -> None:
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, 1.0)
    close(tape.gradient(y, x), [1.0, 1.0])


def test_clip_by_global_norm() -> None:
    slices = tf.IndexedSlices(tf.constant([4.0]), tf.constant([0]))
    (dense, nothing, sparse), norm = tf.clip_by_global_norm([tf.constant([3.0]), None, slices], 1.0)
    assert norm.numpy() == 5.0
    close(dense, [0.6])
    assert nothing is None
    close(sparse.values, [0.8])
    (kept,), _ = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 10.0)
    close(kept, [3.0, 4.0])
    (scaled,), _ = tf.clip_by_global_norm([tf.constant([3.0])], 1.0, use_norm=tf.constant(6.0))
    close(scaled, [0.5])


def test_an_infinite_norm_is_seen() -> None:
    (clipped,), norm = tf.clip_by_global_norm([tf.constant([INF, 4.0])], 1.0)
    assert norm.numpy() == INF
    assert np.isnan(clipped).all()
    with pytest.raises(TypeError, match="sequence of tensors"):
        tf.clip_by_global_norm(tf.constant([3.0]), 1.0)


def test_the_share_of_what_is_false_or_empty() -> None:
    assert float(tf.math.zero_fraction([True, False])) == 0.5
    assert float(tf.math.zero_fraction(["", "a", "b", "c"])) == 0.25
