"""Elements, products and parts of ragged tensors: by law, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

CUBE = [[[1, 2], [3, 4, 5]], [[6, 7, 8]]]
DEEP = [[[[1, 2], [3]], [[4, 5]]], [[[6], [7, 8]]]]

# Rows, indices, the axis and the number of axes in common.
GATHERED = {
    "an index a batch": (CUBE, [0, 1], 2, 1, [[1, 3], [7]]),
    "a row a batch": (CUBE, [[0, 0], [1, 0]], 2, 1, [[[1, 1], [3, 3]], [[7, 6]]]),
    "ragged indices": (CUBE, [[0, 0, 1], [2]], 2, 1, [[[1, 1, 2], [3, 3, 4]], [[8]]]),
    "rows below": (DEEP, [[0], [0]], 2, 1, [[[[1, 2]], [[4, 5]]], [[[6]]]]),
    "two axes between": (DEEP, [[0], [0]], 3, 1, [[[[1], [3]], [[4]]], [[[6], [7]]]]),
    "two in common": (DEEP, [[[0], [1]], [[0]]], 3, 2, [[[[1], [3]], [[5]]], [[[6], [7]]]]),
}


@pytest.mark.parametrize("case", sorted(GATHERED))
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_gather_repeats_indices_for_the_axes_between(case: str, traced: bool) -> None:
    rows, indices, axis, batch, expected = GATHERED[case]

    def gather(params: tf.RaggedTensor, at: tf.Tensor | tf.RaggedTensor) -> tf.RaggedTensor:
        return tf.gather(params, at, axis=axis, batch_dims=batch)

    call = tf.function(gather) if traced else gather
    assert call(tf.ragged.constant(rows), tf.ragged.constant(indices)).to_list() == expected


def test_gather_of_dense_rows_by_ragged_indices() -> None:
    numbers = tf.reshape(tf.range(24), [2, 3, 4])
    found = tf.gather(numbers, tf.ragged.constant([[0, 1], [2]]), axis=2, batch_dims=1)
    assert found.to_list() == [[[0, 1], [4, 5], [8, 9]], [[14], [18], [22]]]
    assert found.shape.as_list() == [2, 3, None]


@pytest.mark.parametrize("dense", ["neither", "a", "b"])
def test_products_of_uneven_batches_of_matrices(dense: str) -> None:
    draw = np.random.default_rng(0)
    left, right = draw.random((6, 5, 7)), draw.random((6, 7, 9))
    lengths = [2, 2, 2] if dense != "neither" else [1, 2, 3]
    a = tf.RaggedTensor.from_row_lengths(left, lengths)
    b = tf.RaggedTensor.from_row_lengths(right, lengths)
    a = a.to_tensor() if dense == "a" else a
    b = b.to_tensor() if dense == "b" else b
    product = tf.matmul(a, b)
    assert product.shape.as_list() == ([3, 2, 5, 9] if dense == "a" else [3, None, 5, 9])
    np.testing.assert_allclose(tf.reshape(product.flat_values, [6, 5, 9]), left @ right)


def test_lists_of_arrays_of_arrays_become_rows() -> None:
    rows = np.empty(2, object)
    rows[:] = [np.array([1, 2]), np.array([3])]
    assert tf.ragged.constant(rows).to_list() == [[1, 2], [3]]
    assert tf.ragged.constant([rows, rows]).to_list() == [[[1, 2], [3]]] * 2


def test_stacked_matrices_may_differ_in_all_axes() -> None:
    same = tf.ragged.stack([tf.ones([1, 2]), tf.ones([2, 2])])
    other = tf.ragged.stack([tf.ones([1, 2]), tf.ones([2, 3])])
    assert (same.ragged_rank, other.ragged_rank) == (2, 2)


def test_strings_are_escaped_in_texts_of_rows() -> None:
    text = tf.strings.format("{}", tf.ragged.constant([["a", "b'c\\"], []]))
    assert text.numpy() == b"[['a', 'b\\'c\\\\'], []]"


def ragged(rows: list) -> tf.RaggedTensor:
    return tf.ragged.constant(rows)


PAIR = ragged([[1, 2], [3]])
COUNTED = tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [2, 3])
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.split(PAIR, 0), ValueError, "must be 1 or more"),
        (lambda: tf.split(PAIR, [1, -1]), INVALID, "non-negative"),
        (lambda: tf.split(PAIR, [[1], [1]]), TypeError, "an int or a vector"),
        (lambda: tf.split(PAIR, [1, 1], num=3), ValueError, "num=3 contradicts num_or_size_splits"),
        (lambda: tf.ragged.stack([[1, 2]], axis="x"), TypeError, "axis must be an int; got str"),
        (lambda: tf.reverse(PAIR, None), TypeError, "axis"),
        (lambda: tf.gather_nd(PAIR, 0), ValueError, "rank must be at least 1"),
        (lambda: tf.gather_nd(PAIR, ragged([[0], [1, 0]])), ValueError, "must have one known"),
        (
            lambda: tf.matmul(ragged([[[1.0]]]), ragged([[[1]]])),
            ValueError,
            "received float32 and int32: use",
        ),
        (lambda: tf.ragged.range([0], [1, 2]), INVALID, "must have the same shape"),
        (lambda: tf.ragged.range(0.0, float("inf")), INVALID, "limit - start"),
        (
            lambda: tf.ragged.stack_dynamic_partitions([1, 2], [0, -1], 3),
            INVALID,
            "must be non-negative",
        ),
        (lambda: tf.ragged.stack_dynamic_partitions([1, 2], [0, 1], [3]), ValueError, "rank 0"),
        (
            lambda: tf.sparse.bincount(PAIR, weights=[[1.0, 2.0]]),
            ValueError,
            "must be a RaggedTensor",
        ),
        (
            lambda: tf.sparse.bincount(PAIR, weights=ragged([[1.0], [1.0, 1.0]])),
            INVALID,
            "row splits of `values`",
        ),
        (lambda: tf.sparse.bincount(COUNTED, weights=[1.0, 2.0]), ValueError, "a SparseTensor"),
        (
            lambda: tf.sparse.bincount(
                COUNTED, weights=tf.SparseTensor(COUNTED.indices, [1.0, 2.0], [2, 4])
            ),
            INVALID,
            "dense shape",
        ),
    ],
)
def test_wrong_calls(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_rows_mapped_from_none_are_none(traced: bool) -> None:
    def ranges(limits: tf.Tensor) -> tf.RaggedTensor:
        spec = tf.RaggedTensorSpec([None], tf.int32)
        return tf.map_fn(tf.range, limits, fn_output_signature=spec)

    call = tf.function(ranges, reduce_retracing=True) if traced else ranges
    assert call(tf.constant([2, 1])).to_list() == [[0, 1], [0]]
    none = call(tf.constant([], tf.int32))
    assert (none.to_list(), none.dtype) == ([], tf.int32)
    deep = tf.ragged.constant([], ragged_rank=2, dtype=tf.float32)
    assert tf.map_fn(lambda rows: rows, deep).shape == [0, None, None]


def test_small_variances_of_rows_are_not_negative() -> None:
    rows = tf.ragged.constant([[0.214441] * 7, [1e4 + 0.1, 1e4 + 0.2, 1e4 + 0.3]])
    assert tf.math.reduce_variance(rows, axis=1).numpy().min() >= 0
    assert not np.isnan(tf.math.reduce_std(rows, axis=1)).any()
    with pytest.raises(ValueError, match="complex"):
        tf.math.reduce_variance(tf.ragged.constant([[1j]]), axis=1)
