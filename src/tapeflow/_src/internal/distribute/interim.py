"""Calls that are merged across replicas where there are several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.distribute import get_replica_context, get_strategy


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with the strategy, across all replicas if there are several."""
    strategy = strategy or get_strategy()
    replica = get_replica_context()
    if replica is None or strategy.num_replicas_in_sync == 1:
        return fn(strategy, *args, **kwargs)
    return replica.merge_call(fn, args=args, kwargs=kwargs)
