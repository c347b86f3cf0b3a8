"""Runs broken programs in this process, and returns what a user would see."""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from pathlib import Path

import tapeflow as tf
from tests.messages.program import Program


class _Lines(logging.Handler):
    """Collects the lines that are logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def file_of(program: Program, folder: Path) -> Path:
    """Return the file that a program is run as."""
    letters = "".join(c if c.isalnum() else "_" for c in program.topic)
    return folder / f"{letters[:40]}.py"


def shown_by(program: Program, folder: Path) -> str:
    """Run a program and return its warnings, logged lines and traceback."""
    file = file_of(program, folder)
    file.write_text(program.source)
    handler = _Lines()
    logger = tf.get_logger()
    logger.addHandler(handler)
    error = ""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            error = _error_of(file)
    finally:
        logger.removeHandler(handler)
        tf.debugging.disable_check_numerics()
        tf.config.set_soft_device_placement(True)
        # Collecting the garbage of all tests so far takes longer than a program.
        tf.keras.backend.clear_session(free_memory=False)
    issued = [warnings.formatwarning(w.message, w.category, w.filename, w.lineno) for w in caught]
    return "\n".join([*issued, *handler.lines, error])


def _error_of(file: Path) -> str:
    """Return the traceback that the program ends with, without the frames of this file."""
    code = compile(file.read_text(), str(file), "exec")
    try:
        exec(code, {"__name__": "__main__", "__file__": str(file)})
    except Exception:
        kind, value, frames = sys.exc_info()
        own = frames.tb_next if frames is not None else None
        return "".join(traceback.format_exception(kind, value, own))
    return ""
