"""What failed assertions say, and how they fail: at once, or when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.dispatch import convert
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import Tensor
from tapeflow.ops.checks import assert_op


def error(message: str) -> InvalidArgumentError:
    """What a failed assertion about values raises."""
    return InvalidArgumentError(None, None, message)


def prefixed(message: str | None, text: str) -> str:
    """`text` after the user's message, as the assertions about dtypes and ranks write it."""
    return f"{message}.  {text}" if message else text


def check(holds: Any, explain: Callable[[], str], data: list[Any], summarize: int | None) -> Any:
    """Raise the explanation if `holds` is known to be false; assert it later if it is not known."""
    known = holds._static
    if known is not None:
        if not known:
            raise error(explain())
        return None
    return assert_op(holds, data, summarize=3 if summarize is None else summarize)


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
