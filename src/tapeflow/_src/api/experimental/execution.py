"""`tf.experimental`: options of executing ops and functions.

Eager ops have run when they return, and raise their errors where they are called. That is within
what an asynchronous scope allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow._src.core.errors import NotFoundError

_EXECUTORS = (None, "", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@contextmanager
def async_scope() -> Iterator[None]:
    """Allow ops of the block to run asynchronously; all have run at its end.

    Returns:
        A context manager.
    """
    yield


def async_clear_error() -> None:
    """Clear pending errors of asynchronous ops: there are none, as ops run synchronously.

    Returns:
        None.
    """


def enable_strict_mode() -> None:
    """Turn deprecation warnings into errors: there are none.

    Returns:
        None.
    """


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Select the executor of functions called in the block, by TensorFlow's names.

    The order in which a function's operations run is the same for all of them.

    Args:
        executor_type: None, "", "DEFAULT" or "SINGLE_THREADED_EXECUTOR".

    Returns:
        A context manager.

    Raises:
        tf.errors.NotFoundError: For another name.
    """
    if executor_type not in _EXECUTORS:
        raise NotFoundError(
            None,
            None,
            f"No executor factory registered for the given executor type: {executor_type}. "
            f"Registered factories are {{DEFAULT, , SINGLE_THREADED_EXECUTOR}}.",
        )
    yield
