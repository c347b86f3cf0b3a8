"""`PyDataset` with threads and processes, and Keras 2's enqueuers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.trainers.data_adapters.py_dataset import PyDatasetAdapter


class Batches(tf.keras.utils.PyDataset):
    """Batches that hold their own number; the even ones take longer."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.02 if index % 2 == 0 else 0)
        return (np.full((2, 1), index, "float32"),)


class Failing(Batches):
    def __getitem__(self, index: int) -> Any:
        if index == 3:
            raise LookupError("no batch three")
        return super().__getitem__(index)


class Killed(Batches):
    def __getitem__(self, index: int) -> Any:
        if index == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


WORKERS = [(1, False), (3, False), (2, True)]


def indices(dataset: Any, shuffle: bool = False) -> list[int]:
    batches = PyDatasetAdapter(dataset, shuffle=shuffle).batches()
    return [int(batch[0][0, 0]) for batch in batches]


@pytest.mark.parametrize(("workers", "processes"), WORKERS)
def test_batches_come_in_order(workers: int, processes: bool) -> None:
    dataset = Batches(workers=workers, use_multiprocessing=processes, max_queue_size=3)
    assert indices(dataset) == list(range(8))
    assert sorted(indices(dataset, shuffle=True)) == list(range(8))
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("workers", "processes"), WORKERS)
def test_errors_keep_the_traceback_of_the_worker(workers: int, processes: bool) -> None:
    dataset = Failing(workers=workers, use_multiprocessing=processes)
    with pytest.raises(LookupError, match="three") as caught:
        indices(dataset)
    remote = str(caught.value.__cause__) if processes else ""
    own = [entry.name for entry in caught.traceback]
    assert "__getitem__" in remote or "__getitem__" in own
    assert not multiprocessing.active_children()


def test_killed_worker_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="Killed"):
        indices(Killed(workers=2, use_multiprocessing=True))
    assert not multiprocessing.active_children()


def test_abandoned_iteration_ends_the_workers() -> None:
    batches = PyDatasetAdapter(Batches(workers=2, use_multiprocessing=True)).batches()
    next(batches)
    batches.close()
    assert not multiprocessing.active_children()


def test_fit_uses_processes() -> None:
    class Pairs(Batches):
        def __getitem__(self, index: int) -> Any:
            x = super().__getitem__(index)[0]
            return x, x

    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(Pairs(workers=2, use_multiprocessing=True), epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2
    assert not multiprocessing.active_children()


def test_iterating_over_a_dataset() -> None:
    assert [int(batch[0][0, 0]) for batch in Batches()] == list(range(8))


def test_ordered_enqueuer_goes_on_epoch_after_epoch() -> None:
    enqueuer = tf.keras.utils.OrderedEnqueuer(Batches())
    enqueuer.start(workers=2, max_queue_size=3)
    items = enqueuer.get()
    assert [int(next(items)[0][0, 0]) for _ in range(10)] == [*range(8), 0, 1]
    enqueuer.stop()
    assert not enqueuer.is_running()
    assert list(items) == []


def test_generator_enqueuer_ends_and_fails_as_the_generator_does() -> None:
    def numbers() -> Any:
        yield 1
        raise LookupError("no two")

    enqueuer = tf.keras.utils.GeneratorEnqueuer(numbers())
    enqueuer.start()
    items = enqueuer.get()
    assert next(items) == 1
    with pytest.raises(LookupError, match="no two"):
        next(items)
    assert not enqueuer.is_running()
