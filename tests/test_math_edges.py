"""Values at the edges of `tf.math` and what its functions accept, as TensorFlow 2.21 has them."""

import numpy as np
import pytest

import tapeflow as tf


def gradient(function, x, upstream=None):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=upstream)


@pytest.mark.parametrize("jit", [None, False, True])
def test_the_sign_of_a_complex_number_turns_with_it(jit):
    x = tf.constant([1 + 1j, 1 + 2j, 0], tf.complex64)

    def slope(x):
        return gradient(tf.sign, x)

    run = slope if jit is None else tf.function(slope, jit_compile=jit)
    expected = [0.35355338 - 0.35355338j, 0.35777086 - 0.17888543j, 0]
    np.testing.assert_allclose(run(x), expected, rtol=1e-5)
    bent = gradient(lambda x: tf.math.real(gradient(tf.sign, x)), x[1])
    np.testing.assert_allclose(bent, -0.21466252 - 0.07155418j, rtol=1e-5)


def test_the_size_of_a_complex_number_has_a_second_gradient():
    def size(x):
        return tf.abs(tf.complex(tf.cos(x), tf.constant(1.0)))

    bent = gradient(lambda x: gradient(size, x), 2.0)
    np.testing.assert_allclose(bent, 0.49079144, rtol=1e-5)


def test_a_power_that_overflows_passes_nothing_back_where_nothing_arrives():
    x = tf.constant([6.0], tf.float16)
    slope = gradient(lambda y: tf.pow(x, y), tf.constant([6.0], tf.float16), tf.zeros([1], "half"))
    assert slope.numpy().tolist() == [0.0]


def test_add_n_takes_whatever_can_be_iterated():
    assert tf.add_n(tf.constant(i) for i in range(3)).numpy() == 3
    assert tf.add_n(tf.constant([1, 2])).numpy() == 3
    with pytest.raises(ValueError, match="needs one tensor or more"):
        tf.add_n(iter(()))
    with pytest.raises(ValueError, match="needs one tensor or more"):
        tf.add_n(3)


def test_logsumexp_of_a_ragged_tensor():
    rows = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0, 5.0]])
    np.testing.assert_allclose(tf.reduce_logsumexp(rows), 5.4519143, rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_logsumexp(rows, axis=1), [2.3132617, 5.407606], rtol=1e-6)


def test_weights_of_eight_bits_are_multiplied_with_bfloat16():
    rows, column = tf.constant([[1, 2]], tf.int8), tf.constant([[1], [2]], tf.bfloat16)
    for a, b in ((rows, column), (tf.transpose(column), tf.transpose(rows))):
        product = tf.matmul(a, b, output_type=tf.bfloat16)
        assert product.dtype == tf.bfloat16
        assert product.numpy().tolist() == [[5.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a must be a matrix"):
        tf.matmul([1.0, 2.0], [1.0, 2.0])


def test_the_factor_of_clipping_takes_the_dtype_of_each_tensor():
    narrow = tf.constant([4.0, 0.0], tf.bfloat16)
    clipped, norm = tf.clip_by_global_norm(
        [tf.constant([-3.0, 0.0]), narrow], 4.0, tf.constant(5.0)
    )
    assert [t.dtype for t in (*clipped, norm)] == [tf.float32, tf.bfloat16, tf.float32]
    np.testing.assert_allclose(clipped[0], [-2.4, 0.0], rtol=1e-6)
    assert clipped[1].numpy().tolist() == [3.203125, 0.0]


def test_a_polynomial_without_coefficients_is_zero_everywhere():
    assert tf.math.polyval([], tf.ones([2, 2])).numpy().tolist() == [[0.0, 0.0]] * 2


def test_the_quotient_of_floats():
    assert tf.realdiv(1.0, 2.0).numpy() == 0.5
    assert tf.realdiv(1.0, 0.0).numpy() == np.inf


def test_text_has_no_complex_parts():
    with pytest.raises(TypeError, match="expects numbers, received dtype"):
        tf.math.conj("a")
    with pytest.raises(TypeError, match="expects numbers"):
        tf.math.real("a")
