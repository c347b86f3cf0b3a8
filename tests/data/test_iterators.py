"""Iterators and optionals, eagerly."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset


def test_the_end() -> None:
    iterator = iter(Dataset.range(1))
    assert iter(iterator) is iterator
    assert int(iterator.get_next()) == 0
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            iterator.get_next()
        with pytest.raises(StopIteration):
            next(iterator)
    assert next(iterator, "nothing") == "nothing"


def test_iterators_are_independent() -> None:
    dataset = Dataset.range(3)
    first, second = iter(dataset), iter(dataset)
    assert (int(next(first)), int(next(first)), int(next(second))) == (0, 1, 0)
    assert isinstance(first, tf.data.Iterator)
    assert first.element_spec == dataset.element_spec
    with pytest.raises(TypeError, match=r"iter\(dataset\)"):
        tf.data.Iterator()


def test_threads_share_an_iterator() -> None:
    iterator = iter(Dataset.range(2000))
    found: list[int] = []

    def take() -> None:
        for x in iterator:
            found.append(int(x))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(2000))


def test_optionals() -> None:
    iterator = iter(Dataset.from_tensors({"a": 1, "b": (2.0, "x")}))
    there, absent = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(there.has_value())
    assert there.get_value()["b"][1].numpy() == b"x"
    assert there.element_spec == absent.element_spec
    assert not bool(absent.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        absent.get_value()


def test_optionals_are_values_of_functions() -> None:
    @tf.function
    def doubled(optional: tf.experimental.Optional) -> tf.experimental.Optional:
        if optional.has_value():
            return tf.experimental.Optional.from_value(2 * optional.get_value())
        return optional

    found = doubled(tf.experimental.Optional.from_value(21))
    assert int(found.get_value()) == 42
    empty = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    assert not bool(doubled(empty).has_value())
    assert doubled.experimental_get_tracing_count() == 1


def test_numpy_iterators() -> None:
    dataset = Dataset.from_tensor_slices((np.ones((2, 2)), ["a", "b"]))
    walk = dataset.as_numpy_iterator()
    array, text = next(walk)
    assert text == b"a"
    assert isinstance(array, np.ndarray)
    assert not array.flags.writeable
    assert walk.next()[1] == b"b"
    with pytest.raises(TypeError, match="as_numpy_iterator"):
        dataset.window(1).as_numpy_iterator()


def test_options_are_kept_and_merged() -> None:
    ordered, unordered = tf.data.Options(), tf.data.Options()
    assert ordered == unordered
    ordered.deterministic, unordered.deterministic = True, False
    unordered.threading.private_threadpool_size = 3
    dataset = Dataset.range(3).with_options(ordered).map(lambda x: x)
    assert dataset.options().deterministic is True
    merged = Dataset.zip(dataset, Dataset.range(3).with_options(unordered)).options()
    assert (merged.deterministic, merged.threading.private_threadpool_size) == (False, 3)
    assert merged.experimental_distribute.auto_shard_policy is (
        tf.data.experimental.AutoShardPolicy.AUTO
    )
    with pytest.raises(TypeError, match="deterministic"):
        ordered.deterministic = 3
    with pytest.raises(AttributeError, match="nothing"):
        ordered.nothing = 3
