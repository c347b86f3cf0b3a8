"""What Keras does as one of several replicas of a `tf.distribute` strategy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf


def replica_count() -> int:
    """Return the number of replicas that compute one step together."""
    return tf.distribute.get_strategy().num_replicas_in_sync


def running_replica() -> Any:
    """Return the context of the replica that is running, or None if there is no other one."""
    if not tf.distribute.has_strategy():
        return None
    replica = tf.distribute.get_replica_context()
    return None if replica is None or replica.num_replicas_in_sync == 1 else replica


def spans_workers(strategy: Any) -> bool:
    """Return whether other processes have replicas of a strategy."""
    return strategy.num_replicas_in_sync > 1 and strategy.extended._in_multi_worker_mode()


def share_of_loss(loss: Any) -> Any:
    """Return the part of a mean over all replicas that this one contributes."""
    count = replica_count()
    return loss if count == 1 else loss * tf.cast(1.0 / count, loss.dtype)


def without_share(loss: Any) -> Any:
    """Undo `share_of_loss`."""
    count = replica_count()
    return loss if count == 1 else loss * tf.cast(count, loss.dtype)


def once_for_all_replicas(apply: Callable[..., None]) -> Callable[..., None]:
    """Let `Optimizer.apply` make one step with the sums of the gradients of all replicas."""

    @functools.wraps(apply)
    def method(self: Any, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        replica = running_replica()
        if replica is None:
            apply(self, grads, trainable_variables)
            return

        def merged(strategy: Any, grads: Sequence[Any]) -> None:
            apply(self, _summed(strategy, grads), trainable_variables)

        replica.merge_call(merged, args=(list(grads),))

    return method


def _summed(strategy: Any, grads: Sequence[Any]) -> list[Any]:
    """Return the sums over all replicas; those over other workers are exchanged at once."""
    of_workers = spans_workers(strategy)
    summed = list(grads)
    local = [
        i
        for i, gradient in enumerate(grads)
        if (of_workers and gradient is not None)
        or isinstance(gradient, tf.distribute.DistributedValues)
    ]
    totals = strategy.extended.batch_reduce_to(
        tf.distribute.ReduceOp.SUM, [(grads[i], None) for i in local]
    )
    for i, total in zip(local, totals):
        summed[i] = total
    return summed


def synchronized_moments(x: Any, axes: Any, keepdims: bool = False) -> tuple[Any, Any] | None:
    """Return mean and variance over the inputs of all replicas, or None if there is only one."""
    replica = running_replica()
    if replica is None:
        return None
    count = tf.cast(tf.size(x), x.dtype)
    sums = tf.reduce_sum(x, axes, keepdims=True)
    count = count / tf.cast(tf.size(sums), x.dtype)
    total, totals = replica.all_reduce("SUM", [count, sums])
    mean = tf.math.divide_no_nan(totals, total)
    squares = tf.reduce_sum(tf.math.squared_difference(x, mean), axes, keepdims=True)
    variance = tf.math.divide_no_nan(replica.all_reduce("SUM", squares), total)
    if keepdims:
        return mean, variance
    return tf.squeeze(mean, axes), tf.squeeze(variance, axes)
