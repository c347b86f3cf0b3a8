"""What each worker of a test does; see `launch`."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.distribute import workers
from tapeflow._src.distribute.cluster_resolver import TFConfigClusterResolver
from tapeflow._src.ops.graph.workers import worker_concat, worker_sum

DTYPES = ("int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def group() -> Any:
    resolver = TFConfigClusterResolver()
    return workers.start(resolver.cluster_spec(), resolver.task_type, resolver.task_id)


def meet() -> Any:
    met = group()
    return met.rank, met.size, met.worker.device


def collectives() -> Any:
    """Return what the collectives of arrays of all dtypes return."""
    met = group()
    arrays = [np.array([met.rank + 1, 2], tf.as_dtype(name).as_numpy_dtype) for name in DTYPES]
    arrays.append(np.array(3.0 + met.rank))
    return [
        [array.tolist() for array in results]
        for results in (met.all_reduce(arrays), met.all_gather(arrays), met.broadcast(arrays, 1))
    ]


def ops() -> Any:
    """Return results of collectives as ops: differentiated, in loops, and of uneven rows."""
    rank = group().rank
    x = tf.constant([1.0 + rank])
    with tf.GradientTape() as tape:
        tape.watch(x)
        square, _ = worker_sum([x * x, x])
        total = 3.0 * square

    @tf.function
    def looped(x: Any) -> Any:
        for _ in tf.range(3):
            x = x + worker_sum([x])[0]
        return x

    rows = worker_concat([tf.fill([rank, 2], rank)], axis=0)[0]
    return (
        total.numpy().tolist(),
        tape.gradient(total, x).numpy().tolist(),
        looped(x).numpy().tolist(),
        rows.numpy().tolist(),
    )


def _exchange_until_one_ends(rank: int, end: Any) -> None:
    met = group()
    for count in range(10_000):
        met.all_reduce([np.ones(1000, np.float32)])
        if count == 5 and met.rank == rank:
            end()


def first_is_killed() -> None:
    _exchange_until_one_ends(0, lambda: os.kill(os.getpid(), signal.SIGKILL))


def last_is_killed() -> None:
    _exchange_until_one_ends(2, lambda: os.kill(os.getpid(), signal.SIGKILL))


def last_fails() -> None:
    _exchange_until_one_ends(1, lambda: int("a mistake"))
