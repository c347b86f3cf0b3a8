"""`tf.distribute` for libraries: calls across replicas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.internal.distribute import interim as interim

# Tests of combinations of strategies: with one replica, of arguments and modes.
from tapeflow._src.internal.test import combinations as combinations


def strategy_supports_no_merge_call() -> bool:
    """Whether functions need not be merged across replicas: with one replica, they need not."""
    return True


@contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """Read variables of a replica as they are: with one replica, they always are."""
    yield


class ShardedVariable:
    """A variable in several parts. There are none: it is a name for `isinstance`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Variables are kept whole here: use tf.Variable.")
