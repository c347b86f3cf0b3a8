"""From Python and NumPy values to tensors: dtypes, shapes and refusals, as TensorFlow has them."""

from __future__ import annotations

import collections
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf

MIXED = "mixed types"
RAGGED = "non-rectangular"

DTYPE_OF = [
    (1, tf.int32),
    (2**31 - 1, tf.int32),
    (-(2**31), tf.int32),
    (2**31, tf.int64),
    (-(2**31) - 1, tf.int64),
    ([2**31, 1], tf.int64),
    (1.5, tf.float32),
    (True, tf.bool),
    (1 + 2j, tf.complex128),
    ("a", tf.string),
    (b"a", tf.string),
    (["a", b"b"], tf.string),
    ([1, 2.5], tf.float32),
    ([1.0, True], tf.float32),
    ([1, True], tf.int32),
    ([], tf.float32),
    ([[], []], tf.float32),
    (range(3), tf.int32),
    (collections.deque([1, 2]), tf.int32),
    (np.float64(1.5), tf.float64),
    ([np.float64(1.5)], tf.float64),
    ([np.float64(1.5), 2], tf.float64),
    ([1.0, np.float64(1)], tf.float32),
    ([np.float32(1), 1.0], tf.float32),
    ([np.float16(1)], tf.float16),
    ([np.int64(1)], tf.int32),
    ([np.uint8(1)], tf.int32),
    ([np.bool_(True)], tf.bool),
    ([np.complex64(1)], tf.complex128),
    ([np.array([1.5])], tf.float64),
    ([np.array([1, 2]), np.array([3, 4])], tf.int32),
    (np.array([1, 2]), tf.int64),
    (np.array([1], ">i4"), tf.int32),
    (np.array([1], ml_dtypes.bfloat16), tf.bfloat16),
    (np.array(["a", "bc"]), tf.string),
    (np.array(["a", b"b"], dtype=object), tf.string),
    (tf.TensorShape([2, 3]), tf.int32),
    (np.zeros((2, 0)), tf.float64),
]


@pytest.mark.parametrize(("value", "dtype"), DTYPE_OF, ids=lambda v: repr(v)[:40])
def test_dtype(value: Any, dtype: tf.DType) -> None:
    tensor = tf.constant(value)
    assert tensor.dtype is dtype
    if not isinstance(value, (collections.deque, tf.TensorShape)):
        assert tensor.shape == np.shape(value)


@pytest.mark.parametrize(("value", "dtype"), [(2**64 - 1, tf.uint64), (2**100, tf.float32)])
def test_integers_beyond_64_bits_where_they_fit(value: int, dtype: tf.DType) -> None:
    assert tf.constant(value, dtype).numpy() == value


REFUSED = [
    (2**63, None, ValueError, "out-of-range"),
    (2**63, tf.int64, ValueError, "out-of-range"),
    (2**64, tf.uint64, ValueError, "out-of-range"),
    ([2**63, -1], tf.uint64, ValueError, "out-of-range"),
    ([True, 1], None, ValueError, MIXED),
    ([True, 1.0], None, ValueError, MIXED),
    ([1, "a"], None, ValueError, MIXED),
    (["a", 1], None, ValueError, MIXED),
    ([[1, 2], [3]], None, ValueError, RAGGED),
    ([[1], 2], None, ValueError, RAGGED),
    ([["a"], ["b", "c"]], None, ValueError, RAGGED),
    (None, None, ValueError, "Cannot convert"),
    ([None], None, ValueError, "Cannot convert"),
    ({"a": 1}, None, ValueError, "Cannot convert"),
    ({1}, None, ValueError, "Cannot convert"),
    (tf.float32, None, ValueError, "Cannot convert"),
    (tf.Variable, None, ValueError, "Cannot convert"),
    (tf.IndexedSlices, None, ValueError, "Cannot convert"),
    (np.datetime64("2020-01-01"), None, ValueError, "Unsupported numpy type"),
    (np.array([1, 2], dtype=object), None, ValueError, "Unsupported object type int"),
    (np.longdouble(1), None, ValueError, "Unsupported numpy type"),
    (1e300, None, ValueError, "out of range"),
    (1.5, tf.int32, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    ([1.5], tf.int32, TypeError, "Cannot convert"),
    (1.0, tf.bool, TypeError, "Cannot convert"),
    (1, tf.bool, TypeError, "Cannot convert"),
    ([0, 1], tf.bool, TypeError, "Cannot convert"),
    (1j, tf.float32, TypeError, "Cannot convert"),
    (1, tf.string, TypeError, "Cannot convert"),
    ("1", tf.int32, TypeError, "Cannot convert"),
    (tf.TensorShape([2, None]), None, ValueError, "unknown sizes"),
]


@pytest.mark.parametrize(("value", "dtype", "error", "text"), REFUSED, ids=lambda v: repr(v)[:40])
def test_refused(value: Any, dtype: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tf.constant(value, dtype)


CAST = [
    (1, tf.float32, 1.0),
    (True, tf.float32, 1.0),
    (300, tf.int8, 44),
    (300, tf.uint8, 44),
    (-1, tf.uint8, 255),
    (1, tf.complex64, 1 + 0j),
    (1.5, tf.complex64, 1.5 + 0j),
    (1e300, tf.float16, np.inf),
    (np.array(1.7), tf.int32, 1),
    (np.array(300), tf.uint8, 44),
    (np.array(1), tf.bool, True),
    (np.array("1"), tf.int32, 1),
    ([], tf.int32, []),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), CAST, ids=lambda v: repr(v)[:40])
def test_cast_on_the_way(value: Any, dtype: tf.DType, expected: Any) -> None:
    tensor = tf.constant(value, dtype)
    assert tensor.dtype is dtype
    np.testing.assert_array_equal(tensor.numpy(), np.array(expected, dtype.as_numpy_dtype))


def test_a_hint_is_only_a_preference() -> None:
    assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32
    assert tf.convert_to_tensor(np.array([1.5]), dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(tf.constant(1.0), dtype_hint=tf.float64).dtype is tf.float32


def test_a_hint_that_failed_does_not_stand_for_a_demand() -> None:
    assert tf.convert_to_tensor(2.5, dtype_hint=tf.int32).dtype is tf.float32
    with pytest.raises(TypeError):
        tf.convert_to_tensor(2.5, dtype=tf.int32)


def test_zeros_keep_their_sign() -> None:
    assert not np.signbit(tf.constant(0.0).numpy())
    assert np.signbit(tf.constant(-0.0).numpy())
    assert np.signbit((tf.constant(1.0) * -0.0).numpy())


def test_tensors_are_not_cast() -> None:
    with pytest.raises(ValueError, match="received one of dtype float32"):
        tf.convert_to_tensor(tf.constant([1.0]), dtype=tf.float64)
    with pytest.raises(TypeError, match="received a tensor of dtype"):
        tf.constant(tf.constant([1.0]), dtype=tf.float64)


def test_sequences_of_tensors_are_stacked_and_differentiable() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor([x * x, 3.0, x])
    np.testing.assert_array_equal(y.numpy(), [4.0, 3.0, 2.0])
    assert tape.gradient(y, x).numpy() == 5.0
    assert tf.convert_to_tensor([tf.constant([1.0, 2.0]), [1, 2]]).dtype is tf.float32
    v = tf.Variable([1.0, 2.0])
    assert tf.convert_to_tensor([v, v]).shape == (2, 2)


def test_stacking_does_not_promote() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pack"):
        tf.convert_to_tensor([tf.constant([1, 2]), tf.constant([1.0, 2.0])])


def test_arrays_are_copied() -> None:
    source = np.array([1.0, 2.0], np.float32)
    tensor = tf.constant(source)
    source[0] = 9.0
    np.testing.assert_array_equal(tensor.numpy(), [1.0, 2.0])


def test_text_becomes_bytes() -> None:
    assert tf.constant("é").numpy() == "é".encode()
    np.testing.assert_array_equal(tf.constant([["a"], [b"\xff"]]).numpy(), [[b"a"], [b"\xff"]])


def test_constant_with_shape() -> None:
    np.testing.assert_array_equal(tf.constant(1, shape=[2, 2]).numpy(), [[1, 1], [1, 1]])
    np.testing.assert_array_equal(tf.constant([1, 2, 3, 4], shape=[2, 2]).numpy(), [[1, 2], [3, 4]])
    with pytest.raises(TypeError, match="elements cannot take shape"):
        tf.constant([1, 2], shape=[2, 2])


def test_foreign_arrays() -> None:
    class Foreign:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.arange(3, dtype=np.float32)

    np.testing.assert_array_equal(tf.constant(Foreign()).numpy(), [0.0, 1.0, 2.0])


def test_the_tensor_protocol() -> None:
    class Wrapped:
        def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
            return tf.constant([1.0, 2.0])

    np.testing.assert_array_equal((tf.constant([1.0, 1.0]) + Wrapped()).numpy(), [2.0, 3.0])
    with pytest.raises(ValueError, match="requested dtype int32"):
        tf.constant(Wrapped(), tf.int32)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<i8", ">i8", "c8", "bool", "u2"])
@pytest.mark.parametrize("size", [3, 10_000])
def test_arrays_of_one_dtype_share_its_object(dtype: str, size: int) -> None:
    tensor = tf.constant(np.ones(size, dtype))
    assert tensor._array.dtype is tensor.dtype.np


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("wanted", [tf.int32, tf.int64, tf.float64, tf.bool])
def test_tensors_in_a_sequence_are_cast_to_the_dtype_asked_for(wanted: Any, traced: bool) -> None:
    def packed(x: Any, y: Any) -> Any:
        return tf.convert_to_tensor([[x, y], [y, x]], wanted)

    given = tf.constant(2.5), tf.constant(0, tf.int64)
    result = (tf.function(packed) if traced else packed)(*given)
    assert result.dtype == wanted
    expected = np.array([[2.5, 0], [0, 2.5]]).astype(wanted.as_numpy_dtype)
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("traced", [False, True])
def test_a_sequence_beside_a_tensor_takes_its_dtype(traced: bool) -> None:
    def both(x: Any) -> Any:
        return tf.concat((tf.constant([0, 1]), [x]), 0), tf.constant([0.5, 0.5]) + [x, x]

    joined, added = (tf.function(both) if traced else both)(tf.constant(2, tf.int64))
    assert (joined.dtype, added.dtype) == (tf.int32, tf.float32)
    assert joined.numpy().tolist() == [0, 1, 2] and added.numpy().tolist() == [2.5, 2.5]
    with pytest.raises(TypeError, match=r"1\.5"):
        tf.convert_to_tensor([tf.constant(1), 1.5])


# -- Python values and NumPy arrays in one list --------------------------------------------------

MIXED = {
    "floats": ([10.0, np.array(30.0)], np.float32([10, 30])),
    "ints": ([10, np.array(30)], np.int32([10, 30])),
    "large ints": ([1, np.array(2**40)], np.int64([1, 2**40])),
    "an int array after a float": ([10.0, np.array(30)], np.float32([10, 30])),
    "a float array after an int": ([10, np.array(30.0)], np.float32([10, 30])),
    "bools": ([True, np.array(False)], np.array([True, False])),
    "rows": ([[1.0, 2.0], np.array([3, 4])], np.float32([[1, 2], [3, 4]])),
    "an int array first": ([np.array([3, 4]), [1.0, 2.0]], np.float32([[3, 4], [1, 2]])),
    "a double array first": ([np.array([3.0]), [1.0]], np.float64([[3], [1]])),
    "a float array first": ([np.float32([3.0]), [1.0]], np.float32([[3], [1]])),
    "int and float arrays": ([np.array([1]), np.array([2.0])], np.float32([[1], [2]])),
    "float and double arrays": ([np.float32([1]), np.float64([2])], np.float32([[1], [2]])),
    "text": (["a", np.array("b"), np.array(b"c")], np.array([b"a", b"b", b"c"], object)),
    "empty arrays": ([np.array([]), []], np.float32([[], []])),
    "deep": ([[np.array([1.0, 2.0]), [3, 4]]], np.float64([[[1, 2], [3, 4]]])),
}


@pytest.mark.parametrize("case", MIXED)
@pytest.mark.parametrize("traced", [False, True])
def test_arrays_count_as_if_they_were_written_out(case: str, traced: bool) -> None:
    value, expected = MIXED[case]
    program = tf.function(lambda: tf.constant(value)) if traced else lambda: tf.constant(value)
    result = program().numpy()
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0, np.array("a")], "mixed types"),
        ([[1.0, 2.0], np.array([3.0])], "non-rectangular"),
        ([np.array([1 + 1j]), [1.0, 2.0]], "non-rectangular"),
    ],
)
def test_arrays_that_do_not_fit_in(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.constant(value)


def test_real_numbers_among_complex_ones() -> None:
    value = [[1.0, 1], [1j, 2j]]
    result = tf.constant(value, tf.complex128)
    np.testing.assert_array_equal(result, np.array(value))
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant(value)


# -- sizes of shapes -----------------------------------------------------------------------------


@pytest.mark.parametrize("traced", [False, True])
def test_sizes_of_shapes_are_ints(traced: bool) -> None:
    size = tf.TensorShape([3, None]).dims[0]

    def program() -> Any:
        return (
            tf.constant(size),
            tf.constant([4, size]),
            tf.constant([[size], [1]], tf.int64),
            tf.constant(size, tf.float32),
            tf.zeros([size, 2]),
            tf.constant(1) + size,
            size * tf.constant([1, 2]),
        )

    expected = (
        np.int32(3),
        np.int32([4, 3]),
        np.int64([[3], [1]]),
        np.float32(3),
        np.zeros((3, 2), np.float32),
        np.int32(4),
        np.int32([3, 6]),
    )
    results = (tf.function(program, autograph=False) if traced else program)()
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
        assert result.dtype == wanted.dtype


@pytest.mark.parametrize("value", [lambda size: size, lambda size: [1, size]])
def test_a_size_that_is_not_known_is_no_value(value: Any) -> None:
    size = tf.compat.v1.Dimension(None)
    with pytest.raises(ValueError, match="Cannot convert None"):
        tf.constant(value(size))
