"""`tf.compat.v1.logging`: the library's logger, as TensorFlow 1 programs speak to it."""

from __future__ import annotations

import logging as _logging
from typing import Any

from tapeflow._src.core.log import logger as _logger
from tapeflow._src.core.types import TensorLike

DEBUG, INFO, WARN = _logging.DEBUG, _logging.INFO, _logging.WARNING
ERROR, FATAL = _logging.ERROR, _logging.CRITICAL
_counts: dict[Any, int] = {}


def get_verbosity() -> int:
    """Return the lowest level of messages that are written."""
    return _logger.getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Set from which level on messages are written."""
    _logger.setLevel(v)


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of that level."""
    _logger.log(level, msg, *args, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message for those who look for errors."""
    _logger.debug(msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message."""
    _logger.info(msg, *args, **kwargs)


def warn(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a warning."""
    _logger.warning(msg, *args, **kwargs)


warning = warn


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write of an error."""
    _logger.error(msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write of an error after which a program cannot go on."""
    _logger.critical(msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Return the same as `log`."""
    _logger.log(level, msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: TensorLike, *args: Any) -> None:
    """Write a message if the condition holds."""
    if condition:
        _logger.log(level, msg, *args)


def _count(key: Any) -> int:
    count = _counts.get(key, 0)
    _counts[key] = count + 1
    return count


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message, but only once in `n` times."""
    log_if(level, msg, not _count(("every", msg)) % n, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message, but only the first `n` times."""
    log_if(level, msg, _count(("first", msg)) < n, *args)


def flush() -> None:
    """Do nothing: messages are written at once."""


def TaskLevelStatusMessage(msg: str) -> None:
    """Write of an error."""
    error(msg)
