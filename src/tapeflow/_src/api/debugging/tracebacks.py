"""`tf.debugging`: whether tracebacks include the frames of this library."""

from __future__ import annotations

from tapeflow._src.core.tracebacks import filtering


def enable_traceback_filtering() -> None:
    """Remove the frames of this library from tracebacks of errors in functions.

    Returns:
        None.

    Example:
        >>> tf.debugging.enable_traceback_filtering()
        >>> tf.debugging.is_traceback_filtering_enabled()
        True
    """
    filtering.enabled = True


def disable_traceback_filtering() -> None:
    """Show all frames in tracebacks.

    Returns:
        None.

    Example:
        >>> tf.debugging.disable_traceback_filtering()
        >>> tf.debugging.is_traceback_filtering_enabled()
        False
        >>> tf.debugging.enable_traceback_filtering()
    """
    filtering.enabled = False


def is_traceback_filtering_enabled() -> bool:
    """Return whether the frames of this library are removed from tracebacks.

    Returns:
        A bool.

    Example:
        >>> tf.debugging.is_traceback_filtering_enabled()
        True
    """
    return filtering.enabled
