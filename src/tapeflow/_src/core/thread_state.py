"""State of a thread that another one starts with: which mode, scopes and contexts are in force.

Replicas run on threads of their own, as if they ran where they were started. A part of the library
that keeps such state in a `threading.local` registers it here.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

_Local = TypeVar("_Local", bound=threading.local)
_states: list[threading.local] = []

Snapshot = list[dict[str, Any]]


def inherited(state: _Local) -> _Local:
    """Register the state of threads; return it."""
    _states.append(state)
    return state


def snapshot() -> Snapshot:
    """Return the state of this thread. Lists and the like are copied, their items are not."""
    return [{name: _copied(value) for name, value in vars(s).items()} for s in _states]


def _copied(value: Any) -> Any:
    return value.copy() if type(value) in (list, dict, set) else value


def restore(values: Snapshot) -> None:
    """Let this thread have the state of a snapshot."""
    for state, attributes in zip(_states, values):
        vars(state).update((name, _copied(value)) for name, value in attributes.items())
