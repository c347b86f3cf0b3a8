"""The array functions of `tf`: what they say when refused, dtypes, and tensors of unknown shape.

Values and exception classes are held to TensorFlow's in `tests/parity`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.hidden import Formless, Hidden, hidden

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.constant([1, 2, 3], shape=[2]), TypeError, "3 elements cannot take shape (2,)"),
        (lambda: tf.constant(1, shape=[None]), ValueError, "known in full"),
        (lambda: tf.constant(tf.constant(1.0), tf.int32), TypeError, "dtype float32"),
        (lambda: tf.fill([2, -1], 1), Invalid, "Dimension -1 must be >= 0"),
        (lambda: tf.fill([2], [1, 2]), Invalid, "value must be a scalar"),
        (lambda: tf.range(5, 1), Invalid, "Requires start <= limit when delta > 0: 5/1"),
        (lambda: tf.range(1, 5, 0), Invalid, "Requires delta != 0"),
        (lambda: tf.range([1, 2]), Invalid, "limit must be a scalar, not shape [2]"),
        (lambda: tf.range(True), TypeError, "dtype bool"),
        (lambda: tf.linspace(0.0, 1.0, 2.0), TypeError, "must hold integers"),
        (lambda: tf.one_hot([0], 3, axis=2), Invalid, "between [0, 2).  But received: 2"),
        (lambda: tf.one_hot([0], -1), Invalid, "depth must be non-negative, got: -1"),
        (lambda: tf.one_hot([0.5], 3), Invalid, "'TI' does not support dtype float32"),
        (lambda: tf.sequence_mask([1], [3]), ValueError, "maxlen must be a scalar"),
        (lambda: tf.meshgrid([1], indexing="aa"), ValueError, "'xy' or 'ij', received 'aa'"),
        (lambda: tf.expand_dims(X, 4), Invalid, "Tried to expand dim index 4 for tensor with 3"),
        (lambda: tf.squeeze(X, 0), Invalid, "Can not squeeze dim[0], expected a dimension of 1"),
        (lambda: tf.squeeze(X, "a"), TypeError, "Expected int for argument 'axis' not 'a'"),
        (lambda: tf.broadcast_to(X, [3, 4]), Invalid, "Rank of input (3) must be no greater"),
        (lambda: tf.stack([1, 2], axis=1), ValueError, "`axis` = 1 not in range [-1, 1)"),
        (
            lambda: tf.stack([[1, 2], [3]]),
            Invalid,
            "values[0].shape = [2] != values[1].shape = [1]",
        ),
        (lambda: tf.parallel_stack([1]), RuntimeError, "works in graphs only"),
        (lambda: tf.unstack(X, axis=3), ValueError, "`axis` = 3 not in range [-3, 3)"),
        (lambda: tf.unstack(X, num=5), Invalid, "Input shape axis 0 must equal 5"),
        (lambda: tf.concat([1, 2], 0), Invalid, "use tf.stack instead"),
        (lambda: tf.split(X, 2, 1), Invalid, "split_dim 1 (size = 3) and num_split 2"),
        (lambda: tf.split(X, [1, 1], 1), Invalid, "Got: 2"),
        (
            lambda: tf.split(X, tf.constant(3)),
            ValueError,
            "num_or_size_splits must be a Python int",
        ),
        (lambda: tf.repeat([1, 2], [1, 2, 3]), ValueError, "2 and 3 are not compatible"),
        (lambda: tf.repeat([1, 2], 2, axis=2), ValueError, "expected -1<=axis<1"),
        (lambda: tf.pad([1, 2], [[2, 0]], "REFLECT"), Invalid, "2, 0 not less than 2"),
        (lambda: tf.pad([1], [[1, 0]], "EDGE"), ValueError, "received 'EDGE'"),
        (lambda: tf.tile([1], [1, 2]), Invalid, "vector of length 1 but got length 2"),
        (lambda: tf.transpose(X, [0, 1, 1]), Invalid, "2 is missing from {0,1,1}."),
        (lambda: tf.reverse(X, [0, -3]), Invalid, "axis 0 specified more than once."),
        (lambda: tf.roll([1], [1, 2], [0]), Invalid, "shift and axis must have the same size"),
        (lambda: tf.bitcast([1.0], tf.string), Invalid, "'type' does not support dtype string"),
        (lambda: tf.unravel_index([9], [3, 3]), Invalid, "index is out of bound as with dims"),
        (
            lambda: tf.slice(X, [0, 0, 4], [1, 1, 1]),
            Invalid,
            "Expected size[2] in [0, 0], but got 1",
        ),
        (lambda: tf.where([True], 1), ValueError, "x and y together"),
        (lambda: tf.where(True), Invalid, "Unhandled input dimensions: 0"),
        (
            lambda: tf.space_to_batch(X, [2], [[0, 0]]),
            Invalid,
            "padded_shape[0]=3 is not divisible",
        ),
        (lambda: tf.nn.space_to_depth(X, 2), Invalid, "Input rank should be 4 instead of 3"),
        (
            lambda: tf.reverse_sequence(X, [4, 0], seq_axis=1),
            Invalid,
            "seq_lens(0) > input.dims(1)",
        ),
        (lambda: tf.math.invert_permutation([2, 0, 2]), Invalid, "2 is duplicated in the input."),
    ],
    ids=range(45),
)
def test_what_is_said_when_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


# -- dtypes ------------------------------------------------------------------------------------


def test_python_values_take_the_dtype_of_tensors_beside_them() -> None:
    wide = tf.constant([1.0], tf.float64)
    assert tf.concat([[2.0], wide], 0).dtype is tf.float64
    assert tf.stack([wide, [2]]).dtype is tf.float64
    assert tf.where([True], 2, wide).dtype is tf.float64
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.concat([tf.constant([1]), [2.5]], 0)


def test_numpy_indices_keep_their_width() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.gather(x, np.array([1]))
    assert tape.gradient(rows, x).indices.dtype is tf.int64


@pytest.mark.parametrize(
    "shape", [(2, 3), [2, 3], tf.TensorShape([2, 3]), np.array([2, 3])], ids=range(4)
)
def test_shapes_of_every_make(shape: Any) -> None:
    assert tf.zeros(shape).shape == tf.ones(shape).shape == (2, 3)
    assert tf.reshape(tf.range(6), shape).shape == (2, 3)
    assert tf.zeros(tf.constant([2, 3])).shape == tf.zeros([tf.constant(2), 3]).shape


def test_one_size_is_a_vector() -> None:
    assert tf.zeros(3).shape == tf.zeros(tf.constant(3)).shape == (3,)


# -- tensors of unknown shape ----------------------------------------------------------------------


def test_repeat_of_unknown_sizes() -> None:
    np.testing.assert_array_equal(tf.repeat(Hidden(X), 2, axis=1), np.repeat(X, 2, axis=1))
    counts = hidden([1, 0, 2])
    np.testing.assert_array_equal(tf.repeat(Hidden(X), counts, axis=1), np.repeat(X, [1, 0, 2], 1))


def test_transpose_of_unknown_rank() -> None:
    np.testing.assert_array_equal(tf.transpose(Formless(X)), X.T)


def test_number_of_parts_must_be_known() -> None:
    with pytest.raises(ValueError, match="Cannot infer argument `num`"):
        tf.unstack(Hidden(X))
    with pytest.raises(ValueError, match="Cannot infer argument `num`"):
        tf.split(X, Hidden(np.array([1, 1], np.int32)))
    assert len(tf.unstack(Hidden(X), num=2)) == 2


def test_coordinates_of_batches_of_unknown_size() -> None:
    indices = Hidden(np.array([[[0, 1]], [[2, 3]]], np.int32))
    assert tf.gather_nd(Hidden(X), indices, batch_dims=1).numpy().tolist() == [[1], [23]]


def test_static_values() -> None:
    assert tf.get_static_value(tf.constant(3)) == 3
    assert tf.get_static_value(hidden(3)) is None
    assert tf.get_static_value("text") == "text"
    known = tf.constant([1, 2])
    tf.get_static_value(known)[0] = 9
    assert known.numpy().tolist() == [1, 2]


# -- sparse gradients as tensors -------------------------------------------------------------------


def test_indexed_slices_stand_for_tensors() -> None:
    slices = tf.IndexedSlices(tf.ones([2, 3]), [0, 2], [4, 3])
    assert tf.is_tensor(slices)
    assert tf.shape(slices).numpy().tolist() == [4, 3]
    same = tf.identity(slices)
    assert isinstance(same, tf.IndexedSlices)
    assert same.dense_shape.numpy().tolist() == [4, 3]


# -- initializers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "initializer",
    [
        tf.zeros_initializer(),
        tf.ones_initializer(),
        tf.constant_initializer(3),
        tf.random_uniform_initializer(-1, 1, seed=7),
        tf.random_normal_initializer(1.0, 2.0, seed=7),
    ],
    ids=lambda i: type(i).__name__,
)
def test_config_makes_the_same_initializer(initializer: Any) -> None:
    again = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(again([2, 3], tf.float32), initializer([2, 3], tf.float32))


def test_unseeded_initializers_differ() -> None:
    make = tf.random_normal_initializer()
    assert np.any(make([8]) != make([8]))


def test_initializers_of_parts() -> None:
    part = {"partition_shape": (2, 2), "partition_offset": (0, 0)}
    assert tf.zeros_initializer()([4, 2], **part).shape == (2, 2)
    assert tf.constant_initializer(1, support_partition=True)([4, 2], **part).shape == (2, 2)
    with pytest.raises(ValueError, match="support_partition=True"):
        tf.constant_initializer(1)([4, 2], **part)
    with pytest.raises(TypeError, match="expected partition_shape or partition_offset"):
        tf.zeros_initializer()([4], shade=1)


@pytest.mark.parametrize(
    ("dtype", "result"), [("int8", "float32"), ("uint16", "float32"), ("int32", "float64")]
)
def test_values_between_integers_are_floats_that_hold_them(dtype: str, result: str) -> None:
    between = tf.linspace(tf.constant(0, dtype), tf.constant(1, dtype), 3)
    assert between.dtype == result
    assert between.numpy().tolist() == [0.0, 0.5, 1.0]


def test_sizes_of_zero_need_not_divide() -> None:
    for shape, wanted, result in (
        ([0], [4, 0, -1], [4, 0, 0]),
        ([0, 6], [0, 3, -1], [0, 3, 2]),
        ([0], [0, -1], [0, 1]),
    ):
        for call in (tf.reshape, tf.function(tf.reshape)):
            assert call(tf.zeros(shape), wanted).shape == result
