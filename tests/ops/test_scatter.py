"""Scattering: repeated and bad coordinates, ties, and rows of any width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("width", [(), (1,), (5,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("name", ["update", "add", "sub", "max", "min"])
def test_rows_of_any_width(name: str, width: tuple[int, ...]) -> None:
    tensor = RNG.uniform(size=(6, *width)).astype(np.float32)
    # Of places named twice only the last is left after an update.
    places = [0, 4, 5] if name == "update" else [0, 4, 4]
    updates = RNG.uniform(size=(3, *width)).astype(np.float32)
    result = getattr(tf, f"tensor_scatter_nd_{name}")(tensor, [[p] for p in places], updates)
    expected = tensor.copy()
    for place, row in zip(places, updates, strict=True):
        expected[place] = {
            "update": lambda old, new: new,
            "add": np.add,
            "sub": np.subtract,
            "max": np.maximum,
            "min": np.minimum,
        }[name](expected[place], row)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("rows", [10, 5000])
def test_many_rows_add_up(rows: int) -> None:
    places = RNG.integers(0, 7, rows)
    updates = RNG.uniform(size=(rows, 8)).astype(np.float32)
    expected = np.zeros((7, 8), np.float32)
    np.add.at(expected, places, updates)
    np.testing.assert_allclose(tf.scatter_nd(places[:, None], updates, [7, 8]), expected, rtol=1e-4)


def test_the_tensor_given_stays_as_it_is() -> None:
    tensor = tf.zeros([3])
    tf.tensor_scatter_nd_add(tensor, [[1]], [5.0])
    assert tensor.numpy().tolist() == [0, 0, 0]


def test_truths_and_texts_add_up() -> None:
    assert tf.scatter_nd([[0], [0]], [True, True], [2]).numpy().tolist() == [True, False]
    assert tf.scatter_nd([[0], [0]], ["a", "b"], [2]).numpy().tolist() == [b"ab", b""]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tf.scatter_nd([[4]], [1], [4]),
            r"indices\[0\] = \[4\] does not index into shape \[4\]",
        ),
        (lambda: tf.scatter_nd([[0, 1]], [[1, 2, 3]], [2, 2, 2]), r"Dimensions \[2,3\) of input"),
        (lambda: tf.scatter_nd([[0]], [1], [0]), "Indices and updates specified for empty output"),
        (lambda: tf.scatter_nd([[0]], [1], 4), "Shape must be a vector"),
        (lambda: tf.scatter_nd([[0]], [1], [-4]), "Dimension -4 must be >= 0"),
        (lambda: tf.tensor_scatter_nd_add([1, 2], [[-1]], [9]), r"indices\[0\] = \[-1\]"),
        (lambda: tf.tensor_scatter_nd_add([1, 2], [[1]], [9, 8]), "Outer dimensions of indices"),
        (lambda: tf.tensor_scatter_nd_update([1, 2], [[1]], [[9]]), "Inner dimensions of output"),
        (lambda: tf.tensor_scatter_nd_update([1, 2], [1], 9), "Updates must have at"),
    ],
    ids=range(9),
)
def test_what_does_not_fit(call: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


def test_bad_places_can_be_ignored() -> None:
    ignore = {"bad_indices_policy": "IGNORE"}
    assert tf.scatter_nd([[9], [1]], [1, 2], [2], **ignore).numpy().tolist() == [0, 2]
    for name, expected in (("add", [1, 5]), ("sub", [1, -1]), ("max", [1, 3]), ("min", [1, 2])):
        scatter = getattr(tf, f"tensor_scatter_nd_{name}")
        assert scatter([1, 2], [[-1], [1]], [3, 3], **ignore).numpy().tolist() == expected


def test_ties_share_the_gradient() -> None:
    tensor, updates = tf.constant([1.0, 2.0]), tf.constant([5.0, 2.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch([tensor, updates])
        result = tf.tensor_scatter_nd_max(tensor, [[0], [1], [0]], updates)
    of_tensor, of_updates = tape.gradient(result, [tensor, updates])
    assert of_tensor.numpy().tolist() == [0, 0.5]
    assert of_updates.numpy().tolist() == [0.5, 0.5, 0.5]
