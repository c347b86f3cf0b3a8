"""Large random draws move from NumPy to compiled programs, as graphs do.

NumPy makes some ninety passes over a block's words, a compiled program one: a third of the time or
less, without the GIL, so that all cores are used. The numbers are the same. A program is compiled
in the background once draws of its kind have taken about as long with NumPy as compiling takes;
until it is ready, and in forked processes, NumPy is used.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.backends.threads import cores
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.random_state import determinism_required
from tapeflow._src.executors import background
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.kernels.random.philox import Conversion, fill_on_host, register_large_fill
from tapeflow._src.kernels.random.reject import Draw, draw_on_host, register_large_draw

_COMPILER = "tapeflow._src.executors.xla_draws"
_xla_draws = LazyModule(_COMPILER, "large random draws", INSTALL)

# The time NumPy takes until compiling pays: 0.1 to 0.2 s, and 0.4 s more if JAX is to be imported.
HOT_SECONDS = 0.1
HOT_SECONDS_WITHOUT_JAX = 0.5
# Blocks from which on a draw is large: programs for smaller ones have about as many blocks.
_LARGE = 32768


class _Kind:
    """Draws of one conversion and stride between blocks, or of one method."""

    __slots__ = ("ordered", "program", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.ordered = False
        self.program: Any = None

    def took(self, seconds: float, make: Callable[[], Any]) -> None:
        """Count the time of a draw by NumPy, and order what `make` compiles once it is hot."""
        self.seconds += seconds
        hot = HOT_SECONDS if "jax" in sys.modules else HOT_SECONDS_WITHOUT_JAX
        if self.seconds > hot and not self.ordered:
            self.ordered = True
            background.compiler.submit(partial(self._compile, make))

    def _compile(self, make: Callable[[], Any]) -> None:
        try:
            self.program = make()
        except Exception as error:
            logger.debug("Large draws stay with NumPy: %s", error)


_kinds: dict[tuple[Conversion, int], _Kind] = {}


def fill(conversion: Conversion, stream: np.ndarray, result: np.ndarray, stride: int) -> None:
    """Fill `result` by a compiled program, if there is one, or by NumPy."""
    if conversion.lanes is None or background.forked:
        fill_on_host(conversion, stream, result, stride)
        return
    kind = _kinds.setdefault((conversion, stride), _Kind())
    if kind.program is not None:
        kind.program(stream, result)
        return
    start = time.perf_counter()
    fill_on_host(conversion, stream, result, stride)
    kind.took(time.perf_counter() - start, lambda: _xla_draws.FillProgram(conversion, stride))


def _has_program(conversion: Conversion, stride: int) -> bool:
    kind = _kinds.get((conversion, stride))
    return kind is not None and kind.program is not None and not background.forked


# Samples by rejection that one call draws, and from which on programs for a part of them are called
# repeatedly. In between the cores have one call each.
_FEW_SAMPLES, _MANY_SAMPLES = 1 << 12, 1 << 16
_rejections: dict[tuple[Draw, int], _Kind] = {}


def _program_size(samples: int) -> int:
    """Return the samples of a program for a draw of so many: at most an eighth more, or 0."""
    if samples >= _LARGE:
        return 0
    step = 1 << max(samples.bit_length() - 4, 0)
    return -(-samples // step) * step


def draw(function: Draw, stream: np.ndarray, parameters: Sequence[np.ndarray]) -> np.ndarray:
    """Return samples by rejection from a compiled program, if there is one, or from NumPy."""
    count = len(parameters[0])
    size = 0
    if count < _MANY_SAMPLES:
        size = _program_size(count if count < _FEW_SAMPLES else -(-count // cores()))
    kind = _rejections.setdefault((function, size), _Kind())
    if kind.program is not None and not background.forked and not determinism_required():
        samples: np.ndarray = kind.program(stream, parameters)
        return samples
    start = time.perf_counter()
    samples = draw_on_host(function, stream, parameters)
    dtypes = [parameter.dtype for parameter in parameters]
    sizes = (size,) if size else ()
    kind.took(
        time.perf_counter() - start,
        lambda: _xla_draws.RejectionProgram(function, dtypes, *sizes),
    )
    return samples


register_large_fill(fill, _has_program)
register_large_draw(draw)
