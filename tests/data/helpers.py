"""What the tests of datasets share: elements as plain Python, and a list of many pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf

Dataset = tf.data.Dataset


def plain(value: Any) -> Any:
    """NumPy values as Python's, in any structure."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def elements(dataset: Any) -> list[Any]:
    """All elements, as plain Python."""
    return [plain(element) for element in dataset.as_numpy_iterator()]


def evens(x: Any) -> Any:
    return x % 2 == 0


def pipelines() -> dict[str, Any]:
    """Datasets of all kinds whose places can be saved, by name; made anew at each call."""
    base = Dataset.range(23)
    vectors = base.map(lambda x: tf.fill([x % 4], x))
    return {
        "range": base,
        "slices": Dataset.from_tensor_slices(
            {"a": np.arange(12).reshape(6, 2), "b": list("abcdef")}
        ),
        "tensors": Dataset.from_tensors((1, "x")),
        "list": tf.data.experimental.from_list([[1], [2, 3]]),
        "map": base.map(lambda x: x * x),
        "parallel map": base.map(lambda x: x * x, num_parallel_calls=3),
        "filter": base.filter(evens),
        "take while": base.take_while(lambda x: x < 9),
        "unique": base.map(lambda x: x % 7).unique(),
        "flat map": base.flat_map(Dataset.range),
        "interleave": base.interleave(Dataset.range, cycle_length=3, block_length=2),
        "batch": base.batch(4),
        "batch of batches": base.batch(4, drop_remainder=True).batch(2),
        "padded": vectors.padded_batch(3),
        "unbatch": base.batch(4).unbatch(),
        "unbatch and batch": base.batch(4).unbatch().batch(5),
        "rebatch": base.batch(4).rebatch([1, 2, 3]),
        "shuffle": base.shuffle(5, seed=3),
        "shuffle of elements": base.map(lambda x: x).shuffle(5, seed=3).batch(2),
        "shuffle all": base.shuffle(tf.data.UNKNOWN_CARDINALITY, seed=3).batch(3),
        "repeat": base.repeat(3),
        "repeat of a shuffle": base.shuffle(30, seed=1, reshuffle_each_iteration=False).repeat(2),
        "batches across repetitions": Dataset.range(5).repeat(4).batch(3),
        "take": base.take(7),
        "skip": base.skip(7),
        "shard": base.shard(4, 1),
        "part of a map": base.map(lambda x: x).skip(2).take(9).shard(3, 1),
        "zip": Dataset.zip(base, base.skip(3).map(lambda x: -x)),
        "zip of batches": Dataset.zip(base.map(lambda x: x), base.skip(3)).batch(4),
        "concatenate": base.concatenate(Dataset.range(4)),
        "batches across parts": base.concatenate(Dataset.range(4)).batch(7),
        "enumerate": base.enumerate(5),
        "cache": base.map(lambda x: x + 1).cache(),
        "prefetch": base.prefetch(2),
        "scan": base.scan(np.int64(0), lambda s, x: (s + x, s)),
        "random": Dataset.random(seed=4).take(20),
        "batches of random numbers": Dataset.random(seed=4).batch(3).take(5),
        "window": base.window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3)),
        "groups": base.group_by_window(lambda x: x % 3, lambda k, d: d.batch(4), 4),
        "choose": Dataset.choose_from_datasets([base, base.skip(9)], Dataset.range(2).repeat(9)),
        "sample": Dataset.sample_from_datasets([base, base.skip(9)], seed=7),
        "counter": Dataset.counter(2, 3).take(6),
        "counted": base.apply(tf.data.experimental.assert_cardinality(23)),
        "ignored errors": base.ignore_errors(),
    }
