"""What tracing knows of shapes: as much as TensorFlow does (the expected shapes are its own)."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tests.graph.helpers import concrete, static_shape

PARTLY = [
    (lambda x: tf.zeros(tf.shape(x)[:1]), [2, None], [2]),
    (lambda x: tf.reshape(x, [-1, tf.shape(x)[1]]), [None, 3], [None, 3]),
    (lambda x: tf.reshape(x, tf.shape(x)), [None, 3], [None, 3]),
    (lambda x: tf.reshape(x, [tf.shape(x)[0], 3, -1]), [4, None], [4, 3, None]),
    (lambda x: tf.reshape(x, [tf.shape(x)[1], 2]), [3, None], [None, 2]),
    (lambda x: tf.broadcast_to(x, [tf.shape(x)[0], 4]), [None, 1], [None, 4]),
    (lambda x: tf.fill([tf.shape(x)[0], 2], 1.0), [None, 3], [None, 2]),
    (lambda x: tf.zeros([tf.shape(x)[0], 5, tf.shape(x)[1]]), [None, 3], [None, 5, 3]),
    (lambda x: tf.zeros(tf.concat([tf.shape(x)[:-1], [7]], 0)), [None, 3], [None, 7]),
    (lambda x: tf.random.uniform([tf.shape(x)[0], 2]), [None, 3], [None, 2]),
    (lambda x: tf.tile(x, [1, tf.shape(x)[1]]), [None, 3], [None, 9]),
    (lambda x: tf.tile(x, [2, tf.shape(x)[0]]), [None, 3], [None, None]),
    (lambda x: tf.slice(x, [0, 0], [tf.shape(x)[0], 2]), [None, 3], [None, 2]),
    (lambda x: tf.range(tf.shape(x)[1]), [None, 3], [3]),
    (lambda x: tf.range(tf.cast(tf.shape(x)[1], tf.int64)), [None, 3], [3]),
    (lambda x: tf.zeros(tf.shape(x, out_type=tf.int64)), [None, 3], [None, 3]),
    (lambda x: tf.zeros(tf.gather(tf.shape(x), [1, 0])), [None, 3], [3, None]),
    (lambda x: tf.zeros(tf.stack(tf.unstack(tf.shape(x)))), [None, 3], [None, 3]),
    (lambda x: tf.zeros([tf.size(x), 2]), [4], [4, 2]),
    (lambda x: tf.zeros([tf.rank(x)]), [None, 3], [2]),
    (lambda x: x[: tf.shape(x)[0] - 1], [None, 3], [None, 3]),
    (lambda x: tf.reshape(x, [2, tf.shape(x)[0]]), [None, None], [2, None]),
    (lambda x: tf.reshape(x, tf.shape(x)), None, None),
]


@pytest.mark.parametrize(("function", "given", "expected"), PARTLY, ids=range(len(PARTLY)))
def test_shapes_computed_from_shapes(function: Any, given: Any, expected: Any) -> None:
    assert static_shape(function, given) == expected


def test_a_size_that_follows_from_the_others() -> None:
    function = lambda x, n: tf.reshape(x, [n, 3])  # noqa: E731
    assert static_shape(function, [2, 6], tf.TensorSpec([], tf.int32)) == [4, 3]


def test_a_shape_that_cannot_be_is_refused_when_traced() -> None:
    with pytest.raises(ValueError, match="does not divide 12"):
        concrete(lambda x, n: tf.reshape(x, [n, 5]), [2, 6], tf.TensorSpec([], tf.int32))


def test_static_values() -> None:
    found: dict[str, Any] = {}

    def function(x: Any) -> Any:
        found["shape"] = tf.get_static_value(tf.shape(x))
        found["size"] = tf.get_static_value(tf.shape(x)[1])
        found["unknown"] = tf.get_static_value(tf.shape(x)[0])
        found["argument"] = tf.get_static_value(x)
        found["constant"] = tf.get_static_value(tf.constant([1, 2]))
        return x

    concrete(function, [None, 3])
    assert found["shape"] is None
    assert found["size"] is None
    assert found["unknown"] is None
    assert found["argument"] is None
    assert found["constant"].tolist() == [1, 2]


def test_set_shape() -> None:
    def function(x: Any) -> Any:
        y = x * 2.0
        y.set_shape([None, 3])
        with pytest.raises(ValueError, match="not compatible"):
            y.set_shape([None, 4])
        with pytest.raises(ValueError, match="not compatible"):
            y.set_shape([None])
        return tf.transpose(y)

    assert static_shape(function, None) == [3, None]
    assert static_shape(function, [2, None]) == [3, 2]


def test_static_value_of_a_stack() -> None:
    found: dict[str, Any] = {}

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([2])])
    def function(n: Any, v: Any) -> Any:
        made = {
            "one": tf.stack([n, 3]),
            "none": tf.stack([v, v]),
            "rows": tf.stack([tf.constant([1.0, 2.0]), v]),
            "nested": tf.stack([[1, n], [2, 3]]),
            "identity": tf.identity(tf.stack([n, 3])),
            "another axis": tf.stack([tf.constant([1.0, 2.0]), v], axis=1),
            "all": tf.stack([1, 2]),
        }
        for name, tensor in made.items():
            found[name] = tf.get_static_value(tensor, partial=True)
            if name != "all":
                assert tf.get_static_value(tensor) is None
        return n

    function.get_concrete_function()
    assert found["one"].tolist() == found["identity"].tolist() == [None, 3]
    assert found["none"].tolist() == [None, None]
    assert found["rows"][0].tolist() == [1.0, 2.0] and found["rows"][1] is None
    assert found["nested"].tolist() == [[1, None], [2, 3]]
    assert found["another axis"] is None
    assert found["all"].tolist() == [1, 2] and found["all"].dtype == "int32"


def test_static_values_of_as_many_ops_as_in_tensorflow() -> None:
    found: dict[str, Any] = {}

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def function(x: Any) -> Any:
        two, row = tf.constant(2), tf.constant([1, 2, 3])
        results = {
            "SelectV2": tf.where(True, row, row),
            "AddV2": row + 1,
            "stack of sums": tf.stack([two + 1, two]),
            "Less": two < 3,
            "Reshape": tf.reshape(row, [3, 1]),
            "Cast": tf.cast(row, tf.int64),
            "Rank": tf.raw_ops.Rank(input=x),
            "Range": tf.range(two),
            "ConcatV2": tf.concat([row, [4]], 0),
            "Fill": tf.fill([2], two),
            "Equal": tf.equal(two, 2),
            "captured": tf.cond(x[0, 0] > 0, lambda: _noted(found, tf.range(two)), lambda: two),
        }
        found.update({name: tf.get_static_value(each) for name, each in results.items()})
        return x

    function.get_concrete_function()
    unknown = {name for name, value in found.items() if value is None}
    assert unknown == {"SelectV2", "AddV2", "stack of sums", "Less", "Reshape", "captured"}
    assert found["range of a captured constant"].tolist() == [0, 1]


def _noted(found: dict[str, Any], tensor: Any) -> Any:
    found["range of a captured constant"] = tf.get_static_value(tensor)
    return tensor[0]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_repeating_keeps_the_sizes_of_other_axes(axis: int) -> None:
    shape: list[int | None] = [1, 4, 2]
    expected = [*shape[:axis], None, *shape[axis + 1 :]]
    function = lambda x, n: tf.repeat(x, n, axis=axis)  # noqa: E731
    assert static_shape(function, shape, tf.TensorSpec([], tf.int32)) == expected
    assert function(tf.ones([1, 4, 2]), tf.constant(3)).shape[axis] == 3 * [1, 4, 2][axis]


def test_repeating_by_static_counts_has_a_static_size() -> None:
    assert static_shape(lambda x: tf.repeat(x, [1, 2, 3], axis=1), [None, 3]) == [None, 6]
