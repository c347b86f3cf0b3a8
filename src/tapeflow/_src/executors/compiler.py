"""Whether XLA is installed, and what to do where it is not.

XLA comes with the package jax, which the light install leaves out. Functions are then interpreted;
only what asks for compiled code by name needs it.
"""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core.log import warn_first

INSTALL = "jax"
# A function that has been interpreted for so long would have been compiled.
_HOT_SECONDS = 5.0
_HOT_CALLS = 20

Run = Callable[[Sequence[Any]], tuple[Any, ...]]


@functools.cache
def has_compiler() -> bool:
    """Whether XLA can be used. Imports nothing."""
    try:
        specs = [importlib.util.find_spec(name) for name in ("jax", "jaxlib")]
    except (ImportError, ValueError):
        return False
    return None not in specs


def require_compiler(why: str) -> None:
    """Raise ImportError, saying what to install, unless XLA can be used."""
    if not has_compiler():
        raise ImportError(
            f"{why}, which needs the XLA compiler of the package jax, and that is not installed. "
            f"Install it with `pip install {INSTALL}`, or leave jit_compile out: then functions "
            f"are interpreted."
        )


def without_compiler(name: str, interpret: Run) -> Run:
    """Return `interpret`; once it has run for long, a warning says that XLA would compile it."""
    calls, seconds = 0, 0.0

    def run(arrays: Sequence[Any]) -> tuple[Any, ...]:
        nonlocal calls, seconds
        if calls > _HOT_CALLS and seconds > _HOT_SECONDS:
            return interpret(arrays)
        start = time.perf_counter()
        results = interpret(arrays)
        seconds += time.perf_counter() - start
        calls += 1
        if calls > _HOT_CALLS and seconds > _HOT_SECONDS:
            warn_first(
                "no compiler",
                1,
                "%s has been interpreted for %.0f s. With XLA it would be compiled: "
                "pip install %s.",
                name,
                seconds,
                INSTALL,
            )
        return results

    return run
