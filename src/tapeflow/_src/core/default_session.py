"""The stack of default sessions, used by `tensor.eval()` and `operation.run()`."""

from __future__ import annotations

import threading
from typing import Any

from tapeflow._src.core.thread_state import inherited


class _Stack(threading.local):
    def __init__(self) -> None:
        self.sessions: list[Any] = []


_stack = inherited(_Stack())


def push(session: Any) -> None:
    """Make `session` the default one."""
    _stack.sessions.append(session)


def pop(session: Any) -> None:
    """Undo the latest `push` of that session."""
    sessions = _stack.sessions
    for index in reversed(range(len(sessions))):
        if sessions[index] is session:
            del sessions[index]
            return


def current() -> Any:
    """Return the default session, or None."""
    return _stack.sessions[-1] if _stack.sessions else None


def session_for(session: Any, task: str, method: str) -> Any:
    """Return `session`, or the default one; ValueError if there is none."""
    chosen = current() if session is None else session
    if chosen is None:
        raise ValueError(
            f"Cannot {task} by `{method}()` without a session: call it in `with "
            f"session.as_default():`, or pass one, `{method}(session=session)`."
        )
    return chosen
