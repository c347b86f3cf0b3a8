"""AutoGraph's logging: `tf.autograph.set_verbosity` and `trace`."""

from __future__ import annotations

import os
import sys
from typing import Any

from tapeflow._src.core.log import logger

_VARIABLE = "AUTOGRAPH_VERBOSITY"


class _Settings:
    level: int | None = None
    to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Set the log level: 0 only warnings, up to 10 everything, with the generated code.

    Until it is called, the environment variable `AUTOGRAPH_VERBOSITY` applies.

    Args:
        level: The level.
        alsologtostdout: Whether messages are printed to standard output as well.

    Returns:
        None.

    Example:
        >>> tf.autograph.set_verbosity(0)
    """
    _Settings.level = level
    _Settings.to_stdout = alsologtostdout


def verbosity() -> int:
    """Return the current level."""
    if _Settings.level is not None:
        return _Settings.level
    level = os.environ.get(_VARIABLE, "0")
    return int(level) if level.isdigit() else 0


def log(level: int, message: str, *args: Any) -> None:
    """Log a message at a level."""
    if verbosity() < level:
        return
    logger.warning("AutoGraph: " + message, *args)
    if _Settings.to_stdout:
        sys.stdout.write(message % args + "\n")


def trace(*args: Any) -> None:
    """Print `args` while a function is traced.

    Args:
        *args: Any values.

    Returns:
        None.

    Example:
        >>> tf.autograph.trace("tracing", 1)
        tracing 1
    """
    print(*args)
