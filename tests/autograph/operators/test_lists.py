"""Appending to lists in staged branches and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.autograph.helpers import traced

THREE = tf.constant(3)


def values(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: np.asarray(t).tolist(), result)


def test_a_list_filled_in_a_loop() -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append(i * 2)
        return tf.stack(items), items, len(items), items[0], items[-1]

    function = traced(f)
    assert values(function(THREE)) == ([0, 2, 4], [0, 2, 4], 3, 0, 4)
    assert values(traced(lambda n: tf.stack(f(n)[1]))(tf.constant(1))) == [0]


def test_an_empty_list_is_returned_as_such() -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append(i)
        return items

    assert traced(f)(tf.constant(0)) == []


def test_a_list_that_is_not_empty() -> None:
    def f(n: Any) -> Any:
        items = [0, 1]
        i = 0
        while i < n:
            items.append(items[-1] + items[-2])
            i += 1
        return tf.stack(items)

    assert values(traced(f)(THREE)) == [0, 1, 1, 2, 3]


def test_appending_on_a_condition() -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            if i % 2 == 0:
                items.append(tf.fill([2], i))
        total = 0
        for item in items:
            total += tf.reduce_sum(item)
        return tf.concat(items, 0), tf.stack(items), total

    assert values(traced(f)(THREE)) == ([0, 0, 2, 2], [[0, 0], [2, 2]], 4)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_joining_along_an_axis(axis: int) -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append(tf.fill([2, 2], i))
        return tf.concat(items, axis)

    expected = np.concatenate([np.full([2, 2], i) for i in range(3)], axis)
    assert values(traced(f)(THREE)) == expected.tolist()


def test_items_with_a_structure() -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append({"i": i, "x": tf.cast(i, tf.float32) / 2})
        return items[1], items.stack(), items

    one, stacked, items = values(traced(f)(THREE))
    assert one == {"i": 1, "x": 0.5}
    assert stacked == {"i": [0, 1, 2], "x": [0.0, 0.5, 1.0]}
    assert items[2] == {"i": 2, "x": 1.0}


def test_lists_within_an_iteration_are_pythons() -> None:
    def f(n: Any) -> Any:
        rows = []
        for i in tf.range(n):
            row = []
            for j in range(2):
                row.append(i + j)
            rows.append(tf.stack(row))
        return tf.stack(rows)

    assert values(traced(f)(THREE)) == [[0, 1], [1, 2], [2, 3]]


def test_python_loops_fill_python_lists() -> None:
    def f(x: Any) -> Any:
        items: list[Any] = []
        for i in range(3):
            if x > i:
                items.append(x)
            else:
                items.append(-x)
        return items

    result = traced(f)(tf.constant(2))
    assert isinstance(result, list)
    assert values(result) == [2, 2, -2]


def test_appending_in_one_branch_only() -> None:
    def f(x: Any) -> Any:
        items = [x]
        if x > 0:
            items.append(x)
        return items

    with pytest.raises(TypeError, match="'items' must have the same structure"):
        traced(f)(THREE)


def test_the_callers_list_is_left_alone_or_refused() -> None:
    def f(items: Any, n: Any) -> Any:
        for i in tf.range(n):
            items.append(i)
        return tf.stack(items)

    with pytest.raises(TypeError, match="out of scope"):
        traced(lambda n: f([], n))(THREE)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (lambda i: object(), "object.* is appended to 'items' in a loop of the graph"),
        (lambda i: (i, i), "not nested alike"),
        (lambda i: 1.0, "dtypes int32 and float32"),
    ],
)
def test_items_that_are_not_alike(item: Any, text: str) -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append(i)
            items.append(item(i))
        return items

    with pytest.raises(TypeError, match=text):
        traced(f)(THREE)


@pytest.mark.parametrize(
    "use", [lambda items: list(items), lambda items: [*items], lambda items: items.pop()]
)
def test_what_such_a_list_cannot_do(use: Any) -> None:
    def f(n: Any) -> Any:
        items = []
        for i in tf.range(n):
            items.append(i)
        return use(items)

    with pytest.raises((TypeError, AttributeError), match="filled in a loop of the graph"):
        traced(f)(THREE)


def test_gradients_go_through() -> None:
    def f(x: Any) -> Any:
        items = []
        for i in tf.range(3):
            items.append(x * tf.cast(i, tf.float32))
        return tf.reduce_sum(tf.stack(items) ** 2)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = traced(f)(x)
    assert tape.gradient(y, x).numpy() == 20.0
