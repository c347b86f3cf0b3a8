"""The place of an iterator can be saved anywhere and restored: the rest of the elements follows."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.data import states
from tests.data.helpers import Dataset, elements, pipelines, plain


@pytest.mark.parametrize("name", pipelines())
def test_what_is_left_follows_a_restored_place(name: str) -> None:
    whole = elements(pipelines()[name])
    for place in {0, 1, len(whole) // 2, len(whole)}:
        walk = pipelines()[name].as_numpy_iterator()
        before = [plain(next(walk)) for _ in range(place)]
        saved = walk.save()
        after = [plain(element) for element in walk]
        assert before + after == whole

        anew = pipelines()[name].as_numpy_iterator()
        anew.restore(saved)
        assert [plain(element) for element in anew] == after


@pytest.mark.parametrize("name", pipelines())
def test_the_cardinality_is_the_number_of_elements_if_it_is_known(name: str) -> None:
    dataset = pipelines()[name]
    count = int(dataset.cardinality())
    assert count in (tf.data.UNKNOWN_CARDINALITY, len(elements(dataset)))


@pytest.mark.parametrize("name", pipelines())
def test_elements_are_of_the_spec_and_the_same_however_they_are_taken(name: str) -> None:
    dataset = pipelines()[name]
    for element in dataset:
        for leaf, spec in zip(tf.nest.flatten(element), tf.nest.flatten(dataset.element_spec)):
            assert spec.is_compatible_with(leaf)
    count = len(elements(dataset))
    skipped = [element for place in range(count + 1) for element in elements(dataset.skip(place))]
    if name not in ("shuffle", "shuffle of elements", "shuffle all", "sample"):
        whole = elements(dataset)
        assert skipped == [e for place in range(count + 1) for e in whole[place:]]


@pytest.mark.parametrize(
    "state",
    [
        None,
        (1, [2.5, "text"], b"\x00\xff", True),
        {3: [(1,), ()], "key": {}},
    ],
)
def test_states_come_back_as_they_were(state: Any) -> None:
    assert states.from_bytes(states.to_bytes(state)) == state


def test_arrays_come_back_as_they_were() -> None:
    for tensor in (
        tf.constant([[1.5, 2.0]]),
        tf.constant(["a", "bc"]),
        tf.constant(3, tf.bfloat16),
    ):
        array = tensor._array
        back = states.from_bytes(states.to_bytes([array]))[0]
        assert back.dtype == array.dtype
        assert back.tolist() == array.tolist()


def test_a_generator_is_called_again_and_its_first_values_are_skipped() -> None:
    def numbers() -> Any:
        yield from range(6)

    dataset = Dataset.from_generator(numbers, tf.int32)
    walk = dataset.as_numpy_iterator()
    assert [next(walk), next(walk)] == [0, 1]
    other = dataset.as_numpy_iterator()
    other.restore(walk.save())
    assert list(other) == [2, 3, 4, 5]


def test_a_position_of_another_dataset_is_refused(tmp_path):
    saved, other = iter(tf.data.Dataset.range(10)), iter(tf.data.Dataset.from_tensor_slices([1, 2]))
    next(saved)
    path = tf.train.Checkpoint(iterator=saved).save(tmp_path / "position")
    with pytest.raises(tf.errors.NotFoundError, match="another dataset"):
        tf.train.Checkpoint(iterator=other).restore(path)
    assert next(other).numpy() == 1
