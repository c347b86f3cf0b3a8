"""`tf.sets`: the operations of Python's sets on the rows of tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

LEFT = [[1, 2, 2], [3, 4, 5]]
RIGHT = [[2, 9], [5, 3]]
SPARSE = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], [2, 9, 5, 3], [2, 4])


def rows(sparse: tf.SparseTensor) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(int(sparse.dense_shape[0]))]
    for (row, _), value in zip(sparse.indices.numpy(), sparse.values.numpy(), strict=True):
        found[row].append(int(value))
    return found


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("right", [tf.constant(RIGHT), SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["union", "intersection", "difference"])
def test_sets_are_python_sets(name: str, right, traced: bool) -> None:
    call = getattr(tf.sets, name)
    result = (tf.function(call) if traced else call)(tf.constant(LEFT), right)
    pairs = zip(LEFT, RIGHT, strict=True)
    assert rows(result) == [sorted(getattr(set(a), name)(b)) for a, b in pairs]


def test_the_other_difference() -> None:
    assert rows(tf.sets.difference(LEFT, RIGHT, aminusb=False)) == [[9], []]
    assert rows(tf.sets.difference(SPARSE, tf.constant(LEFT))) == [[9], []]
    assert tf.sets.difference(LEFT, RIGHT, aminusb=False).dense_shape.numpy().tolist() == [2, 1]


def test_sizes_and_strings() -> None:
    assert tf.sets.size(SPARSE).numpy().tolist() == [2, 2]
    words = tf.sets.union(tf.constant([["b", "a"]]), tf.constant([["c", "a"]]))
    assert words.values.numpy().tolist() == [b"a", b"b", b"c"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.sets.union(tf.constant([[1.0]]), tf.constant([[1.0]])), TypeError),
        (lambda: tf.sets.union([1, 2], [1, 2]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.union([[1]], [[1], [2]]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.size(tf.constant(LEFT)), TypeError),
        (lambda: tf.sets.size(tf.SparseTensor([[0]], [1], [2])), tf.errors.InvalidArgumentError),
        (
            lambda: tf.sets.union(*[tf.SparseTensor([[0]], [1], [2])] * 2),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: tf.sets.size(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])),
            tf.errors.InvalidArgumentError,
        ),
    ],
)
def test_wrong_calls(call, error) -> None:
    with pytest.raises(error):
        call()


def test_no_sets() -> None:
    empty = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), [2, 3])
    assert tf.sets.union(empty, empty).dense_shape.numpy().tolist() == [2, 0]
