"""The `xp` of eager and interpreted execution: NumPy, with what TF does otherwise settled.

Whatever is defined here below has a twin of the same name in `backends.jax`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import linalg as linalg

from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.lazy import LazyModule

# All of NumPy but the submodules that it loads lazily (`import *` would load them: 100 ms).
globals().update({key: vars(np)[key] for key in np.__all__ if key in vars(np)})

name = "numpy"
special = LazyModule("scipy.special", "special functions such as erf and lgamma")

try:
    # Entering `np.errstate` costs more than a small addition. It only sets this context variable.
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    _QUIET = _make_extobj(all="ignore")

    def silence() -> Any:
        """Stop NumPy's floating-point warnings; returns what `unsilence` takes."""
        return _extobj_contextvar.set(_QUIET)

    unsilence = _extobj_contextvar.reset
except ImportError:

    def silence() -> Any:
        """Stop NumPy's floating-point warnings; returns what `unsilence` takes."""
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def unsilence(token: Any) -> None:
        token.__exit__(None, None, None)


def require(ok: Any, message: str | Callable[[], str]) -> None:
    """Raise InvalidArgumentError unless `ok`. Compiled code carries the failure out as a flag."""
    if not ok:
        text = message if isinstance(message, str) else message()
        raise InvalidArgumentError(None, None, text)


def stop_tracing(array: Any) -> np.ndarray:
    """`array` as a NumPy array whose values are known now."""
    return np.asarray(array)


def cast(array: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """`array.astype(dtype)`; floats out of an integer's range wrap as C casts do on x86."""
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real
    return array.astype(dtype)


def index_set(array: Any, key: Any, values: Any) -> np.ndarray:
    """A copy of `array` with `array[key] = values`."""
    result = array.copy()
    result[key] = values
    return result


def index_add(array: Any, key: Any, values: Any) -> np.ndarray:
    """A copy of `array` with `values` added at `key`, repeated places adding up."""
    result = array.copy()
    np.add.at(result, key, values)
    return result
