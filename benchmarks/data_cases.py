"""Cases about `tf.data`: what the next element or batch costs, eagerly and in functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

ROWS = 20_000


def images(tf: Any) -> Any:
    """Images and labels, in memory."""
    labels = np.arange(ROWS) % 10
    return tf.data.Dataset.from_tensor_slices((normal(ROWS, 784), labels))


def following(dataset: Any) -> Step:
    """The next element, again and again."""
    iterator = iter(dataset.repeat())
    return lambda: next(iterator)


@case("batch of 32 images in memory", target=10)
def memory_batch(tf: Any) -> Step:
    return following(images(tf).batch(32))


@case("batch of 64 shuffled images", target=3)
def shuffled_batch(tf: Any) -> Step:
    return following(images(tf).shuffle(ROWS, seed=1).batch(64))


@case("one image of a dataset", target=10)
def single_element(tf: Any) -> Step:
    return following(images(tf))


@case("batch of 32 images, each mapped", target=1.5)
def mapped_batch(tf: Any) -> Step:
    dataset = images(tf).map(lambda x, y: (x * 2.0 - 1.0, y))
    return following(dataset.batch(32))


@case("batch of 32 images, mapped at once", target=2)
def batch_mapped(tf: Any) -> Step:
    dataset = images(tf).batch(32).map(lambda x, y: (x * 2.0 - 1.0, y))
    return following(dataset)


@case("number of a generator", target=2)
def generated(tf: Any) -> Step:
    spec = tf.TensorSpec([], tf.int32)
    dataset = tf.data.Dataset.from_generator(lambda: iter(int, 1), output_signature=spec)
    return following(dataset)


@case("loop over 100 batches in a function", target=2, warm=1.0)
def loop_in_function(tf: Any) -> Step:
    dataset = images(tf).batch(32).take(100)

    @tf.function
    def total(batches: Any) -> Any:
        found = tf.constant(0.0)
        for x, _ in batches:
            found += x[0, 0]
        return found

    return lambda: total(dataset)


@case("next batch in a function", target=3, warm=1.0)
def next_in_function(tf: Any) -> Step:
    iterator = iter(images(tf).batch(32).repeat())

    @tf.function
    def first(batches: Any) -> Any:
        return next(batches)[0][0, 0]

    return lambda: first(iterator)
