"""`tf.debugging`: whether tracebacks include the frames of this library."""

from __future__ import annotations

from tapeflow._src.core.tracebacks import filtering


def enable_traceback_filtering() -> None:
    """Remove the frames of this library from tracebacks of errors in functions."""
    filtering.enabled = True


def disable_traceback_filtering() -> None:
    """Show all frames in tracebacks."""
    filtering.enabled = False


def is_traceback_filtering_enabled() -> bool:
    """Whether the frames of this library are removed from tracebacks."""
    return filtering.enabled
