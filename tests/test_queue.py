"""Queues, with TensorFlow's order, results and errors."""

from __future__ import annotations

import threading

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
