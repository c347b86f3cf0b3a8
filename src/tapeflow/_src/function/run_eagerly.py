"""Whether functions run as graphs at all: `tf.config.run_functions_eagerly`."""

from __future__ import annotations


class _Switches:
    __slots__ = ("eagerly",)

    def __init__(self) -> None:
        self.eagerly = False


switches = _Switches()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run every `tf.function` as the wrapped Python function, so that breakpoints work.

    Args:
        run_eagerly: True to run plain Python from now on, False to run graphs again.

    Returns:
        None.

    Example:
        >>> tf.config.run_functions_eagerly(True)
        >>> tf.function(lambda: tf.executing_eagerly())()
        True
        >>> tf.config.run_functions_eagerly(False)
    """
    switches.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return whether functions run as plain Python.

    Returns:
        A bool: the last argument of `tf.config.run_functions_eagerly`, False by default.

    Example:
        >>> tf.config.functions_run_eagerly()
        False
    """
    return switches.eagerly
