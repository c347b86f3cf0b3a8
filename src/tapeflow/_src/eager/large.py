"""Calls of ops with large operands: they may run in more than one way.

Small calls run the op's NumPy kernel and nothing else. A call whose first operand has more than
`LARGE` elements goes through `run`, and an executor registers what else can run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import Op

# Elements of the first operand. Below, a kernel mostly takes less than the choice between two.
LARGE = 8192

# The module whose `run` runs such calls, loaded by the first of them.
_runner: list[LazyModule] = []


def register(module: str) -> None:
    """Let `run` of the module named `module` run calls that are pure functions of arrays."""
    _runner[:] = [LazyModule(module)]


def run(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Run a call with a large operand, and return what the op's kernel returns."""
    if not op.scales or not _runner:
        return op.run(xp, *arrays, **attrs)
    return _runner[0].run(op, arrays, attrs)
