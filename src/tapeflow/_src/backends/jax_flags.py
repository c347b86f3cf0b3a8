"""Failures in compiled code, as numbers that are returned from it.

Each number is 0 or has bits set: `FAILED` where an op body's requirement does not hold, `OUTGROWN`
where a list needs more rows than it was compiled with.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax.numpy as jnp
import numpy as np

FAILED = 1
OUTGROWN = 2


class _Flags(threading.local):
    def __init__(self) -> None:
        self.collected: list[Any] | None = None


_flags = _Flags()


@contextmanager
def collect_failures() -> Iterator[list[Any]]:
    """Collect the flags that are recorded in the block."""
    previous = _flags.collected
    _flags.collected = []
    try:
        yield _flags.collected
    finally:
        _flags.collected = previous


def note(number: Any) -> None:
    """Record a flag computed in the program."""
    if _flags.collected is not None:
        _flags.collected.append(number)


def require(ok: Any, message: str | Callable[[], str]) -> None:
    """Record a failure unless `ok`; the interpreter, which runs it again, raises the message."""
    if isinstance(ok, (bool, np.bool_, np.ndarray)) and ok:
        return
    note(jnp.where(ok, 0, FAILED).astype(np.int32))


def note_outgrown(outgrown: Any) -> None:
    """Record where a list has outgrown its capacity."""
    note(jnp.where(outgrown, OUTGROWN, 0).astype(np.int32))


def together(numbers: Sequence[Any]) -> Any:
    """Combine all recorded flags into one number."""
    result: Any = jnp.zeros((), np.int32)
    for number in numbers:
        result = result | number
    return result


def require_finite(value: Any) -> None:
    """Record a failure unless all elements are finite."""
    require(jnp.isfinite(value).all(), "NaN or infinity")
