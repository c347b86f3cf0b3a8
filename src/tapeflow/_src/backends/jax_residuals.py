"""Residuals: values that a computation caches for its gradient later in the same program.

Argmax positions of pooling, signs of a ReLU: not among any op's results, and expensive to
recompute.
"""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any


class _Residuals(threading.local):
    def __init__(self) -> None:
        # By the identity of a traced value and a key: the value, and the residual.
        self.answers: ChainMap[Any, tuple[Any, Any]] | None = None


_residuals = _Residuals()


@contextmanager
def remembering() -> Iterator[None]:
    """Cache residuals for gradients in the block.

    Nested blocks see the residuals of the enclosing ones.
    """
    previous = _residuals.answers
    _residuals.answers = ChainMap() if previous is None else previous.new_child()
    try:
        yield
    finally:
        _residuals.answers = previous


def is_remembering() -> bool:
    """Whether residuals are being cached."""
    return _residuals.answers is not None


def remember(value: Any, key: Hashable, answer: Any) -> None:
    """Cache a residual of a traced value."""
    if _residuals.answers is not None:
        _residuals.answers[id(value), key] = (value, answer)


def recall(value: Any, key: Hashable) -> Any:
    """Return a residual of a traced value, or None."""
    entry = None if _residuals.answers is None else _residuals.answers.get((id(value), key))
    return None if entry is None else entry[1]
