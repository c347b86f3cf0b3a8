"""What a computation leaves for its gradient later in the same program, beside its results.

Where the greatest of each window was, which values were positive: not part of any op's results, and
much work to find out again.
"""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any


class _Known(threading.local):
    def __init__(self) -> None:
        # By the identity of a traced value, and what is asked of it: the value, and the answer.
        self.answers: ChainMap[Any, tuple[Any, Any]] | None = None


_known = _Known()


@contextmanager
def remembering() -> Iterator[None]:
    """In the block, what gradients can use is remembered.

    Blocks in blocks see what those around them know.
    """
    previous = _known.answers
    _known.answers = ChainMap() if previous is None else previous.new_child()
    try:
        yield
    finally:
        _known.answers = previous


def is_remembering() -> bool:
    """Whether anything remembered now may be recalled."""
    return _known.answers is not None


def remember(value: Any, asked: Hashable, answer: Any) -> None:
    """Keep what was found out about a traced value."""
    if _known.answers is not None:
        _known.answers[id(value), asked] = (value, answer)


def recall(value: Any, asked: Hashable) -> Any:
    """What was found out about a traced value, or None."""
    found = None if _known.answers is None else _known.answers.get((id(value), asked))
    return None if found is None else found[1]
