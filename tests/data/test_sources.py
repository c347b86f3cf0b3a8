"""Where elements come from."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements

Pair = namedtuple("Pair", "x y")


def test_slices_of_structures() -> None:
    dataset = Dataset.from_tensor_slices({"b": ([1, 2], np.ones((2, 3))), "a": ["x", "y"]})
    assert dataset.element_spec == {
        "b": (tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.float64)),
        "a": tf.TensorSpec([], tf.string),
    }
    assert elements(dataset) == [
        {"b": (1, [1.0] * 3), "a": b"x"},
        {"b": (2, [1.0] * 3), "a": b"y"},
    ]
    (first, second) = Dataset.from_tensor_slices(Pair([1, 2], [3, 4]))
    assert isinstance(first, Pair)
    assert (int(first.x), int(second.y)) == (1, 4)


def test_slices_share_the_memory_of_the_tensor() -> None:
    tensor = tf.constant(np.arange(12.0).reshape(6, 2))
    (batch, _) = Dataset.from_tensor_slices(tensor).batch(3)
    assert np.shares_memory(batch._array, tensor._array)


def test_later_changes_of_an_array_do_not_show() -> None:
    array = np.zeros(2)
    dataset = Dataset.from_tensor_slices(array)
    array[:] = 1
    assert elements(dataset) == [0, 0]


def test_a_list_is_one_tensor_and_a_tuple_is_not() -> None:
    assert Dataset.from_tensors([1, 2]).element_spec == tf.TensorSpec([2], tf.int32)
    pair = tf.TensorSpec([], tf.int32)
    assert Dataset.from_tensors((1, 2)).element_spec == (pair, pair)
    assert elements(Dataset.from_tensors((1, None))) == [(1, None)]


@pytest.mark.parametrize("ends", [(5,), (2, 5), (1, 9, 3), (9, 1, -3), (5, 1), (1, 5, -1), (0,)])
def test_ranges_are_pythons(ends: Any) -> None:
    dataset = Dataset.range(*ends)
    assert elements(dataset) == list(range(*ends))
    assert len(dataset) == len(range(*ends))
    assert [x for batch in dataset.batch(2) for x in batch.numpy()] == list(range(*ends))


def test_ranges_of_other_types() -> None:
    dataset = Dataset.range(1, 4, output_type=tf.float32)
    assert dataset.element_spec == tf.TensorSpec([], tf.float32)
    assert [x.dtype for x in dataset.as_numpy_iterator()] == [np.float32] * 3
    assert next(iter(dataset.batch(2))).dtype == tf.float32


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Dataset.from_tensor_slices(3), ValueError, "rank 1 or more"),
        (lambda: Dataset.from_tensor_slices(([1], [1, 2])), ValueError, "1 and 2 are not"),
        (lambda: Dataset.from_tensor_slices(()), ValueError, "no tensor to slice"),
        (lambda: Dataset.from_tensor_slices([[1], [1, 2]]), ValueError, "non-rectangular"),
        (lambda: Dataset.range(), ValueError, "Received 0 arguments"),
        (lambda: Dataset.range(0, 3, 0), tf.errors.InvalidArgumentError, "non-zero"),
        (lambda: Dataset.range(2.5), TypeError, "int64"),
        (lambda: Dataset.from_generator([1], tf.int32), TypeError, "callable"),
        (lambda: Dataset.from_generator(lambda: [1]), TypeError, "output_signature"),
        (lambda: tf.data.experimental.from_list([1, "a"]), ValueError, "same structure"),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


# -- generators ---------------------------------------------------------------------------------


def test_generators_are_started_anew_for_every_walk() -> None:
    starts = []

    def numbers(stop: Any) -> Any:
        starts.append(stop)
        yield from range(stop)

    dataset = Dataset.from_generator(numbers, output_types=tf.int64, args=(3,))
    assert dataset.element_spec == tf.TensorSpec(None, tf.int64)
    assert elements(dataset) == elements(dataset) == [0, 1, 2]
    assert starts == [3, 3]


def test_generators_with_a_signature() -> None:
    signature = {"a": tf.TensorSpec([None], tf.float32), "b": tf.TensorSpec([], tf.string)}
    dataset = Dataset.from_generator(
        lambda: [{"a": [1, 2], "b": "x"}, {"a": [], "b": "y"}], output_signature=signature
    )
    assert elements(dataset) == [{"a": [1.0, 2.0], "b": b"x"}, {"a": [], "b": b"y"}]
    dataset = Dataset.from_generator(lambda: [([1], 2)], (tf.int32, tf.int32), ([None], []))
    assert dataset.element_spec[0].shape == [None]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (["a"], tf.errors.InvalidArgumentError, "'a' as component 0.*int32"),
        ([(1, 2)], tf.errors.InvalidArgumentError, r"shape \(2,\) for component 0"),
        ((1 / 0 for _ in [0]), tf.errors.UnknownError, "ZeroDivisionError"),
        ((int("x") for _ in [0]), tf.errors.InvalidArgumentError, "ValueError: invalid literal"),
        ((len(1) for _ in [0]), tf.errors.InvalidArgumentError, "TypeError"),  # type: ignore[arg-type]
    ],
)
def test_what_a_generator_must_not_give(values: Any, error: type[Exception], message: str) -> None:
    dataset = Dataset.from_generator(lambda: values, output_signature=tf.TensorSpec([], tf.int32))
    with pytest.raises(error, match=message):
        elements(dataset)


def test_a_component_of_a_wrong_dtype_is_named() -> None:
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    dataset = Dataset.from_generator(lambda: [(1, 2), (3, "label")], output_signature=spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match="'label' as component 1"):
        elements(dataset)
    dataset = Dataset.from_generator(lambda: [(1, 2, 3)], output_signature=spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"another structure.*\(1, 2, 3\)"):
        elements(dataset)


def test_generators_in_datasets_of_datasets() -> None:
    dataset = Dataset.range(3).flat_map(
        lambda n: Dataset.from_generator(lambda m: iter([m, -m]), tf.int64, [], args=(n,))
    )
    assert elements(dataset) == [0, 0, 1, -1, 2, -2]


def test_from_list_keeps_what_the_shapes_share() -> None:
    dataset = tf.data.experimental.from_list([([1], "a"), ([2, 3], "b")])
    assert dataset.element_spec == (tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.string))
    assert elements(dataset) == [([1], b"a"), ([2, 3], b"b")]
