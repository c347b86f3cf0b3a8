"""Whether functions run as graphs at all: `tf.config.run_functions_eagerly`."""

from __future__ import annotations


class _Switches:
    __slots__ = ("eagerly",)

    def __init__(self) -> None:
        self.eagerly = False


switches = _Switches()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run every `tf.function` as the wrapped Python function, so that breakpoints work."""
    switches.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return whether functions run as plain Python."""
    return switches.eagerly
