"""Structured tensors in functions of `tf`: eagerly, in graphs, in loops, maps and datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tests.structured.test_parts import plain
from tests.structured.values import (
    BARE,
    EVEN,
    NESTED,
    ROWS,
    ROWS_SPEC,
    SCALAR,
    VECTOR,
    VECTOR_SPEC,
    C,
    D,
    P,
    S,
)

A, B, E = ROWS.to_pyval()[0][0], *ROWS.to_pyval()[1]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: tf.concat([ROWS, ROWS], 0), [[A], [B, E], [A], [B, E]]),
        (lambda: tf.concat([ROWS, ROWS], -1), [[A, A], [B, E, B, E]]),
        (lambda: tf.concat([NESTED, NESTED], 0), NESTED.to_pyval() * 2),
        (lambda: tf.concat([BARE, BARE], 0), [{}] * 4),
        (lambda: tf.concat([SCALAR], 0), A),
        (lambda: tf.concat(VECTOR, 0), VECTOR.to_pyval()),
        (lambda: tf.concat([VECTOR, VECTOR.with_shape_dtype(tf.int32)], 0), [A, B, A, B]),
        (lambda: tf.expand_dims(SCALAR, 0), [A]),
        (lambda: tf.expand_dims(VECTOR, -1), [[A], [B]]),
        (lambda: tf.expand_dims(ROWS, 1), [[[A]], [[B, E]]]),
        (lambda: tf.expand_dims(EVEN, 2), [[[{"a": 1}], [{"a": 2}]], [[{"a": 3}], [{"a": 4}]]]),
        (lambda: tf.gather(VECTOR, 1), B),
        (lambda: tf.gather(VECTOR, [1, 0]), [B, A]),
        (lambda: tf.gather(VECTOR, C([[0], [1, 0]])), [[A], [B, A]]),
        (lambda: tf.gather(ROWS, [0], axis=-1), [[A], [B]]),
        (lambda: tf.gather(ROWS, [[0], [1]], batch_dims=1), [[A], [E]]),
        (lambda: tf.gather(BARE, [[0], [1]]), [[{}], [{}]]),
        (lambda: tf.identity(NESTED), NESTED.to_pyval()),
        (lambda: tf.zeros_like(ROWS), [[0.0], [0.0, 0.0]]),
        (lambda: tf.ones_like(SCALAR, tf.float64), 1.0),
        (lambda: tf.ones_like(VECTOR, tf.int32), [1, 1]),
        (lambda: tf.size(ROWS), 3),
        (lambda: tf.size(SCALAR, out_type=tf.int64), 1),
        (lambda: tf.rank(ROWS), 2),
        (lambda: tf.shape(ROWS)[0], 2),
    ],
)
def test_functions_that_take_them(call: Callable[[], Any], wanted: Any) -> None:
    assert plain(call()) == wanted


def test_shapes_of_results() -> None:
    assert repr(tf.shape(ROWS)) == "<DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>"
    assert tf.shape(ROWS).dtype is tf.int32
    assert tf.shape(ROWS, out_type=tf.int64).dtype is tf.int64
    even = tf.concat([EVEN, EVEN], 1)
    assert repr(even.row_partitions) == "(tf.RowPartition(nrows=2, uniform_row_length=4),)"
    chosen = tf.gather(EVEN, C([[0], [1, 0]]))
    assert chosen.shape.as_list() == [2, None, 2]


def test_shuffled_as_tensorflow_does() -> None:
    tf.random.set_seed(5)
    value = S.from_pyval([{"a": i} for i in range(8)])
    shuffled = tf.random.shuffle(value, seed=3).field_value("a").numpy().tolist()
    assert shuffled == [2, 4, 1, 0, 6, 5, 7, 3]
    with pytest.raises(ValueError, match="scalar StructuredTensor"):
        tf.random.shuffle(SCALAR)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.concat([VECTOR, VECTOR], 1), ValueError, "axis=1 out of bounds"),
        (lambda: tf.concat([VECTOR, NESTED], 0), ValueError, "Not all have"),
        (lambda: tf.concat([VECTOR, ROWS], 0), ValueError, "one rank"),
        (lambda: tf.expand_dims(SCALAR, 1), ValueError, "expected -1<=axis<1"),
        (lambda: tf.gather(VECTOR, [0], axis=1), ValueError, "expected -1<=axis<1"),
        (lambda: tf.gather(SCALAR, [0]), ValueError, "expected 0<=axis<0"),
        (lambda: tf.gather(VECTOR, [5]), tf.errors.InvalidArgumentError, "not in"),
        (lambda: tf.stack([VECTOR, VECTOR]), ValueError, "to a Tensor"),
        (lambda: tf.tile(VECTOR, [2]), ValueError, "to a Tensor"),
        (lambda: tf.add(VECTOR, VECTOR), ValueError, "to a Tensor"),
        (lambda: tf.convert_to_tensor(VECTOR), ValueError, "to a Tensor"),
    ],
)
def test_functions_that_do_not(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


# -- in graphs --------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    "function",
    [
        _same,
        lambda s: s[0],
        lambda s: s[:1],
        lambda s: s.with_updates({"c": s.field_value("a") * 2}),
        lambda s: s.with_updates({"a": None, "b": None})[:1],
        lambda s: s.partition_outer_dimension(P.from_uniform_row_length(1, nvals=s.nrows())),
        lambda s: s.with_shape_dtype(tf.int32).nrows(),
        lambda s: tf.concat([s, s], 0),
        lambda s: tf.gather(s, [1, 0]),
        lambda s: tf.expand_dims(s, 1),
        lambda s: tf.expand_dims(s, 0).merge_dims(0, 1),
        lambda s: tf.zeros_like(s),
        lambda s: tf.size(s),
        lambda s: S.from_shape(tf.shape(s, out_type=tf.int64)),
    ],
)
@pytest.mark.parametrize(("spec", "value"), [(VECTOR_SPEC, VECTOR), (ROWS_SPEC, ROWS)])
def test_graphs_do_the_same(function: Callable[[Any], Any], spec: Any, value: Any) -> None:
    traced = tf.function(function, input_signature=[spec])
    for each in (value, tf.concat([value, value], 0)):
        assert plain(traced(each)) == plain(function(each))
    assert traced.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "function",
    [
        _same,
        lambda s: s.with_updates({"a": lambda a: a + 1, "c": s.field_value("a") * 2}),
        lambda s: tf.concat([s, s], 0),
        lambda s: tf.expand_dims(s, 1),
        lambda s: s.promote(("n", "y"), "m"),
    ],
)
def test_compiled(function: Callable[[Any], Any]) -> None:
    value = VECTOR.with_updates({"n": S.from_fields({"y": C([[7], [8, 9]])}, [2])})
    compiled = tf.function(function, jit_compile=True)
    assert plain(compiled(value)) == plain(function(value))


def test_read_by_python_only_eagerly() -> None:
    with pytest.raises(ValueError, match=r"inside tf\.function"):
        tf.function(lambda s: s.to_pyval())(VECTOR)
    texts = []
    tf.function(lambda s: texts.append(repr(s)))(ROWS)
    assert texts[0].startswith("<StructuredTensor(") and "shape=(2, None))>" in texts[0]


def test_branches_and_loops() -> None:
    other = VECTOR.with_updates({"a": [3, 4]})
    chosen = tf.cond(tf.constant(False), lambda: VECTOR, lambda: other)
    assert chosen.field_value("a").numpy().tolist() == [3, 4]

    @tf.function
    def doubled(value: Any, times: Any) -> Any:
        for _ in tf.range(times):
            value = value.with_updates({"a": lambda a: a * 2})
        return value

    assert doubled(VECTOR, tf.constant(3)).field_value("a").numpy().tolist() == [8, 16]


def test_gradients_reach_the_fields() -> None:
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = tf.concat([S.from_fields({"a": a}, [2])] * 2, 0)
        loss = tf.reduce_sum(value.field_value("a") ** 2)
    assert tape.gradient(loss, a).numpy().tolist() == [[4.0, 8.0], [12.0, 16.0]]


# -- in rows ----------------------------------------------------------------------------------


def test_maps() -> None:
    sums = tf.map_fn(lambda s: s.field_value("a") + 1, VECTOR, fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [2, 3]
    assert tf.map_fn(_same, ROWS).to_pyval() == ROWS.to_pyval()


@pytest.mark.parametrize("value", [VECTOR, ROWS, NESTED, EVEN, BARE])
def test_datasets(value: Any) -> None:
    items = value.to_pyval()
    rows = tf.data.Dataset.from_tensor_slices(value)
    assert [row.to_pyval() for row in rows] == items
    assert [batch.to_pyval() for batch in rows.batch(2)] == [items]
    assert [batch.to_pyval() for batch in rows.batch(1)] == [[item] for item in items]
    assert [row.to_pyval() for row in rows.batch(2).unbatch()] == items
    whole = tf.data.Dataset.from_tensors(value).repeat(2).batch(2)
    assert [batch.to_pyval() for batch in whole] == [[items, items]]
    assert rows.batch(2, drop_remainder=True).element_spec.shape[0] == 2
    assert rows.batch(2).element_spec.is_compatible_with(value)


def test_datasets_of_single_ones() -> None:
    one = tf.data.Dataset.from_tensors(S.from_pyval({"a": 1})).repeat(3)
    assert [b.to_pyval() for b in one.batch(2)] == [[{"a": 1}] * 2, [{"a": 1}]]
    changed = tf.data.Dataset.from_tensor_slices(VECTOR).map(
        lambda s: s.with_updates({"a": lambda a: a + 1})
    )
    assert [row["a"].numpy() for row in changed] == [2, 3]


def test_windows_are_not_of_them() -> None:
    with pytest.raises(NotImplementedError, match="must be one tensor"):
        tf.data.Dataset.from_tensor_slices(VECTOR).window(2)


@pytest.mark.parametrize(
    ("shape", "rows"),
    [
        (D.from_lengths([2, (1, 2)]), ["[1]", "[2]"]),
        (D.from_lengths([2, 2, (1, 2, 3, 4)]), ["[2, (1, 2)]", "[2, (3, 4)]"]),
        (D.from_lengths([2, 3]), ["[3]", "[3]"]),
        (D.from_lengths([2]), ["[]", "[]"]),
        (D.from_lengths([2, (1, 0), 4]), ["[1, 4]", "[0, 4]"]),
    ],
)
def test_datasets_of_shapes(shape: Any, rows: list[str]) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(shape)
    assert [repr(row).partition("=")[2].partition(" num")[0] for row in dataset] == rows
    (batch,) = dataset.batch(2)
    assert batch.static_lengths() == shape.static_lengths()
    (whole,) = tf.data.Dataset.from_tensors(shape).batch(1)
    assert whole.static_lengths() == [1, *shape.static_lengths()]
