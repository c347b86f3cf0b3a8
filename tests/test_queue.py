"""Queues, with TensorFlow's order, results and errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def test_first_in_first_out():
    queue = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[(), (2,)])
    queue.enqueue((1.0, [1, 2]))
    queue.enqueue_many(([2.0, 3.0], [[3, 4], [5, 6]]))
    assert int(queue.size()) == 3
    first, pair = queue.dequeue()
    assert float(first) == 1.0 and pair.numpy().tolist() == [1, 2]
    many, pairs = queue.dequeue_many(2)
    assert many.numpy().tolist() == [2.0, 3.0] and pairs.shape == (2, 2)


def test_a_closed_queue():
    queue = tf.queue.FIFOQueue(10, tf.float32, ((),))
    queue.enqueue((10.0,))
    queue.close()
    assert bool(queue.is_closed())
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        queue.enqueue((10.0,))
    assert queue.dequeue_up_to(3).numpy().tolist() == [10.0]
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        queue.dequeue()


def test_it_waits_for_room_and_for_elements():
    queue = tf.queue.FIFOQueue(1, tf.int32, [()])
    taken: list[int] = []
    thread = threading.Thread(target=lambda: taken.extend(int(queue.dequeue()) for _ in range(5)))
    thread.start()
    for i in range(5):
        queue.enqueue(i)
    thread.join(10)
    assert taken == [0, 1, 2, 3, 4]


def test_other_orders():
    priority = tf.queue.PriorityQueue(10, [tf.string], [()])
    for rank, text in ((2, "b"), (1, "a")):
        priority.enqueue((rank, text))
    assert priority.dequeue()[1].numpy() == b"a"
    padding = tf.queue.PaddingFIFOQueue(10, [tf.int32], [[None]])
    for row in ([1, 2], [1]):
        padding.enqueue((row,))
    np.testing.assert_array_equal(padding.dequeue_many(2), [[1, 2], [1, 0]])
    shuffled = tf.queue.RandomShuffleQueue(10, 1, tf.int32, shapes=[()], seed=1)
    shuffled.enqueue_many(([1, 2, 3, 4],))
    assert set(shuffled.dequeue_many(3).numpy()) < {1, 2, 3, 4}


def test_refusals():
    queue = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[(), (2,)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        queue.enqueue((1.0,))
    with pytest.raises(ValueError, match="incompatible"):
        queue.enqueue((1.0, [1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
        tf.queue.FIFOQueue(10, tf.float32).dequeue_many(1)


@pytest.mark.parametrize("looped", [False, True])
def test_graphs_use_queues_when_they_run(looped: bool) -> None:
    queue = tf.queue.FIFOQueue(10, [tf.int32, tf.string], [[], []])

    @tf.function
    def put(n: Any) -> Any:
        if looped:
            for i in tf.range(n):
                queue.enqueue((i * i, tf.strings.as_string(i)))
        else:
            queue.enqueue_many((tf.range(n) ** 2, tf.strings.as_string(tf.range(n))))
        return queue.size()

    @tf.function
    def take() -> Any:
        number, text = queue.dequeue()
        assert number.shape == text.shape == ()
        many = queue.dequeue_many(2)
        assert many[0].shape == (2,)
        rest = queue.dequeue_up_to(tf.constant(2))
        assert rest[0].shape == (None,)
        queue.close()
        return number, text, many, rest, queue.is_closed()

    assert [int(put(tf.constant(n))) for n in (2, 3)] == [2, 5]
    number, text, many, rest, closed = take()
    assert (int(number), text.numpy()) == (0, b"0")
    assert many[0].numpy().tolist() == [1, 0] and rest[1].numpy().tolist() == [b"1", b"2"]
    assert bool(closed)
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        take()
