"""Random orders: TensorFlow's for the same seeds (recorded from TensorFlow 2.21)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements


@pytest.fixture(autouse=True)
def no_global_seed() -> Any:
    tf.random.set_seed(None)
    yield
    tf.random.set_seed(None)


RECORDED = {
    (10, 0): [[2, 0, 1, 4, 5, 6, 9, 7, 8, 3], [9, 3, 6, 5, 7, 2, 1, 8, 0, 4]],
    (4, 0): [[0, 3, 2, 6, 5, 1, 9, 7, 8, 4], [3, 0, 2, 6, 7, 4, 1, 8, 9, 5]],
    (10, 7): [[2, 8, 6, 5, 9, 1, 0, 3, 7, 4], [9, 1, 3, 0, 6, 4, 7, 8, 2, 5]],
    (4, 7): [[0, 4, 2, 3, 5, 6, 1, 8, 7, 9], [1, 3, 0, 4, 6, 5, 7, 8, 9, 2]],
}


@pytest.mark.parametrize(("size", "seed"), RECORDED)
@pytest.mark.parametrize("kind", ["table", "elements", "batches"])
def test_each_iteration_has_the_order_of_tensorflow(size: int, seed: int, kind: str) -> None:
    base = Dataset.range(10)
    source = base.map(lambda x: x) if kind == "elements" else base
    dataset = source.shuffle(size, seed=seed)
    if kind == "batches":
        batched = dataset.batch(3)
        found = [[x for batch in elements(batched) for x in batch] for _ in range(2)]
    else:
        found = [elements(dataset) for _ in range(2)]
    assert found == RECORDED[size, seed]


def test_one_order_for_all_iterations() -> None:
    dataset = Dataset.range(10).shuffle(4, seed=0, reshuffle_each_iteration=False)
    assert elements(dataset) == elements(dataset) == [1, 2, 4, 0, 5, 7, 9, 8, 6, 3]


def test_repetitions_are_in_new_orders() -> None:
    dataset = Dataset.range(6).shuffle(4, seed=0).repeat(3)
    first, second, third = [0, 3, 2, 5, 1, 4], [3, 0, 2, 5, 1, 4], [1, 4, 2, 5, 0, 3]
    assert elements(dataset) == first + second + third
    assert elements(dataset)[:6] == [2, 3, 0, 4, 1, 5]


def test_the_global_seed_decides_if_there_is_no_other() -> None:
    tf.random.set_seed(5)
    first, second = Dataset.range(10).shuffle(10), Dataset.range(10).shuffle(10)
    assert elements(first) == [7, 5, 4, 1, 0, 9, 6, 3, 8, 2]
    assert elements(second) == [1, 7, 4, 2, 3, 0, 8, 9, 5, 6]
    assert elements(Dataset.range(10).shuffle(10, seed=3)) == [8, 3, 0, 6, 7, 2, 9, 1, 5, 4]


def test_without_a_seed_orders_differ() -> None:
    orders = {tuple(elements(Dataset.range(30).shuffle(30))) for _ in range(5)}
    assert len(orders) == 5


@pytest.mark.parametrize("size", [1, 2, 5, 9, 10, 11, 100, -2])
def test_a_shuffle_is_a_permutation(size: int) -> None:
    dataset = Dataset.from_tensor_slices((np.arange(10), np.arange(10) * 2)).shuffle(size)
    found = elements(dataset)
    assert sorted(found) == [(n, 2 * n) for n in range(10)]
    # An element cannot come before the buffer has reached it.
    if size > 0:
        assert all(n < place + size for place, (n, _) in enumerate(found))


def test_random_numbers() -> None:
    assert elements(Dataset.random(seed=1).take(3)) == [2870909127, 3455438759, 4052121393]
    changing = Dataset.random(seed=0, rerandomize_each_iteration=True).take(2)
    assert elements(changing) == [1047474732, 4032669070]
    assert elements(changing) == [2248540839, 2717777522]


def test_samples_of_datasets() -> None:
    tf.random.set_seed(5)
    datasets = [Dataset.range(10), Dataset.range(10, 20)]
    found = elements(Dataset.sample_from_datasets(datasets, [0.5, 0.5], seed=3))
    assert found[:12] == [0, 10, 1, 2, 11, 3, 12, 4, 5, 6, 13, 14]
    assert sorted(found) == list(range(20))
    ended = Dataset.sample_from_datasets(
        [datasets[0].repeat(), datasets[1]], [0.2, 0.8], seed=3, stop_on_empty_dataset=True
    )
    assert elements(ended) == [0, 10, 1, 11, 12, 2, 13, 14, 3, 15, 16, 17, 18, 19]


@pytest.mark.parametrize("size", [0, -1])
def test_a_buffer_holds_something(size: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
        Dataset.range(3).shuffle(size)
