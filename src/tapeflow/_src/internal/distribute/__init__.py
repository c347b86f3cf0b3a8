"""`tf.distribute` for libraries: calls across replicas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from tapeflow._src.core import nest
from tapeflow._src.distribute import clients
from tapeflow._src.distribute.input import split, split_rows
from tapeflow._src.distribute.per_replica import DistributedValues
from tapeflow._src.distribute.strategy import get_strategy
from tapeflow._src.distribute.worker_input import part_of_worker
from tapeflow._src.internal.distribute import interim as interim

# Tests of combinations of strategies: with one replica, of arguments and modes.
from tapeflow._src.internal.test import combinations as combinations


def strategy_supports_no_merge_call() -> bool:
    """Whether functions need not be merged across replicas: with one replica, they need not."""
    return get_strategy().num_replicas_in_sync == 1


def split_batch(batch: Any, strategy: Any) -> Any:
    """Split the tensors of a batch among the replicas of a strategy, unless they are already.

    Where replicas are in several processes, each has batches of its own.
    """
    if strategy._spans_workers:
        return batch
    return nest.map_structure(
        lambda leaf: (
            leaf
            if leaf is None or isinstance(leaf, DistributedValues)
            else split(leaf, strategy.num_replicas_in_sync)
        ),
        batch,
    )


def dataset_of_worker(dataset: Any, strategy: Any) -> Any:
    """Return the part of a dataset of all workers that this one has, with plain elements."""
    return part_of_worker(dataset, strategy._group)


def batch_of_worker(batch: Any, strategy: Any) -> Any:
    """Return the part of a batch of all workers that this one has."""
    group = strategy._group
    return nest.map_structure(
        lambda leaf: None if leaf is None else split_rows(leaf, group.size, group.rank), batch
    )


def arrays_of_first_worker(arrays: Sequence[Any], strategy: Any) -> list[Any]:
    """Return the arrays that the first worker has; shapes are the same on all workers.

    Workers are those of a strategy, or the processes of a mesh.
    """
    group = strategy._group if strategy._spans_workers else clients.joined()
    if group is None:
        return list(arrays)
    values: list[Any] = group.broadcast([np.asarray(array) for array in arrays])
    return values


def any_worker(flag: bool, strategy: Any) -> bool:
    """Return whether a condition holds on any worker."""
    if not strategy._spans_workers:
        return flag
    return bool(strategy._group.all_reduce([np.array(flag, np.int32)])[0])


def read_together(strategy: Any, variables: Sequence[Any]) -> AbstractContextManager[Any]:
    """Exchange the values of variables with other workers at once, where there are some."""
    together = getattr(strategy, "_read_together", None)
    return nullcontext() if together is None else together(variables)


@contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """Read variables of a replica as they are: with one replica, they always are."""
    yield


class ShardedVariable:
    """A variable in several parts. There are none: it is a name for `isinstance`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Variables are kept whole here: use tf.Variable.")
