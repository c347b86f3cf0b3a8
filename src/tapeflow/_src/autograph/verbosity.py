"""How much AutoGraph tells of what it does: `tf.autograph.set_verbosity` and `trace`."""

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
    """How much is told: 0 nothing but warnings, up to 10 everything, with the generated code.

    Until it is called, the environment variable `AUTOGRAPH_VERBOSITY` counts.
    """
    _Settings.level = level
    _Settings.to_stdout = alsologtostdout


def verbosity() -> int:
    """The level in force."""
    if _Settings.level is not None:
        return _Settings.level
    given = os.environ.get(_VARIABLE, "0")
    return int(given) if given.isdigit() else 0


def log(level: int, message: str, *args: Any) -> None:
    """Tell something, if so much is to be told."""
    if verbosity() < level:
        return
    logger.warning("AutoGraph: " + message, *args)
    if _Settings.to_stdout:
        sys.stdout.write(message % args + "\n")


def trace(*args: Any) -> None:
    """Print `args` while a function is traced."""
    print(*args)
