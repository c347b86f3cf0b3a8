"""Row partitions and ragged shapes: made, asked, broadcast, passed through functions, shown."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

P = tf.experimental.RowPartition
D = tf.experimental.DynamicRaggedShape
C = tf.ragged.constant
EVEN = P.from_uniform_row_length(2, nvals=4)._type_spec


def test_a_partition_tells_everything_of_its_rows() -> None:
    rows = P.from_row_lengths([2, 0, 1])
    assert repr(rows) == "tf.RowPartition(row_splits=[0 2 2 3])"
    assert rows.value_rowids().numpy().tolist() == [0, 0, 2]
    assert rows.offsets_in_rows().numpy().tolist() == [0, 1, 0]
    assert (rows.static_nrows, int(rows.nvals()), rows.is_uniform()) == (3, 3, False)
    assert rows.with_dtype(tf.int32).dtype is tf.int32
    even = P.from_uniform_row_length(2, nvals=6)
    assert repr(even) == "tf.RowPartition(nrows=3, uniform_row_length=2)"
    assert (even.static_nrows, even.static_nvals, even.static_uniform_row_length) == (3, 6, 2)
    assert even.value_rowids().numpy().tolist() == [0, 0, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="nvals, nrows or both, received"):
        P.from_uniform_row_length(2)
    with pytest.raises(ValueError, match="factory methods"):
        P([0, 1])


def test_partitions_pass_through_functions() -> None:
    function = tf.function(lambda rows: (rows, rows.nrows()))
    even = P.from_uniform_row_length(2, nvals=4)
    rows, count = function(even)
    assert repr(rows) == repr(even) and int(count) == 2
    function(P.from_uniform_row_length(2, nvals=4))
    assert function.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (D.from_lengths([4, (2, 1, 0, 8), 12]), "[4, (2, 1, 0, 8), 12] num_row_partitions=1"),
        (D.from_lengths([2, 3, 4]), "[2, 3, 4] num_row_partitions=0"),
        (D.from_lengths([2, 3], num_row_partitions=1), "[2, 3] num_row_partitions=1"),
        (D([P.from_row_lengths([5, 3])], [8, 2]), "[2, (5, 3), 2] num_row_partitions=1"),
        (D.from_tensor(C([[1], [2, 3]])), "[2, (1, 2)] num_row_partitions=1"),
        (tf.shape(C([[1], [2, 3]])), "[2, (1, 2)] num_row_partitions=1"),
    ],
)
def test_shapes_are_shown(shape: Any, text: str) -> None:
    assert repr(shape) == f"<DynamicRaggedShape lengths={text}>"


def test_parts_of_shapes() -> None:
    shape = D.from_lengths([2, (1, 2), 3])
    assert (shape.rank, shape.inner_rank, shape.num_row_partitions) == (3, 2, 1)
    assert int(shape[0]) == 2 and int(shape[-1]) == 3
    assert shape.static_lengths(ragged_lengths=False) == [2, None, 3]
    assert repr(shape[:1]) == "<DynamicRaggedShape lengths=[2] num_row_partitions=0>"
    with pytest.raises(ValueError, match="not uniform"):
        shape[1]
    with pytest.raises(ValueError, match="must be uniform"):
        shape[1:]
    with pytest.raises(IndexError, match="stride"):
        shape[::2]
    assert bool(shape == D.from_lengths([2, (1, 2), 3]))
    assert not bool(shape == D.from_lengths([2, (2, 1), 3]))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: D.Spec((EVEN,), [4], tf.int32), ValueError, "expected tf.int32"),
        (lambda: D.Spec((EVEN,), [5], tf.int64), ValueError, "4 and 5 are not compatible"),
        (lambda: D.Spec((EVEN,), [], tf.int64), ValueError, "received inner_rank 0"),
        (lambda: D.Spec(5, [5], tf.int64), TypeError, "should be an Iterable"),
        (lambda: D.Spec((5,), [5], tf.int64), TypeError, "no RowPartitionSpec"),
        (lambda: D.Spec((), [5], tf.float32), ValueError, "int32 or tf.int64"),
        (lambda: D.from_lengths([2], dtype=tf.float32), ValueError, "int32 or tf.int64"),
        (lambda: D.from_lengths([], num_row_partitions=1), ValueError, "num_row_partitions==0"),
        (lambda: D.from_lengths([2, 3]).is_uniform(2), IndexError, "axis=2 < rank=2"),
        (lambda: D.from_lengths([2, 3]).is_uniform(-1), IndexError, "Negative axis"),
        (lambda: D.from_lengths([2, 3]).is_uniform("a"), TypeError, "must be an integer"),
        (lambda: D.from_lengths([2, 3])["a"], TypeError, "indexed by an int or a slice"),
    ],
)
def test_shapes_and_specs_that_cannot_be(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_specs_of_shapes() -> None:
    spec = D.Spec((EVEN,), [4], tf.int64)
    assert (spec.rank, spec.inner_rank, spec.num_row_partitions) == (2, 1, 1)
    assert spec.with_dtype(tf.int32).dtype is tf.int32
    assert repr(D.Spec((), None, tf.int64)) == (
        "DynamicRaggedShape.Spec(row_partitions=(), static_inner_shape=TensorShape(None), "
        "dtype=tf.int64)"
    )
    assert D.Spec.from_value(D.from_lengths([2, 2], num_row_partitions=1)) == spec
    parts = tf.nest.flatten(D.from_lengths([2, (1, 2), 3]), expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[3, 3], [0, 1, 3]]
    with pytest.raises(AttributeError, match="other"):
        D.from_lengths([2]).other = 1


def test_shapes_are_used() -> None:
    shape = D.from_lengths([2, (1, 2)])
    assert tf.fill(shape, 9).to_list() == [[9], [9, 9]]
    assert tf.reshape([1, 2, 3], shape).to_list() == [[1], [2, 3]]
    assert tf.broadcast_to([[1], [2]], shape).to_list() == [[1], [2, 2]]
    wide = tf.broadcast_dynamic_shape(shape, D.from_lengths([2, 1]))
    assert wide.static_lengths() == [2, (1, 2)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast"):
        tf.broadcast_dynamic_shape(shape, D.from_lengths([2, (2, 1)]))
    zeros, again = tf.function(lambda s: (tf.zeros(s), s))(shape)
    assert zeros.to_list() == [[0.0], [0.0, 0.0]] and repr(again) == repr(shape)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (C([[1, 2], [3]]), "[[1, 2], [3]]"),
        (C([["a"], []]), "[['a'], []]"),
        (C([[1.5], [True * 2.0]]), "[[1.500000], [2.000000]]"),
        (C([list(range(10)), [1]]), "[[0, 1, 2, ..., 7, 8, 9], [1]]"),
        (C([[[1], [2, 3]], []]), "[[[1], [2, 3]], []]"),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_printed(value: Any, text: str, traced: bool, tmp_path: Any) -> None:
    file = tmp_path / "out"

    def show(rows: Any) -> Any:
        tf.print("rows:", rows, output_stream=f"file://{file}")

    (tf.function(show) if traced else show)(value)
    assert file.read_text() == f"rows: {text}\n"


def test_loops_over_rows_of_rows() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.float32)])
    def total(rows: Any) -> Any:
        result = tf.constant(0.0)
        for row in rows:
            result += tf.reduce_sum(row) ** 2
        return result

    assert total(C([[[1.0], [2.0, 3.0]], [[4.0]]])).numpy() == 52.0


def test_map_fn_over_sparse_tensors() -> None:
    sparse = tf.SparseTensor([[0, 0], [2, 0], [2, 1]], [2, 3, 4], [4, 4])
    sums = tf.map_fn(tf.sparse.reduce_sum, sparse, fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [2, 0, 7, 0]


def test_specs_without_ragged_axes_fit_tensors() -> None:
    spec = tf.RaggedTensorSpec([10], tf.int32, ragged_rank=0)
    assert spec.is_compatible_with(tf.TensorSpec([10], tf.int32))
    assert spec.is_compatible_with(tf.zeros([10], tf.int32))
    assert not spec.is_compatible_with(tf.TensorSpec([12], tf.int32))
    assert not spec.is_compatible_with(tf.TensorSpec([10], tf.float32))
    ragged = tf.RaggedTensorSpec([10, None], tf.int32, ragged_rank=1)
    assert not ragged.is_compatible_with(tf.TensorSpec([10, None], tf.int32))
