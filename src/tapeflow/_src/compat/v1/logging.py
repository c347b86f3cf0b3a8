"""`tf.compat.v1.logging`: the library's logger, as TensorFlow 1 programs speak to it."""

from __future__ import annotations

import logging as _logging
from typing import Any

from tapeflow._src.core.log import logger as _logger

DEBUG, INFO, WARN = _logging.DEBUG, _logging.INFO, _logging.WARNING
ERROR, FATAL = _logging.ERROR, _logging.CRITICAL
_counts: dict[Any, int] = {}


def get_verbosity() -> int:
    """Return the lowest level of messages that are written."""
    return _logger.getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Set from which level on messages are written."""
    _logger.setLevel(v)


def _write(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log in the name of the caller's caller: the message is the program's, not the library's."""
    _logger.log(level, msg, *args, **{"stacklevel": 3, **kwargs})


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of that level."""
    _write(level, msg, *args, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message for those who look for errors."""
    _write(DEBUG, msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message."""
    _write(INFO, msg, *args, **kwargs)


def warn(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a warning."""
    _write(WARN, msg, *args, **kwargs)


warning = warn


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write of an error."""
    _write(ERROR, msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write of an error after which a program cannot go on."""
    _write(FATAL, msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of that level, as `log` does."""
    _write(level, msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Write a message if the condition holds."""
    if condition:
        _write(level, msg, *args)


def _count(key: Any) -> int:
    count = _counts.get(key, 0)
    _counts[key] = count + 1
    return count


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message, but only once in `n` times."""
    if not _count(("every", msg)) % n:
        _write(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message, but only the first `n` times."""
    if _count(("first", msg)) < n:
        _write(level, msg, *args)


def flush() -> None:
    """Do nothing: messages are written at once."""


def TaskLevelStatusMessage(msg: str) -> None:
    """Write of an error."""
    _write(ERROR, msg)
