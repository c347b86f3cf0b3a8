"""Every expression gives the same eagerly, traced, and traced without knowing any size."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tests.ragged.programs import PROGRAMS, VALUES

R = tf.RaggedTensor


def plain(value: Any) -> Any:
    return value.to_list() if isinstance(value, R) else value.numpy().tolist()


def run(text: str, *values: Any) -> Any:
    return eval(text, {"tf": tf, **dict(zip(VALUES, values))})


def unknown_sizes(value: Any) -> Any:
    sizes = [None] * len(value.shape)
    if isinstance(value, R):
        return tf.RaggedTensorSpec(sizes, value.dtype, value.ragged_rank)
    return tf.TensorSpec(sizes, value.dtype)


@pytest.mark.parametrize(("text", "wanted"), PROGRAMS, ids=[text for text, _ in PROGRAMS])
class TestPrograms:
    def test_eagerly(self, text: str, wanted: Any) -> None:
        assert plain(run(text, *VALUES.values())) == wanted

    def test_traced(self, text: str, wanted: Any) -> None:
        function = tf.function(lambda *values: run(text, *values), autograph=False)
        assert plain(function(*VALUES.values())) == wanted

    def test_traced_without_sizes(self, text: str, wanted: Any) -> None:
        specs = [unknown_sizes(value) for value in VALUES.values()]
        function = tf.function(
            lambda *values: run(text, *values), input_signature=specs, autograph=False
        )
        assert plain(function(*VALUES.values())) == wanted


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("a[3]", IndexError, "out of bounds"),
        ("a[:, 0]", ValueError, "inner ragged dimension"),
        ("a['x']", TypeError, "or int64 tensors, received"),
        ("a[[True, False, True]]", TypeError, "boolean_mask"),
        ("a + b", tf.errors.InvalidArgumentError, "Unable to broadcast"),
        ("a + [[1, 2], [3, 4], [5, 6]]", tf.errors.InvalidArgumentError, "dimension 1"),
        ("a + tf.cast(a, tf.float32)", tf.errors.InvalidArgumentError, "AddV2"),
        ("a + b.with_row_splits_dtype(tf.int32)", ValueError, "row_splits of different dtypes"),
        ("bool(a)", TypeError, "The truth value of"),
        ("hash(a)", TypeError, "unhashable"),
        ("len(a)", TypeError, "len"),
        ("tf.convert_to_tensor(a)", ValueError, "RaggedTensor cannot be converted"),
        ("tf.sort(a)", ValueError, "RaggedTensor"),
        ("tf.argmax(a)", ValueError, "ArgMax does not take a RaggedTensor"),
        ("tf.squeeze(a)", ValueError, "needs `axis`: which sizes"),
        ("tf.squeeze(a, 1)", tf.errors.InvalidArgumentError, "length 1"),
        ("tf.gather(a, [5])", tf.errors.InvalidArgumentError, "indices"),
        ("tf.gather_nd(a, [[1, 0]])", tf.errors.InvalidArgumentError, "within the rows"),
        ("tf.split(a, 2, axis=1)", ValueError, "needs a uniform axis"),
        ("tf.concat([a, n], axis=0)", ValueError, "same rank"),
        ("tf.concat([a, s], axis=1)", Exception, "."),
        ("tf.ragged.map_flat_values(tf.reduce_sum, a)", ValueError, "first dimension of 5"),
        ("a.to_tensor(shape=[1])", tf.errors.InvalidArgumentError, "shape"),
        ("n.merge_dims(2, 1)", ValueError, "must not lie behind"),
        ("tf.shape(a)[1]", ValueError, "not uniform"),
    ],
)
def test_what_is_refused(text: str, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        run(text, *VALUES.values())


def test_rows_that_differ_are_not_equal() -> None:
    a, b = VALUES["a"], VALUES["b"]
    assert (a == b) is False and (a != b) is True and (a == None) is False  # noqa: E711
    assert plain(a == a) == [[True, True, True], [], [True, True]]


def test_nothing_gathered_from_each_row() -> None:
    rows = tf.RaggedTensor.from_row_splits(tf.ones([4, 2]), [0, 2, 4])
    for call in (tf.gather, tf.function(tf.gather)):
        found = call(rows, tf.zeros([0], tf.int32), axis=1)
        assert found.shape == [2, 0, 2]


def test_one_part_is_all_rows() -> None:
    a = VALUES["a"]
    for axis in (0, 1):
        (whole,) = tf.split(a, 1, axis=axis)
        assert plain(whole) == plain(a)


def test_rows_that_do_not_fit_are_refused_when_the_graph_runs() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    add = tf.function(lambda x, y: x + y, input_signature=[spec, spec])
    assert plain(add(VALUES["a"], VALUES["a"])) == [[6, 2, 8], [], [10, 18]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast"):
        add(VALUES["a"], VALUES["b"])
