"""`tf.debugging`: whether errors show the frames of this library."""

from __future__ import annotations

from tapeflow._src.core.tracebacks import filtering


def enable_traceback_filtering() -> None:
    """Leave the frames of this library out of the tracebacks of errors in functions."""
    filtering.enabled = True


def disable_traceback_filtering() -> None:
    """Show all frames."""
    filtering.enabled = False


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of this library are left out of tracebacks."""
    return filtering.enabled
