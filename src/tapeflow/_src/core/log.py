"""The library's logger: warnings to standard error, as `WARNING:tapeflow:...`."""

from __future__ import annotations

import logging
import sys

from tapeflow._src.core.source import is_library_file, user_location

logger = logging.getLogger("tapeflow")


class _Stderr(logging.Handler):
    """Writes to the current standard error: notebooks and tests replace it.

    If the program configures its own logging, nothing is written here.
    """

    def emit(self, record: logging.LogRecord) -> None:
        if any(map(_writes_to_console, logging.getLogger().handlers)):
            return
        try:
            sys.stderr.write(self.format(record) + "\n")
        except Exception:
            self.handleError(record)


def _writes_to_console(handler: logging.Handler) -> bool:
    return getattr(handler, "stream", None) in (sys.stderr, sys.stdout)


class _UserLine(logging.Filter):
    """Ends each warning of this library with the user's line that it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        where = user_location() if is_library_file(record.pathname) else None
        if where is not None and record.levelno >= logging.WARNING:
            message = record.getMessage()
            if f"{where.file}:{where.line}" not in message and str(where) not in message:
                record.msg, record.args = f"{message}\nAt {where.brief()}", ()
            record.pathname, record.lineno = where.file, where.line
        return True


if not logger.handlers:
    logger.addFilter(_UserLine())
    _handler = _Stderr()
    _handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logger.addHandler(_handler)

_seen: dict[str, int] = {}


def warn_first(key: str, times: int, message: str, *args: object) -> None:
    """Warn, but only the first `times` times for this `key`."""
    count = _seen.get(key, 0)
    if count < times:
        _seen[key] = count + 1
        logger.warning(message, *args)
