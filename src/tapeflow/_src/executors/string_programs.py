"""Functions of many short strings move from NumPy to a compiled program, as large draws do."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.executors import background
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.kernels.strings.programs import register_programs

_xla_strings = LazyModule("tapeflow._src.executors.xla_strings", "many strings", INSTALL)

# The time NumPy takes until compiling pays, on a thread in the background.
HOT_SECONDS = 0.1


class _Hot:
    """What a function has taken with NumPy, and the program that replaces it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seconds = 0.0
        self.ordered = False
        self.program: Any = None

    def spent(self, seconds: float) -> None:
        """Compile the program in the background once the function has taken long."""
        self.seconds += seconds
        if self.seconds > HOT_SECONDS and not self.ordered and not background.forked:
            self.ordered = True
            background.compiler.submit(self.compile)

    def compile(self) -> None:
        try:
            self.program = _xla_strings.StringProgram(self.kind)
        except Exception as error:
            logger.debug("`%s` of strings stays with NumPy: %s", self.kind, error)


hot: dict[str, _Hot] = {}


def _current(kind: str) -> Any:
    """Return the program, or None where there is none, or in a forked process."""
    function = hot.get(kind)
    return None if function is None or background.forked else function.program


def _spent(kind: str, seconds: float) -> None:
    hot.setdefault(kind, _Hot(kind)).spent(seconds)


register_programs(_current, _spent)
