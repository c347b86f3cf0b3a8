"""Edge values that eager, interpreted and compiled calls agree on, as TensorFlow 2.21 has them."""

import numpy as np
import pytest

import tapeflow as tf

MODES = ["eager", "interpreted", "compiled"]
LOWEST = -(2**63)


@pytest.fixture(params=MODES)
def run(request):
    """Calls a function of tensors in one of the modes."""

    def call(function, *arguments):
        tensors = [tf.constant(argument) for argument in arguments]
        if request.param == "eager":
            return function(*tensors)
        return tf.function(function, jit_compile=request.param == "compiled")(*tensors)

    return call


def test_lgamma_of_minus_infinity_is_infinite(run):
    result = run(tf.math.lgamma, [-np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(result, [np.inf, np.inf, np.nan])


def test_relu6_gradient_multiplies_the_upstream_by_zero(run):
    def gradient(x, upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu6(x)
        return tape.gradient(y, x, upstream)

    x, upstream = [-1.0, 3.0, 7.0, 3.0, 9.0], [np.inf, np.inf, np.nan, np.nan, 2.0]
    expected = [np.nan, np.inf, np.nan, np.nan, 0.0]
    np.testing.assert_array_equal(run(gradient, x, upstream), expected)


def test_sign_gradient_is_zero_whatever_the_upstream(run):
    def gradient(x, upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sign(x)
        return tape.gradient(y, x, upstream)

    np.testing.assert_array_equal(run(gradient, [-1.0, np.nan], [np.nan, np.inf]), [0, 0])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, LOWEST], -4611686018427387904),
        ([LOWEST, LOWEST + 1, 2**63 - 1], -3074457345618258602),
        ([-7, 0], -3),
        ([-6, 0], -3),
        ([7, 0], 3),
        ([LOWEST], LOWEST),
    ],
)
def test_mean_of_integers_wraps_and_cuts_towards_zero(run, values, expected):
    assert run(tf.reduce_mean, np.array(values, np.int64)) == expected


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        ((0.1, 1.1, 0.1), 10),
        ((0.0, 0.3, 0.1), 3),
        ((0.0, 1.0, 0.1), 10),
        ((1.0, 0.0, -0.1), 10),
        ((0.0, 8.1, 0.3), 27),
        ((-1.0, 7.333333333333332, 0.3333333333333333), 26),
        ((0.0, 0.6, 0.2), 3),
    ],
)
def test_float32_ranges_have_as_many_elements_as_in_tensorflow(bounds, count):
    assert len(tf.range(*bounds)) == count
    assert tf.function(lambda: tf.range(*bounds))().shape == [count]


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_abs_refuses_unsigned_integers(dtype):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Abs"):
        tf.abs(tf.constant([1], dtype))


def test_matmul_of_one_term_keeps_nan(run):
    column, zero = [[np.nan], [np.inf], [1.0]], [[0.0]]
    np.testing.assert_array_equal(run(tf.matmul, column, zero), [[np.nan], [np.nan], [0]])


def test_complex_numbers_keep_signs_and_infinities(run):
    x = np.array([complex(-1, -0.0), complex(-1, 0.0), complex(np.inf, 2)], np.complex64)
    roots = run(tf.sqrt, x)
    np.testing.assert_array_equal(np.signbit(roots.numpy().imag), [True, False, False])
    product = run(lambda x: tf.ones_like(x) * x, x).numpy()[2]
    assert np.isinf(product.real) and np.isnan(product.imag)


def test_roots_of_repeated_squares_see_the_squares(run):
    x = np.array([2.3e-308, 1.0])
    np.testing.assert_array_equal(run(lambda x: tf.sqrt(tf.repeat(x * x, 2)), x), [0, 0, 1, 1])
    np.testing.assert_array_equal(
        run(lambda x: tf.sqrt(tf.reverse(tf.reshape(x * x, [2, 1]), [0])), x), [[1], [0]]
    )


def test_running_products_begin_with_the_first_factor(run):
    x = np.array([complex(2, np.inf), complex(3, 1)], np.complex64)
    products = run(tf.math.cumprod, x).numpy()
    assert products[0] == x[0]
    assert np.isneginf(products[1].real) and np.isposinf(products[1].imag)


def test_zeta_of_far_negative_bases(run):
    trigamma = run(tf.math.polygamma, np.ones(3), np.array([-13.51, -0.3, -250.25]))
    expected = [9.808004386088, 13.945160267806, 19.735220771572]
    np.testing.assert_allclose(trigamma, expected, rtol=1e-9)


def test_atan2_of_subnormal_numbers_is_a_number(run):
    assert np.isfinite(run(tf.atan2, [1e-45, 1.0], [1e-45, 1.0])).all()


# -- indices that need 64 bits ----------------------------------------------------------------

X = tf.constant([1.0, 2.0, 3.0, 4.0])
OUT_OF_RANGE = {
    "gather": lambda i: tf.gather(X, i),
    "gather of a list": lambda i: tf.gather(X, [i]),
    "gather with batch_dims": lambda i: tf.gather(X[None], [[i]], batch_dims=1),
    "gather_nd": lambda i: tf.gather_nd(X, [[i]]),
    "scatter_nd": lambda i: tf.scatter_nd([[i]], [5.0], [4]),
    "tensor_scatter_nd_update": lambda i: tf.tensor_scatter_nd_update(X, [[i]], [9.0]),
    "tensor_scatter_nd_add": lambda i: tf.tensor_scatter_nd_add(X, [[i]], [9.0]),
    "tensor_scatter_nd_max": lambda i: tf.tensor_scatter_nd_max(X, [[i]], [9.0]),
    "Variable.scatter_nd_update": lambda i: tf.Variable(X).scatter_nd_update([[i]], [1.0]),
    "embedding_lookup": lambda i: tf.nn.embedding_lookup(X[:, None], [i]),
    "invert_permutation": lambda i: tf.math.invert_permutation([i, 0]),
    "reverse_sequence": lambda i: tf.reverse_sequence(X[None], [i], 1),
    "index": lambda i: X[i],
    "gather's axis": lambda i: tf.gather(X, 0, axis=i),
    "axis of cumsum": lambda i: tf.cumsum(X, i),
}


@pytest.mark.parametrize("index", [2**32 + 1, 2**40, -(2**40)])
@pytest.mark.parametrize("case", OUT_OF_RANGE)
def test_wide_indices_are_not_cut_to_32_bits(case, index):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        OUT_OF_RANGE[case](index)


@pytest.mark.parametrize("index", [2**32 + 1, 2**40, -(2**40)])
def test_wide_indices_outside_select_nothing(index):
    np.testing.assert_array_equal(tf.one_hot([index, 1], 3), [[0, 0, 0], [0, 1, 0]])


def test_wide_segments():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.unsorted_segment_sum([1.0, 2.0], [0, 2**32 + 1], 3)
    dropped = tf.math.unsorted_segment_sum([1.0, 2.0], [0, -(2**40)], 3)
    np.testing.assert_array_equal(dropped, [1, 0, 0])


def test_wide_paddings_are_not_cut_to_nothing():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.pad([1.0], [[-(2**40), 0]])
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.pad([1.0], [[2**50, 0]])


@pytest.mark.parametrize(
    "use",
    [
        lambda n: X[n],
        lambda n: tf.slice(X, [n], [1]),
        lambda n: tf.reshape(X, [n]),
        lambda n: tf.transpose(X, [n]),
        lambda n: tf.gather(X, n),
    ],
    ids=["index", "slice", "reshape", "transpose", "gather"],
)
def test_integers_beyond_64_bits_are_value_errors(use):
    with pytest.raises(ValueError, match="integer"):
        use(2**63)
