"""Warnings that point to the line of the user's program, however deep in Keras they arise."""

from __future__ import annotations

import os
import sys
import warnings

import tapeflow as tf

_PACKAGE = os.path.dirname(os.path.abspath(tf.__file__)) + os.sep


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the innermost frame outside this library."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        frame = frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)
