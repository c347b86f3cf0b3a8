"""`tf.edit_distance` against a plain recursion, and TensorFlow's answers at the edges."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf


def sparse(*rows: str, width: int = 8, dtype: Any = None) -> Any:
    """Words as the rows of a sparse matrix of letters."""
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    letters = [letter for row in rows for letter in row]
    values = letters if dtype is None else np.array([ord(letter) for letter in letters], dtype)
    return tf.SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(values, dtype or object),
        [len(rows), width],
    )


@functools.cache
def changes(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(changes(a[1:], b) + 1, changes(a, b[1:]) + 1, changes(a[1:], b[1:]) + (a[0] != b[0]))


WORDS = st.lists(st.tuples(*[st.text("ab", max_size=6)] * 2), min_size=1, max_size=4)


@given(WORDS)
def test_it_is_the_fewest_changes(pairs: list[tuple[str, str]]) -> None:
    a, b = (sparse(*words) for words in zip(*pairs, strict=True))
    expected = [changes(*pair) for pair in pairs]
    np.testing.assert_array_equal(tf.edit_distance(a, b, normalize=False), expected)
    shares = [
        n / len(y) if y else math.inf if x else 0.0
        for n, (x, y) in zip(expected, pairs, strict=True)
    ]
    np.testing.assert_allclose(tf.edit_distance(a, b), shares, rtol=1e-6)


def test_two_axes_of_sequences_of_which_some_are_missing() -> None:
    guess = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    truth = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2)
    )
    np.testing.assert_array_equal(tf.edit_distance(guess, truth), [[math.inf, 1], [0.5, 1]])
    np.testing.assert_array_equal(tf.edit_distance(guess, truth, False), [[1, 1], [1, 1]])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.complex64, np.uint8])
def test_items_of_any_dtype(dtype: Any) -> None:
    distance = tf.edit_distance(
        sparse("kitten", dtype=dtype), sparse("sitting", dtype=dtype), False
    )
    np.testing.assert_array_equal(distance, [3])
    assert distance.dtype is tf.float32


def test_nan_is_not_nan() -> None:
    nan = tf.SparseTensor([[0, 0]], [math.nan], [1, 1])
    np.testing.assert_array_equal(tf.edit_distance(nan, nan), [1])


def test_in_a_function() -> None:
    distance = tf.function(tf.edit_distance)
    np.testing.assert_array_equal(distance(sparse("ab", "c"), sparse("a", "bd")), [1, 1])
    spec = tf.SparseTensorSpec([None, None], tf.string)
    (result,) = distance.get_concrete_function(spec, spec).outputs
    assert result.shape.as_list() == [None]


ONE = tf.SparseTensor([[0, 0]], [1], [1, 1])
CUBE = tf.SparseTensor([[0, 0, 0]], [1], [1, 1, 1])
LINE = tf.SparseTensor([[0]], [1], [2])
NONE = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), [0, 2])


@pytest.mark.parametrize(
    ("hypothesis", "truth", "error", "message"),
    [
        ([1], ONE, TypeError, "Hypothesis must be a SparseTensor"),
        (ONE, [1], TypeError, "Truth must be a SparseTensor"),
        (sparse("a"), ONE, tf.errors.InvalidArgumentError, "expected the same dtype"),
        (ONE, CUBE, tf.errors.InvalidArgumentError, r"matching ranks.*\[3\] and \[2\]"),
        (LINE, LINE, tf.errors.InvalidArgumentError, "rank at least 2"),
        (NONE, NONE, tf.errors.InvalidArgumentError, r"shape \[0\] which has 0 elements"),
        (
            tf.SparseTensor([[5, 0]], [1], [1, 1]),
            ONE,
            tf.errors.InternalError,
            r"hypothesis_indices\[0\] = \[5, 0\] is outside of the result.*\[1\].*EditDistance",
        ),
    ],
)
def test_what_is_refused(hypothesis: Any, truth: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tf.edit_distance(hypothesis, truth)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hypothesis_shape": [1, 2, 3]}, "hypothesis_shape.NumElements == #cols"),
        ({"hypothesis_values": [1, 2]}, "hypothesis_values.NumElements == #rows"),
        ({"truth_indices": [0, 1]}, r"truth_indices should be a matrix, got shape \[2\]"),
    ],
)
def test_parts_that_do_not_fit(given: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {}
    for name in ("hypothesis", "truth"):
        parts[f"{name}_indices"], parts[f"{name}_shape"] = [[0, 0]], [1, 1]
        parts[f"{name}_values"] = [1]
    parts.update(given)
    for name, value in parts.items():
        if not name.endswith("values"):
            parts[name] = np.array(value, np.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.EditDistance(**parts)


def test_it_has_no_gradient() -> None:
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = tf.edit_distance(
            tf.SparseTensor([[0, 0]], x, [1, 1]), tf.SparseTensor([[0, 0]], [2.0], [1, 1])
        )
    assert tape.gradient(y, x) is None
