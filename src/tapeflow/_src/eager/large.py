"""Calls of ops with large operands: they may run in more than one way.

Small calls run the op's NumPy kernel and nothing else. A call whose first operand has more than
`LARGE` elements goes through `run`, and an executor registers what else can run it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.lazy import load_module
from tapeflow._src.core.registry import Op

# Elements of the first operand. Below, a kernel mostly takes less than the choice between two.
LARGE = 8192

Runner = Callable[[Op, Sequence[Any], dict[str, Any]], Any]


def _by_kernel(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    return op.run(xp, *arrays, **attrs)


# Runs a call with a large operand, and returns what the op's kernel returns.
run: Runner = _by_kernel


def register(module: str) -> None:
    """Let `run` of the module named `module` run calls that are pure functions of arrays.

    The first of them loads the module.
    """
    global run

    def first(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        global run
        run = load_module(module).run
        return run(op, arrays, attrs)

    run = first
