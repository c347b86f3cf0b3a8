"""`tf.distribute` for libraries: calls across replicas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import nest
from tapeflow._src.distribute.input import split
from tapeflow._src.distribute.per_replica import DistributedValues
from tapeflow._src.distribute.strategy import get_strategy
from tapeflow._src.internal.distribute import interim as interim

# Tests of combinations of strategies: with one replica, of arguments and modes.
from tapeflow._src.internal.test import combinations as combinations


def strategy_supports_no_merge_call() -> bool:
    """Whether functions need not be merged across replicas: with one replica, they need not."""
    return get_strategy().num_replicas_in_sync == 1


def split_batch(batch: Any, strategy: Any) -> Any:
    """Split the tensors of a batch among the replicas of a strategy, unless they are already."""
    return nest.map_structure(
        lambda leaf: (
            leaf
            if leaf is None or isinstance(leaf, DistributedValues)
            else split(leaf, strategy.num_replicas_in_sync)
        ),
        batch,
    )


@contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """Read variables of a replica as they are: with one replica, they always are."""
    yield


class ShardedVariable:
    """A variable in several parts. There are none: it is a name for `isinstance`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Variables are kept whole here: use tf.Variable.")
