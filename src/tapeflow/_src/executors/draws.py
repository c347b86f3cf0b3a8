"""Large random draws move from NumPy to compiled programs, as graphs do.

NumPy makes some ninety passes over a block's words, a compiled program one: a third of the time or
less, without the GIL, so that all cores are used. The numbers are the same. A program is compiled
in the background once draws of its kind have taken about as long with NumPy as compiling takes;
until it is ready, and in forked processes, NumPy is used.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.executors import background
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.kernels.random.philox import Conversion, fill_on_host, register_large_fill

_COMPILER = "tapeflow._src.executors.xla_draws"
_xla_draws = LazyModule(_COMPILER, "large random draws", INSTALL)

# The time NumPy takes until compiling pays: 0.1 to 0.2 s, and 0.4 s more if JAX is to be imported.
HOT_SECONDS = 0.1
HOT_SECONDS_WITHOUT_JAX = 0.5
# Blocks from which on a draw is large, and blocks of a program for smaller ones.
_LARGE = 32768
_SMALL_PROGRAM = 2048


class _Kind:
    """Draws of one conversion and one stride between blocks, large or not."""

    __slots__ = ("ordered", "program", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.ordered = False
        self.program: Any = None


_kinds: dict[tuple[Conversion, int, bool], _Kind] = {}


def fill(conversion: Conversion, stream: np.ndarray, result: np.ndarray, stride: int) -> None:
    """Fill `result` by a compiled program, if there is one, or by NumPy."""
    if conversion.lanes is None or background.forked:
        fill_on_host(conversion, stream, result, stride)
        return
    is_large = len(result) >= _LARGE
    kind = _kinds.setdefault((conversion, stride, is_large), _Kind())
    if kind.program is not None:
        kind.program(stream, result)
        return
    start = time.perf_counter()
    fill_on_host(conversion, stream, result, stride)
    kind.seconds += time.perf_counter() - start
    hot = HOT_SECONDS if "jax" in sys.modules else HOT_SECONDS_WITHOUT_JAX
    if kind.seconds > hot and not kind.ordered:
        kind.ordered = True
        background.compiler.submit(partial(_compile, kind, conversion, stride, is_large))


def _compile(kind: _Kind, conversion: Conversion, stride: int, is_large: bool) -> None:
    try:
        sizes = () if is_large else (_SMALL_PROGRAM,)
        kind.program = _xla_draws.FillProgram(conversion, stride, *sizes)
    except Exception as error:
        logger.debug("Large draws stay with NumPy: %s", error)


register_large_fill(fill)
