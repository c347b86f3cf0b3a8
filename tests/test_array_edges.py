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
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast shape"):
        tf.broadcast_to([1, 2], [2, 1])
    with pytest.raises(ValueError, match="size 2 cannot become 1"):
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


def shape_of_traced(function, *specs):
    return tf.function(function, autograph=False).get_concrete_function(*specs).output_shapes


WHOLE = tf.TensorSpec([], tf.int32)
PAIR = tf.TensorSpec([2], tf.int32)
UNKNOWN = tf.TensorSpec(None, tf.int32)
IMAGES = tf.TensorSpec([3, None, None, 2])


@pytest.mark.parametrize(
    ("function", "specs", "expected"),
    [
        (lambda n: tf.pad(tf.zeros([4, 4]), [[1, 2], [0, n]]), [WHOLE], [7, None]),
        (lambda n: tf.pad(tf.zeros([4, 4]), [[1, 2], n]), [PAIR], [7, None]),
        (lambda n: tf.pad(tf.zeros([4, 4]), [[n, 0], [1, 2]], "REFLECT"), [WHOLE], [None, 7]),
        (lambda x, b, p: tf.space_to_batch(x, b, p), [IMAGES, PAIR, UNKNOWN], [None] * 3 + [2]),
        (lambda x, p: tf.space_to_batch(x, [2, 3], p), [IMAGES, UNKNOWN], [18, None, None, 2]),
        (lambda x, b, p: tf.batch_to_space(x, b, p), [IMAGES, PAIR, UNKNOWN], [None] * 3 + [2]),
        (lambda x, p: tf.batch_to_space(x, [1, 3], p), [IMAGES, UNKNOWN], [1, None, None, 2]),
        (lambda x: tf.nn.depth_to_space(x, 4), [tf.TensorSpec(None)], [None] * 4),
        (lambda x: tf.nn.space_to_depth(x, 4), [tf.TensorSpec(None)], [None] * 4),
        (lambda x: tf.linspace(x, x + 1, 10, axis=-1), [tf.TensorSpec([64, None])], [64, None, 10]),
        (
            lambda x: tf.linspace(tf.zeros([64, 5]), x, 10, axis=-1),
            [tf.TensorSpec([64, None])],
            [64, 5, 10],
        ),
    ],
)
def test_what_is_known_of_sizes_is_kept(function, specs, expected):
    assert shape_of_traced(function, *specs).as_list() == expected


@pytest.mark.parametrize(
    ("function", "spec", "message"),
    [
        (lambda at: tf.concat([7, 7], at), WHOLE, "Can't concatenate scalars"),
        (lambda at: tf.concat([[[1]], [1]], at), WHOLE, "Shape must be rank 2 but is rank 1"),
        (lambda n: tf.pad(tf.zeros([4]), [[0, n], [1, 1]]), WHOLE, r"must have the shape \[1,2\]"),
    ],
)
def test_shapes_that_cannot_be_are_refused_while_tracing(function, spec, message):
    with pytest.raises(ValueError, match=message):
        shape_of_traced(function, spec)


def test_a_scalar_among_vectors_cannot_be_joined():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't concatenate scalars"):
        tf.concat([[1], 2], 0)


def test_indices_of_few_bits():
    few = [tf.constant(n, tf.int16) for n in ([1], [2], [1])]
    assert tf.strided_slice([1, 2, 3], *few).numpy().tolist() == [2]
    assert tf.strided_slice([1, 2, 3], *few[:2]).numpy().tolist() == [2]
    ids = tf.constant([1, 0, 1], tf.int16)
    for name, expected in [("sum", [2, 4]), ("prod", [2, 3]), ("max", [2, 3]), ("mean", [2, 2])]:
        found = getattr(tf.math, f"unsorted_segment_{name}")([1, 2, 3], ids, 2)
        assert found.numpy().tolist() == expected
    assert tf.math.top_k([1, 3, 2], tf.constant(2, tf.int16)).values.numpy().tolist() == [3, 2]
    for dtype in (tf.int8, tf.uint8, tf.int16, tf.uint16):
        assert tf.argmax([1, 2], tf.constant(0, dtype)).numpy() == 1
        assert tf.argmin([1, 2], tf.constant(0, dtype)).numpy() == 0


def test_an_initial_value_must_be_one():
    for value in (len, {1: 2}, tf.constant(1.0)):
        with pytest.raises(TypeError, match="The value must be"):
            tf.constant_initializer(value)
    with pytest.raises(ValueError, match="received 'weird'"):
        tf.pad([[1]], [[0, 0], [0, 0]], "weird")


def test_variables_that_are_put_together_when_read_are_not_trained():
    kinds = tf.VariableSynchronization
    assert not tf.Variable(1.0, synchronization=kinds.ON_READ).trainable
    assert tf.Variable(1.0, synchronization=kinds.ON_READ, trainable=True).trainable
    assert tf.Variable(1.0, synchronization=kinds.ON_WRITE).trainable
    with pytest.raises(ValueError, match="constraint must be a"):
        tf.Variable(1.0, constraint=0)


class Countdown:
    """Has elements by place, and calls itself nothing."""

    def __init__(self, start):
        self.start = start

    def __len__(self):
        return self.start

    def __getitem__(self, place):
        return self.start - place


def test_what_has_elements_by_place_becomes_a_tensor():
    assert tf.constant(Countdown(3)).numpy().tolist() == [3, 2, 1]
    assert (tf.constant([1, 2]) + Countdown(2)).numpy().tolist() == [3, 3]
    assert tf.convert_to_tensor(Countdown(2), tf.float64).dtype == tf.float64
    assert tf.function(lambda: tf.constant(Countdown(2)) + 1)().numpy().tolist() == [3, 2]
    for value in ({0: 1}, {0, 1}, (i for i in range(2)), len):
        with pytest.raises(ValueError, match="Cannot convert"):
            tf.constant(value)


def test_sizes_that_do_not_fit_are_told():
    large = tf.TensorShape([2**31, 2])
    assert tf.convert_to_tensor(large).dtype == tf.int64
    with pytest.raises(ValueError, match="not fit into int32"):
        tf.convert_to_tensor(large, tf.int32)
    with pytest.raises(ValueError, match="17, which does not divide 20"):
        tf.function(lambda: tf.reshape(tf.zeros([20]), [17, -1]))()


def test_gathering_without_batch_axes_and_with_narrow_arrays():
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        taken = tf.gather(x, [1, 0], axis=1, batch_dims=None)
    assert taken.numpy().tolist() == [[2.0, 1.0]]
    assert tape.gradient(taken, x).numpy().tolist() == [[1.0, 1.0, 0.0]]
    assert tf.gather([1, 2, 3], np.array([1, 2], np.int16)).numpy().tolist() == [2, 3]


def test_tensors_in_lists_are_not_cast_unless_asked():
    single, double = tf.zeros([2]), tf.zeros([2], tf.float64)
    with pytest.raises(TypeError, match="of dtype float64: use"):
        tf.convert_to_tensor([single, double, [0.0, 0.0]])
    with pytest.raises(TypeError, match="of dtype float32: use"):
        tf.convert_to_tensor([double, [0.0, single[0]]])
    for mixed in ([single, double], [[single], [double]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute Pack"):
            tf.convert_to_tensor(mixed)
    assert tf.convert_to_tensor([[0.0, 0.0], double]).dtype == tf.float64
    assert tf.convert_to_tensor([[0.0, double[0]], double]).dtype == tf.float64
    assert tf.convert_to_tensor([[0.0, single[0]], double], tf.float64).dtype == tf.float64


def test_sobol_points_that_cannot_be_counted():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_results\+skip must be less"):
        tf.math.sobol_sample(1, 1, skip=2**31 - 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_results\*dim must be less"):
        tf.math.sobol_sample(2560, 16384000)


def test_zeros_like_a_variable_does_not_read_it():
    class Unread(tf.Variable):
        def read_value(self):
            raise AssertionError("read")

        _dense_var_to_tensor = value = read_value

    v = Unread(tf.ones([2]))
    assert tf.zeros_like(v, tf.int32).numpy().tolist() == [0, 0]
    with tf.Graph().as_default() as graph:
        tf.zeros_like(tf.compat.v1.get_variable("v", [2]))
    assert not [node for node in graph.get_operations() if node.type == "ReadVariableOp"][1:]
