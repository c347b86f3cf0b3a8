"""How ops and functions are run, as far as `tf.experimental` lets one choose.

An eager op has run when it returns, and its errors are raised where it is called. A scope that
allows ops to run later, and errors to be raised at its end, allows that as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow._src.core.errors import NotFoundError

_EXECUTORS = (None, "", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@contextmanager
def async_scope() -> Iterator[None]:
    """Ops in the scope may run later than they are called; all have run at its end."""
    yield


def async_clear_error() -> None:
    """Forget errors of ops that ran later than they were called. There are none: see above."""


def enable_strict_mode() -> None:
    """Raise errors where deprecated behaviour is warned of. There is none: it was left out."""


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Run functions in the scope by that executor, of those that TensorFlow has names for.

    The order in which a function's operations run is the same for all of them.
    """
    if executor_type not in _EXECUTORS:
        raise NotFoundError(
            None,
            None,
            f"No executor factory registered for the given executor type: {executor_type}. "
            f"Registered factories are {{DEFAULT, , SINGLE_THREADED_EXECUTOR}}.",
        )
    yield
