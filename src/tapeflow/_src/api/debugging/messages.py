"""Messages of failed assertions, and whether they fail at once or when the graph runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core.dispatch import convert, state
from tapeflow._src.core.dtypes import int32, string
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.graph.checks import assert_op
from tapeflow._src.ops.graph.nodes import no_op


def error(message: str) -> InvalidArgumentError:
    """Create the error of a failed assertion about values."""
    return InvalidArgumentError(None, None, message)


def prefixed(message: str | None, text: str) -> str:
    """Prepend the user's message to `text`, as assertions about dtypes and ranks do."""
    return f"{message}.  {text}" if message else text


def name_of(tensor: TensorLike) -> str:
    """Return the name of a symbolic tensor; "" for eager tensors."""
    return getattr(tensor, "name", "")


class _Callers(threading.local):
    """The data that assertions of a block show, per thread; see `showing`."""

    data: list[Any] | None = None
    summarize: int | None = None


_callers = _Callers()


@contextmanager
def showing(data: Any, summarize: int | None = None) -> Iterator[None]:
    """Make the assertions about values in the block show `data` instead of their own."""
    before = _callers.data, _callers.summarize
    _callers.data = before[0] if data is None else list(data)
    _callers.summarize = before[1] if summarize is None else summarize
    try:
        yield
    finally:
        _callers.data, _callers.summarize = before


def check(holds: Any, explain: Callable[[], str], data: list[Any], summarize: int | None) -> Any:
    """Raise the explanation if `holds` is statically false; assert at run time if unknown."""
    value = holds.static_value
    summarize = _callers.summarize if summarize is None else summarize
    if value is not None:
        if not value:
            text = explain() if _callers.data is None else summary(_callers.data, summarize)
            raise error(text)
        return settled()
    return assert_later(holds, data if _callers.data is None else _callers.data, summarize)


@scoped("Assert")
def assert_later(
    condition: TensorLike, data: list[Any], summarize: int | None, name: str | None = None
) -> Any:
    """Add an assertion to the graph and return its operation; None outside of graphs."""
    shown = [convert(item) for item in data]
    # TensorFlow asserts what it would have to copy from a device within a branch of that name.
    light = all(item.dtype in (int32, string) for item in shown)
    assert_op(
        condition,
        shown,
        summarize=3 if summarize is None else summarize,
        name=None if light else "AssertGuard/Assert",
    )
    graph = state.mode.graph
    return None if graph is None else graph.nodes[-1]


def settled(name: str | None = None) -> Any:
    """Return the result of an assertion that holds statically: a no-op in a graph, else None."""
    graph = state.mode.graph
    if graph is None:
        return None
    no_op(name=name)
    return graph.nodes[-1]


def texts(array: Any, summarize: int) -> list[str]:
    """Format the first elements; `...` stands for those left out."""
    flat = np.asarray(array).reshape(-1)
    shown = flat if summarize < 0 else flat[:summarize]
    words = [str(item) for item in shown]
    return words if len(shown) == len(flat) else [*words, "..."]


def summary(data: Any, summarize: int | None) -> str:
    """Format the data of `tf.debugging.Assert`, one line per item."""
    limit = 3 if summarize is None else summarize
    lines = []
    for item in data:
        value = item if isinstance(item, Tensor) else convert(item)
        lines.append(", ".join(texts(value.static_value, limit)))
    return "\n".join(lines)
