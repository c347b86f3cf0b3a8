"""`tf.sparse` and `tf.SparseTensor`: values, shapes, errors; eagerly and in functions."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

A = tf.SparseTensor([[0, 1], [0, 3], [2, 0]], [1.0, -2.0, 3.0], [3, 5])
B = tf.SparseTensor([[0, 1], [1, 0], [2, 0]], [1.0, 5.0, -3.0], [3, 5])
SHUFFLED = tf.SparseTensor([[2, 0], [0, 3], [0, 1]], [1.0, 2.0, 3.0], [3, 4])
EMPTY = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [3, 5])


def dense(sparse: tf.SparseTensor) -> np.ndarray:
    return tf.sparse.to_dense(sparse).numpy()


# Each gives a sparse or dense tensor for A, by `tf.sparse` and by NumPy on the dense matrix.
LAWS = {
    "add": (lambda s: tf.sparse.add(s, B), lambda d: d + dense(B)),
    "add dense": (lambda s: tf.sparse.add(s, tf.ones([3, 5])), lambda d: d + 1),
    "concat": (lambda s: tf.sparse.concat(1, [s, B]), lambda d: np.hstack([d, dense(B)])),
    "concat rows": (lambda s: tf.sparse.concat(-2, [s, B]), lambda d: np.vstack([d, dense(B)])),
    "expand_dims": (lambda s: tf.sparse.expand_dims(s, 1), lambda d: d[:, None]),
    "maximum": (lambda s: tf.sparse.maximum(s, B), lambda d: np.maximum(d, dense(B))),
    "minimum": (lambda s: tf.sparse.minimum(s, B), lambda d: np.minimum(d, dense(B))),
    "sum": (lambda s: tf.sparse.reduce_sum(s), lambda d: d.sum()),
    "sum rows": (lambda s: tf.sparse.reduce_sum(s, 0, True), lambda d: d.sum(0, keepdims=True)),
    "sparse sum": (
        lambda s: tf.sparse.reduce_sum(s, -1, output_is_sparse=True),
        lambda d: d.sum(-1),
    ),
    "reshape": (lambda s: tf.sparse.reshape(s, [5, -1]), lambda d: d.reshape(5, 3)),
    "slice": (lambda s: tf.sparse.slice(s, [0, 1], [2, 9]), lambda d: d[0:2, 1:]),
    "split": (lambda s: tf.sparse.split(s, 2, 1)[1], lambda d: d[:, 3:]),
    "transpose": (lambda s: tf.sparse.transpose(s), lambda d: d.T),
    "reset_shape": (lambda s: tf.sparse.reset_shape(s), lambda d: d[:, :4]),
    "times": (lambda s: s * tf.range(5.0), lambda d: d * np.arange(5)),
    "over": (lambda s: s / [[1.0], [2.0], [4.0]], lambda d: d / [[1], [2], [4]]),
    "scalar": (lambda s: s * 2.0, lambda d: d * 2),
    "from the left": (lambda s: tf.fill([3, 5], 3.0) * s, lambda d: 3 * d),
    "matmul": (
        lambda s: tf.sparse.sparse_dense_matmul(s, tf.ones([5, 2])),
        lambda d: d @ np.ones((5, 2)),
    ),
    "matmul from the left": (
        lambda s: tf.sparse.sparse_dense_matmul(tf.ones([3, 2]), s, adjoint_a=True),
        lambda d: np.ones((2, 3)) @ d,
    ),
    "square": (tf.square, np.square),
    "cast": (lambda s: tf.cast(s, tf.int32), lambda d: d.astype(np.int32)),
    "shape": (tf.shape, np.shape),
    "size": (tf.size, np.size),
    "rank": (tf.rank, np.ndim),
    "map_values": (lambda s: tf.sparse.map_values(tf.add, s, s), lambda d: d + d),
}


@pytest.mark.parametrize("value", [A, EMPTY], ids=["some", "none"])
@pytest.mark.parametrize("law", sorted(LAWS))
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_sparse_is_dense(law: str, value: tf.SparseTensor, traced: bool) -> None:
    of_sparse, of_dense = LAWS[law]
    if law == "reset_shape" and value is EMPTY:
        pytest.skip("nothing is left of the shape")
    result = (tf.function(of_sparse) if traced else of_sparse)(value)
    if isinstance(result, tf.SparseTensor):
        result = tf.sparse.to_dense(result)
    np.testing.assert_allclose(result, of_dense(dense(value)), rtol=1e-6)


def test_parts_and_operators() -> None:
    assert (A.shape, A.dtype) == ([3, 5], tf.float32)
    assert tf.is_tensor(A)
    assert tf.SparseTensor.from_value(A).indices is A.indices
    with pytest.raises(ValueError, match="not compatible"):
        A.with_values([1.0])
    with pytest.raises(ValueError, match="not compatible"):
        A.set_shape([4, 5])
    for wrong in (lambda: A + 1.0, lambda: A - B, lambda: -A, lambda: 2.0 * A):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="SparseTensor"):
        tf.exp(A)
    integers = tf.SparseTensor([[0]], [7], [2])
    assert (integers / 2).dtype is tf.float64


def test_known_shapes_survive_tracing() -> None:
    traced = tf.function(lambda x: x * 2.0).get_concrete_function(tf.SparseTensorSpec([None, 4]))
    assert traced.structured_outputs.shape.as_list() == [None, 4]


def test_sizes_that_are_known_while_tracing_are_part_of_the_shape() -> None:
    @tf.function
    def traced(rows: tf.Tensor) -> tf.SparseTensor:
        sparse = tf.SparseTensor([[0, 1]], [1.0], [rows, 4])
        assert sparse.shape.as_list() == [None, 4]
        assert tf.sparse.reorder(sparse).shape.as_list() == [None, 4]
        return sparse

    assert traced(tf.constant(3, tf.int64)).shape == [3, 4]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda s: tf.sparse.reshape(s, [6, -1]), [6, 4]),
        (lambda s: tf.sparse.reshape(s, tf.stack([tf.size(s.values), -1])), [None, None]),
        (lambda s: tf.sparse.transpose(s), [4, 3, 2]),
        (lambda s: tf.sparse.transpose(s, [1, 0, 2]), [3, 2, 4]),
        (lambda s: tf.sparse.transpose(s, tf.constant([1, 0, 2])), [3, 2, 4]),
        (lambda s: tf.sparse.concat(-2, [s, s, s]), [2, 9, 4]),
    ],
)
def test_shapes_of_what_is_laid_out_anew_are_known_while_tracing(call, expected: list) -> None:
    sparse = tf.SparseTensor([[0, 1, 2]], [1.0], [2, 3, 4])
    traced = tf.function(lambda s: (call(s),))
    found = traced.get_concrete_function(tf.SparseTensorSpec([2, 3, 4])).structured_outputs[0].shape
    assert found.as_list() == expected
    assert found.is_compatible_with(call(sparse).shape)
    partly = traced.get_concrete_function(tf.SparseTensorSpec([None, 3, 4])).structured_outputs[0]
    assert partly.shape.is_compatible_with(call(sparse).shape)


def test_sizes_that_disagree_are_refused_when_the_function_runs() -> None:
    traced = tf.function(lambda a, b: tf.sparse.concat(0, [a, b]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(A, SHUFFLED)


OPERATORS = {"times", "over", "scalar", "from the left", "square", "cast", "shape", "size", "rank"}


@pytest.mark.parametrize("law", sorted(set(LAWS) - OPERATORS - {"map_values"}))
def test_values_of_sparse_tensors_stand_for_them(law: str) -> None:
    of_sparse, of_dense = LAWS[law]
    value = tf.compat.v1.SparseTensorValue(A.indices.numpy(), A.values.numpy(), [3, 5])
    result = of_sparse(value)
    if isinstance(result, tf.SparseTensor):
        result = tf.sparse.to_dense(result)
    np.testing.assert_allclose(result, of_dense(dense(A)), rtol=1e-6)
    np.testing.assert_array_equal(tf.sparse.to_dense(value), dense(A))
    assert tf.io.serialize_sparse(value).shape == [3]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float16, tf.int32, tf.complex64])
@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
def test_products_with_many_terms(dtype: tf.DType, adjoint_a: bool, adjoint_b: bool) -> None:
    draw = np.random.default_rng(0)
    full = draw.integers(-2, 3, (60, 70)) * (draw.random((60, 70)) < 0.8)
    other = draw.integers(-2, 3, (60 if adjoint_a else 70, 80))
    if dtype.is_complex:
        full, other = full * (1 + 2j), other * (2 - 1j)
    sparse = tf.cast(tf.sparse.from_dense(full), dtype)
    matrix = tf.constant(other.conj().T if adjoint_b else other, dtype)
    product = tf.sparse.sparse_dense_matmul(sparse, matrix, adjoint_a, adjoint_b)
    assert product.dtype is dtype
    np.testing.assert_allclose(product, (full.conj().T if adjoint_a else full) @ other, rtol=1e-2)


def test_order_and_rows() -> None:
    ordered = tf.sparse.reorder(SHUFFLED)
    assert ordered.indices.numpy().tolist() == [[0, 1], [0, 3], [2, 0]]
    assert ordered.values.numpy().tolist() == [3.0, 2.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        tf.sparse.to_dense(SHUFFLED)
    filled, empty = tf.sparse.fill_empty_rows(A, 9.0)
    assert filled.indices.numpy().tolist() == [[0, 1], [0, 3], [1, 0], [2, 0]]
    assert filled.values.numpy().tolist() == [1.0, -2.0, 9.0, 3.0]
    assert empty.numpy().tolist() == [False, True, False]


def test_small_sums_of_two_elements_are_left_out() -> None:
    total = tf.sparse.add(A, B, threshold=2.5)
    assert total.indices.numpy().tolist() == [[0, 3], [1, 0]]


def test_strings() -> None:
    words = tf.SparseTensor([[0, 1], [2, 0]], ["a", "bc"], [3, 2])
    assert tf.sparse.to_dense(words).numpy().tolist() == [[b"", b"a"], [b"", b""], [b"bc", b""]]
    crossed = tf.sparse.cross([words, tf.constant([[1], [2], [3]])], separator="|")
    assert crossed.values.numpy().tolist() == [b"a|1", b"bc|3"]
    hashed = tf.sparse.cross_hashed([words, tf.constant([[1], [2], [3]])])
    # TensorFlow's numbers: models are trained with them.
    assert hashed.values.numpy().tolist() == [2928842892298887678, 8593024083240125724]


def test_counts() -> None:
    counted = tf.sparse.bincount([[1, 1, 3], [0, 0, 0]], axis=-1)
    assert counted.indices.numpy().tolist() == [[0, 1], [0, 3], [1, 0]]
    assert counted.values.numpy().tolist() == [2, 1, 3]
    for longest, length in ((6, 6), (2, 2), (0, 0), (None, 4)):
        short = tf.sparse.bincount([[1, 1, 3]], axis=-1, minlength=3, maxlength=longest)
        assert short.dense_shape.numpy().tolist() == [1, length]
    rows = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 3], [2, 2])
    assert tf.math.bincount(rows, axis=-1).numpy().tolist() == [[1, 0, 1, 0], [0, 0, 0, 1]]
    assert tf.sparse.to_indicator(rows, 4).numpy().astype(int).tolist() == [
        [1, 0, 1, 0],
        [0, 0, 0, 1],
    ]


def test_gradients_reach_values_and_matrices() -> None:
    values, matrix = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(tf.reshape(tf.range(10.0), [5, 2]))

    def loss() -> tf.Tensor:
        product = tf.sparse.sparse_dense_matmul(A.with_values(values), matrix)
        return tf.reduce_sum(product**2) + tf.reduce_sum(tf.sparse.softmax(B).values)

    with tf.GradientTape() as tape:
        total = loss()
    by_values, by_matrix = tape.gradient(total, [values, matrix])
    with tf.GradientTape() as tape:
        full = tf.sparse.to_dense(A.with_values(values))
        total = tf.reduce_sum((full @ matrix) ** 2)
    expected = tape.gradient(total, [values, matrix])
    np.testing.assert_allclose(by_values, expected[0])
    np.testing.assert_allclose(by_matrix, expected[1])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.sparse.add(A, SHUFFLED), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.add(tf.ones([2]), tf.ones([2])), TypeError),
        (lambda: tf.sparse.concat(2, [A, B]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.concat(0, A), TypeError),
        (lambda: tf.sparse.reshape(A, [4, -1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.slice(A, [0], [1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.slice(A, [0, 0], [-1, 1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.split(A, 6, 1), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.split(A, [2], 1), TypeError),
        (lambda: tf.sparse.split(A, 2, [0, 1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.retain(A, [True]), ValueError),
        (lambda: tf.sparse.reset_shape(A, [2, 2]), ValueError),
        (lambda: tf.sparse.map_values(tf.add, A, B), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.map_values(tf.add, 1, 2), ValueError),
        (lambda: tf.sparse.sparse_dense_matmul(A, tf.ones([3, 2])), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.sparse_dense_matmul(A, B), ValueError),
        (
            lambda: tf.sparse.softmax(tf.SparseTensor([[1]], [1.0], [3])),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.sparse.bincount([-1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.to_dense(tf.ones([2])), TypeError),
        (lambda: A * tf.ones([4]), tf.errors.InvalidArgumentError),
        (lambda: tf.SparseTensor([[0, 1]], [1.0], [2]), ValueError),
    ],
)
def test_wrong_calls(call, error) -> None:
    with pytest.raises(error):
        call()


def test_elements_are_kept_where_numbers_are_not_zero() -> None:
    for kept in ([True, False, True], [1, 0, 2], [0.5, 0.0, -1.0]):
        assert tf.sparse.retain(A, tf.constant(kept)).values.shape == [2]


def test_features_that_are_crossed_have_one_batch_size() -> None:
    crossed = tf.sparse.cross([])
    assert (crossed.shape, crossed.dtype) == ([0, 0], tf.string)
    words = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected batch size"):
        tf.sparse.cross([words, tf.constant([[1], [2]])])
    value = tf.compat.v1.SparseTensorValue([[0, 0]], ["a"], [1, 1])
    assert tf.ragged.cross([value, [["b"]]]).to_list() == [[b"a_X_b"]]


def test_quantized_numbers_are_zero_where_none_is_given() -> None:
    values = tf.quantization.quantize([1.0, 2.0], 0.0, 127.5, tf.quint8).output
    full = tf.sparse.to_dense(tf.SparseTensor([[0], [2]], values, [4]))
    assert full.dtype is tf.quint8
    assert tf.bitcast(full, tf.uint8).numpy()[[1, 3]].tolist() == [0, 0]
