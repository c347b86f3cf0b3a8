"""Sparse tensors as elements: sliced, put together, and made of elements of different sizes."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

ROWS = [[1, 0, 2], [0, 0, 0], [3, 0, 0], [0, 4, 5]]


def slices() -> Any:
    return tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense(ROWS))


def dense(dataset: Any) -> list[Any]:
    return [tf.sparse.to_dense(element).numpy().tolist() for element in dataset]


def parts(dataset: Any) -> list[Any]:
    return [
        (e.indices.numpy().tolist(), e.values.numpy().tolist(), e.dense_shape.numpy().tolist())
        for e in dataset
    ]


def test_slices_keep_their_shape() -> None:
    assert dense(slices()) == ROWS
    assert slices().element_spec == tf.SparseTensorSpec([3], tf.int32)
    assert parts(slices())[1] == ([], [], [3])


def test_batches_are_sparse() -> None:
    assert parts(slices().batch(3)) == [
        ([[0, 0], [0, 2], [2, 0]], [1, 2, 3], [3, 3]),
        ([[0, 1], [0, 2]], [4, 5], [1, 3]),
    ]
    assert slices().batch(3).element_spec == tf.SparseTensorSpec([None, 3], tf.int32)
    full = slices().batch(3, drop_remainder=True)
    assert full.element_spec == tf.SparseTensorSpec([3, 3], tf.int32)


@pytest.mark.parametrize(
    "through",
    [
        lambda d: d.batch(3).unbatch(),
        lambda d: d.cache().prefetch(1),
        lambda d: d.map(lambda e: tf.sparse.map_values(tf.identity, e)),
        lambda d: d.map(tf.sparse.to_dense).map(tf.sparse.from_dense),
        lambda d: d.window(2).flat_map(lambda w: w),
    ],
)
def test_elements_stay_what_they_are(through: Any) -> None:
    assert dense(through(slices())) == ROWS


def test_rows_of_several_sizes_make_the_largest() -> None:
    def rows() -> Any:
        yield tf.sparse.from_dense(["a", ""])
        yield tf.sparse.from_dense(["", "b", "c"])

    spec = tf.SparseTensorSpec([None], tf.string)
    batch = tf.data.Dataset.from_generator(rows, output_signature=spec).batch(2)
    assert dense(batch) == [[[b"a", b"", b""], [b"", b"b", b"c"]]]


def test_beside_other_tensors_and_in_functions() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(
        {"x": tf.sparse.from_dense(ROWS), "y": [1, 2, 3, 4]}
    )

    @tf.function
    def total(dataset: Any) -> Any:
        found = 0
        for element in dataset.batch(2):
            found += tf.reduce_sum(tf.sparse.reduce_sum(element["x"], 1) * element["y"])
        return found

    assert int(total(dataset)) == 3 * 1 + 3 * 3 + 9 * 4
    assert int(slices().reduce(0, lambda a, e: a + tf.sparse.reduce_sum(e))) == 15
    assert [row.tolist() for row in slices().as_numpy_iterator()] == ROWS


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(TypeError, match="dense tensors"):
        slices().padded_batch(2)
    with pytest.raises(ValueError, match="two axes"):
        tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([1, 0]))


def growing() -> Any:
    return tf.data.Dataset.range(4).map(lambda n: tf.range(n))


def test_dense_elements_of_several_sizes_make_sparse_batches() -> None:
    assert parts(growing().sparse_batch(2, [4])) == [
        ([[1, 0]], [0], [2, 4]),
        ([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [0, 1, 0, 1, 2], [2, 4]),
    ]
    free = growing().apply(tf.data.experimental.dense_to_sparse_batch(3, [None]))
    assert [shape for _, _, shape in parts(free)] == [[3, 2], [1, 3]]
    assert free.element_spec == tf.SparseTensorSpec([None, None], tf.int64)
    assert int(free.cardinality()) == 2


def test_scalars_make_vectors() -> None:
    batches = parts(tf.data.Dataset.from_tensor_slices([1, 2, 3]).sparse_batch(2, []))
    assert batches == [([[0], [1]], [1, 2], [2]), ([[0]], [3], [1])]


def test_elements_that_do_not_fit() -> None:
    with pytest.raises(tf.errors.DataLossError, match="larger than the row shape"):
        list(growing().sparse_batch(2, [1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="same number of axes"):
        list(growing().sparse_batch(2, [2, 2]))
    with pytest.raises(TypeError, match="sparse_batch"):
        tf.data.Dataset.from_tensor_slices({"a": [1]}).sparse_batch(2, [1])
