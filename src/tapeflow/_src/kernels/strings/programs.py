"""Compiled programs for functions of short strings: of their first two words and their sizes.

NumPy makes some fifty passes over the words of a block, a compiled program one. There is a program
once the executors have compiled it; until then, and where there is no compiler, callers use NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.backends.threads import for_each
from tapeflow._src.core import on_demand
from tapeflow._src.kernels.strings.words import BLOCKS, blocks_of, read_words

Array = np.ndarray[Any, Any]
U64 = np.uint64
# Fewer strings take NumPy less than the call of a program.
FEWEST = BLOCKS[0] // 4
# Passing the words of objects to a program takes as long as NumPy's passes over so many.
_FEWEST_OBJECTS = BLOCKS[1]
# So many blocks are worth waking a thread, which takes 0.05 to 0.3 ms on a virtual machine.
_MANY_BLOCKS = 8
Function = Callable[..., Any]

SHORT_FUNCTIONS: dict[str, Function] = {}
"""By name: functions of `xp`, the first and second words, the sizes and six constants."""


def short_function(name: str) -> Callable[[Function], Function]:
    """Register a function of short strings, to be compiled for blocks of them."""

    def register(function: Function) -> Function:
        SHORT_FUNCTIONS[name] = function
        return function

    return register


def _no_program(kind: str) -> Any:
    return None


def _not_counted(kind: str, seconds: float) -> None:
    pass


_current: Callable[[str], Any] = _no_program
_spent: Callable[[str, float], None] = _not_counted


def register_programs(current: Callable[[str], Any], spent: Callable[[str, float], None]) -> None:
    """Register who has the program of a function, if there is one, and who counts the seconds."""
    global _current, _spent
    _current, _spent = current, spent


def program_of(kind: str) -> Any:
    """Return the compiled program of a function, or None."""
    return _current(kind)


def report_seconds(kind: str, seconds: float) -> None:
    """Report what a call has taken without a program: if it is much, one is compiled."""
    on_demand.load("string programs")
    _spent(kind, seconds)


def run_program(program: Any, strings: Any, constants: tuple[int, ...]) -> Array | None:
    """Return the results for a vector of strings; None if they cannot be read.

    What stands in the places of strings that are not short is of no use.
    """
    count = len(strings)
    packed = type(strings) is not np.ndarray
    if not packed and count < _FEWEST_OBJECTS:
        return None
    words = read_words(strings)
    if words is None:
        return None
    blocks = words.blocks()
    pieces = blocks_of(count)
    results = aligned_empty((pieces[-1].stop,), U64)

    def run_block(index: int) -> None:
        program(blocks[index], constants, results[pieces[index]])

    if len(blocks) < _MANY_BLOCKS:
        for index in range(len(blocks)):
            run_block(index)
    else:
        for_each(run_block, range(len(blocks)))
    return results[:count]
