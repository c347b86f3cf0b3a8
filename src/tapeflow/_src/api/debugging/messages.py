"""What failed assertions say, and how they fail: at once, or when the graph runs."""

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
from tapeflow._src.ops.graph.checks import assert_op
from tapeflow._src.ops.graph.nodes import no_op


def error(message: str) -> InvalidArgumentError:
    """What a failed assertion about values raises."""
    return InvalidArgumentError(None, None, message)


def prefixed(message: str | None, text: str) -> str:
    """`text` after the user's message, as the assertions about dtypes and ranks write it."""
    return f"{message}.  {text}" if message else text


def name_of(tensor: Any) -> str:
    """The name of a tensor of a graph; eager ones have none."""
    return getattr(tensor, "name", "")


class _Callers(threading.local):
    """What the assertions of a block show, by thread; see `showing`."""

    data: list[Any] | None = None
    summarize: int | None = None


_callers = _Callers()


@contextmanager
def showing(data: Any, summarize: int | None = None) -> Iterator[None]:
    """Have the assertions about values of the block show `data` instead of their own."""
    before = _callers.data, _callers.summarize
    _callers.data = before[0] if data is None else list(data)
    _callers.summarize = before[1] if summarize is None else summarize
    try:
        yield
    finally:
        _callers.data, _callers.summarize = before


def check(holds: Any, explain: Callable[[], str], data: list[Any], summarize: int | None) -> Any:
    """Raise the explanation if `holds` is known to be false; assert it later if it is not known."""
    known = holds._static
    summarize = _callers.summarize if summarize is None else summarize
    if known is not None:
        if not known:
            text = explain() if _callers.data is None else summary(_callers.data, summarize)
            raise error(text)
        return settled()
    return assert_later(holds, data if _callers.data is None else _callers.data, summarize)


@scoped("Assert")
def assert_later(
    condition: Any, data: list[Any], summarize: int | None, name: str | None = None
) -> Any:
    """Assert when the graph runs; returns the operation that does, None outside of graphs."""
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
    """What an assertion returns that holds for certain: in a graph, an operation to wait for."""
    graph = state.mode.graph
    if graph is None:
        return None
    no_op(name=name)
    return graph.nodes[-1]


def texts(array: Any, summarize: int) -> list[str]:
    """The first elements as words; `...` stands for those left out."""
    flat = np.asarray(array).reshape(-1)
    shown = flat if summarize < 0 else flat[:summarize]
    words = [str(item) for item in shown]
    return words if len(shown) == len(flat) else [*words, "..."]


def summary(data: Any, summarize: int | None) -> str:
    """What `tf.debugging.Assert` says of its data: a line for each item."""
    limit = 3 if summarize is None else summarize
    lines = []
    for item in data:
        value = item if isinstance(item, Tensor) else convert(item)
        lines.append(", ".join(texts(value._static, limit)))
    return "\n".join(lines)
