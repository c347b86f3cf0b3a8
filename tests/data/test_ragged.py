"""Ragged tensors as elements, and ragged batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, plain

ROWS = [[1], [2, 3], []]
NESTED = [[[1], [2, 3]], [[4]], []]


def lists(dataset: Any) -> list[Any]:
    """All elements as nested lists."""
    return [
        tf.nest.map_structure(
            lambda leaf: (
                leaf.to_list() if isinstance(leaf, tf.RaggedTensor) else plain(leaf.numpy())
            ),
            element,
        )
        for element in dataset
    ]


def test_rows_are_elements() -> None:
    dataset = Dataset.from_tensor_slices(tf.ragged.constant(ROWS))
    assert dataset.element_spec == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert lists(dataset) == ROWS
    nested = Dataset.from_tensor_slices(tf.ragged.constant(NESTED))
    assert nested.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    assert lists(nested) == NESTED


@pytest.mark.parametrize("rows", [ROWS, NESTED])
def test_batches_are_taken_apart_again(rows: Any) -> None:
    dataset = Dataset.from_tensor_slices(tf.ragged.constant(rows))
    batches = dataset.batch(2)
    assert batches.element_spec.ragged_rank == dataset.element_spec.ragged_rank + 1
    assert lists(batches) == [rows[:2], rows[2:]]
    assert lists(batches.unbatch()) == lists(batches.rebatch(3).unbatch()) == rows
    assert lists(dataset.batch(1).batch(3)) == [[[row] for row in rows]]
    assert lists(Dataset.from_tensors(tf.ragged.constant(rows)).unbatch()) == rows


def test_functions_of_ragged_elements() -> None:
    nested = Dataset.from_tensor_slices({"r": tf.ragged.constant(NESTED), "n": [1, 2, 3]})
    assert lists(nested.map(lambda d: d["r"] + d["n"])) == [[[2], [3, 4]], [[6]], []]
    made = Dataset.range(1, 3).map(lambda n: tf.RaggedTensor.from_row_lengths(tf.range(n), [0, n]))
    assert lists(made) == [[[], [0]], [[], [0, 1]]]
    assert lists(made.shuffle(2, seed=0).batch(2)) in ([lists(made)], [lists(made)[::-1]])


def test_loops_over_ragged_elements() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        found = 0
        for row in dataset:
            found += tf.reduce_sum(row)
        return found

    assert int(total(Dataset.from_tensor_slices(tf.ragged.constant(ROWS)))) == 6
    assert int(total(Dataset.from_tensor_slices(tf.ragged.constant(NESTED)))) == 10


def test_dense_elements_in_ragged_batches() -> None:
    ranges = Dataset.range(4).map(lambda x: (tf.range(x), x))
    assert lists(ranges.ragged_batch(3)) == [
        ([[], [0], [0, 1]], [0, 1, 2]),
        ([[0, 1, 2]], [3]),
    ]
    matrices = Dataset.range(1, 3).map(lambda x: tf.fill([2, x], x))
    assert lists(matrices.ragged_batch(2)) == [[[[1], [1]], [[2, 2], [2, 2]]]]
    applied = ranges.apply(tf.data.experimental.dense_to_ragged_batch(3, drop_remainder=True))
    assert applied.element_spec[0] == tf.RaggedTensorSpec([3, None], tf.int64, 1)


def test_places_and_numpy_values() -> None:
    make = lambda: Dataset.from_tensor_slices(tf.ragged.constant(NESTED)).shuffle(3, seed=1)  # noqa: E731
    walk = make().as_numpy_iterator()
    next(walk)
    saved = walk.save()
    after = [np.asarray(x, object).tolist() for x in walk]
    anew = make().as_numpy_iterator()
    anew.restore(saved)
    assert str([np.asarray(x, object).tolist() for x in anew]) == str(after)
