"""Errors that name the line of the user's program, for Keras and what is above it."""

from __future__ import annotations

from tapeflow._src.core.tracebacks import fold as fold
from tapeflow._src.core.tracebacks import folds_errors as folds_errors
