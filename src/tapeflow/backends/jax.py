"""The `xp` of compiled execution: jax.numpy, made to agree with `backends.numpy`.

Imported only when something is compiled, never by `import tapeflow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax import lax as lax
from jax.numpy import *  # noqa: F403
from jax.numpy import linalg as linalg
from jax.scipy import special as special

name = "jax"


class _Flags(threading.local):
    def __init__(self) -> None:
        self.collected: list[Any] | None = None


_flags = _Flags()


@contextmanager
def collect_failures() -> Iterator[list[Any]]:
    """The failure flags that bodies raise in the block: traced booleans, true if something failed."""
    previous = _flags.collected
    _flags.collected = []
    try:
        yield _flags.collected
    finally:
        _flags.collected = previous


def require(ok: Any, message: str | Callable[[], str]) -> None:
    """Note a failure flag; the executor carries it out of the compiled code."""
    if _flags.collected is not None:
        _flags.collected.append(jax.numpy.logical_not(ok))


def stop_tracing(array: Any) -> np.ndarray:
    """`array` as a NumPy array whose values are known now."""
    return np.asarray(array)


def cast(array: Any, dtype: np.dtype[Any]) -> Any:
    """`array.astype(dtype)`; the real part of a complex array."""
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real
    return jax.numpy.asarray(array).astype(dtype)


def index_set(array: Any, key: Any, values: Any) -> Any:
    """A copy of `array` with `array[key] = values`."""
    return jax.numpy.asarray(array).at[key].set(values)


def index_add(array: Any, key: Any, values: Any) -> Any:
    """A copy of `array` with `values` added at `key`, repeated places adding up."""
    return jax.numpy.asarray(array).at[key].add(values)
