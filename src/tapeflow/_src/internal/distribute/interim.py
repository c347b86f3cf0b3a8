"""Calls that are merged across replicas where there are several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.distribute import get_strategy


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with the strategy; with one replica there is nothing to merge."""
    return fn(strategy or get_strategy(), *args, **kwargs)
