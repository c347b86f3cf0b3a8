"""Values at the edges of array functions and what they accept, as TensorFlow 2.21 has them."""

import numpy as np
import pytest

import tapeflow as tf


def assigned(where, value, jit=None):
    variable = tf.Variable(tf.reshape(tf.range(9), [3, 3]))

    def assign():
        variable[where].assign(value)

    (assign if jit is None else tf.function(assign, jit_compile=jit))()
    return variable.numpy()


@pytest.mark.parametrize("jit", [None, False, True])
@pytest.mark.parametrize(
    ("where", "value"),
    [
        (slice(1, 3), [[1, 2, 3]]),
        (slice(1, 3), [1, 2, 3]),
        (slice(1, 3), 5),
        (slice(0, 2), [[1], [2]]),
        (slice(0, 2), [[[1, 2, 3]]]),
        (0, [[1, 2, 3]]),
        ((0, 0), [1]),
        ((slice(1, 3), slice(0, 0)), np.ones([1, 0], np.int32)),
    ],
)
def test_values_are_broadcast_to_slices_of_variables(where, value, jit):
    expected = np.arange(9).reshape(3, 3)
    value = np.asarray(value, np.int32)
    extra = max(0, value.ndim - expected[where].ndim)
    expected[where] = value.reshape(value.shape[extra:])
    assert assigned(where, value, jit).tolist() == expected.tolist()


@pytest.mark.parametrize("value", [[[1, 2]], [[1, 2, 3]] * 3, [[[1, 2, 3]]] * 2])
def test_values_that_do_not_fit_a_slice_are_refused(value):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast input shape"):
        assigned(slice(0, 2), value)


def test_the_axis_of_a_mask_may_be_a_tensor():
    @tf.function
    def masked(tensor, axis):
        return tf.boolean_mask(tensor, [True, False, True], axis=axis)

    for dtype in (tf.int32, tf.int64):
        along = masked(tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant(1, dtype))
        assert along.numpy().tolist() == [[1, 3], [4, 6]]
        across = masked(tf.constant([[1], [2], [3]]), tf.constant(0, dtype))
        assert across.numpy().tolist() == [[1], [3]]

    known = tf.function(lambda: tf.boolean_mask([[1, 2, 3]], [True, False, True], tf.constant(1)))
    assert known().numpy().tolist() == [[1, 3]]


def test_shapes_that_cannot_be_are_named():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast tensor of shape"):
        tf.broadcast_to([1, 2], [2, 1])
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 1"):
        tf.function(lambda: tf.broadcast_to([1, 2], [2, 1]))()
    with pytest.raises(tf.errors.InvalidArgumentError, match="has too many elements"):
        tf.reshape([1], [21943, 45817, 30516, 61760, 38987])


@pytest.mark.parametrize(("dtype", "size"), [("int32", 2**28), ("int64", 2**63 - 1)])
def test_places_in_more_elements_than_can_be_counted(dtype, size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="causing integer overflow"):
        tf.unravel_index(tf.constant(5, dtype), tf.constant([size, size], dtype))


def test_the_axis_of_quantization_counts_from_the_end():
    x = tf.constant([[1.0, 2.0], [3.0, 4.1]])
    there_and_back = tf.quantization.quantize_and_dequantize_v2
    for axis in (0, 1):
        plain = there_and_back(x, [0, 0], [1, 1], axis=axis)
        counted = there_and_back(x, [0, 0], [1, 1], axis=axis - 2)
        assert plain.numpy().tolist() == counted.numpy().tolist()
    np.testing.assert_allclose(plain, [[0.992126, 2.0015748], [3.0, 4.1]], rtol=1e-6)
