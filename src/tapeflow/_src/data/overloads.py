"""Built-ins applied to datasets in code converted by AutoGraph: `len`, `zip`, `map`, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.debugging.comparisons import Assert
from tapeflow._src.ops.math.logical import logical_and, logical_or


def _len(dataset: Any) -> Any:
    count = dataset.cardinality()
    Assert(count >= 0, ["len() of a dataset needs a known, finite cardinality:", count])
    return count


def _enumerate(dataset: Any, start: Any = 0) -> Any:
    return dataset.enumerate(start)


def _zip(*datasets: Any) -> Any:
    return type(datasets[0]).zip(datasets)


def _map(function: Callable[..., Any], *datasets: Any) -> Any:
    return (datasets[0] if len(datasets) == 1 else _zip(*datasets)).map(function)


def _filter(function: Callable[..., Any], dataset: Any) -> Any:
    return dataset.filter(function)


def _any(dataset: Any) -> Any:
    return dataset.reduce(False, logical_or)


def _all(dataset: Any) -> Any:
    return dataset.reduce(True, logical_and)


OVERLOADS: dict[str, Callable[..., Any]] = {
    "len": _len,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "any": _any,
    "all": _all,
}
