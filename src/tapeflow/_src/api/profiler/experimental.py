"""`tf.profiler.experimental`: step annotations; no profiles are recorded."""

from __future__ import annotations

from typing import Any, NoReturn


class Trace:
    """A named section of a program in a profile.

    Example:
        >>> import tapeflow as tf
        >>> with tf.profiler.experimental.Trace("epoch", step_num=1):
        ...     x = tf.constant(1) + 1
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Add metadata to the annotation; no profile shows it."""

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        """Leave the block."""


def start(logdir: str, options: Any = None) -> NoReturn:
    """Raise NotImplementedError."""
    raise NotImplementedError(
        "Profiles are not recorded by tf.profiler. Use jax.profiler.start_trace(logdir) for "
        "compiled functions, and cProfile for the rest of the program."
    )


def stop(save: bool = True) -> NoReturn:
    """Raise RuntimeError: no profile was started."""
    raise RuntimeError("No profile is being recorded: there is nothing to stop.")
