"""Errors show the user's frames, and few of the library's."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

LIBRARY = str(Path(tf.__file__).parent)


@pytest.fixture(autouse=True)
def _filtered() -> Iterator[None]:
    tf.debugging.enable_traceback_filtering()
    yield
    tf.debugging.enable_traceback_filtering()


def _frames(call: Callable[[], Any]) -> tuple[int, int]:
    """How many frames of an error's traceback are the library's, and how many are the user's."""
    with pytest.raises(Exception) as caught:
        call()
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    ours = sum(file.startswith(LIBRARY) for file in files)
    return ours, files.count(__file__) - 1


def _zero_division(dz: Any) -> Any:
    return dz / (1 // int(dz.shape.rank))


def _gradient() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.custom_gradient(lambda z: (z, _zero_division))(x)
    tape.gradient(y, x)


def _mapped() -> Any:
    numbers = tf.data.Dataset.range(3)
    return list(numbers.map(lambda i: tf.gather(tf.range(2), tf.cast(i, tf.int32) + 5)))


CALLS: dict[str, tuple[Callable[[], Any], int, int]] = {
    # Two more where a dispatcher has been registered for it.
    "eager op": (lambda: tf.gather(tf.range(2), [9]), 6, 1),
    "eager kernel that fails": (lambda: tf.strings.to_number("abc"), 4, 1),
    "function": (lambda: tf.function(lambda i: tf.gather(tf.range(2), i))(tf.constant([9])), 1, 1),
    "tape": (_gradient, 1, 2),
    "dataset": (_mapped, 1, 1),
    "loop": (lambda: tf.while_loop(lambda i: True, lambda i: 1 / 0, [0]), 1, 2),
}


@pytest.mark.parametrize("case", CALLS)
def test_few_frames_are_the_librarys(case: str) -> None:
    call, ours, users = CALLS[case]
    found = _frames(call)
    assert found[0] <= ours
    assert found[1] == users
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    assert _frames(call)[0] > found[0]


def test_what_a_dataset_fails_with_is_told_once() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        _mapped()
    assert caught.value.__cause__ is None
