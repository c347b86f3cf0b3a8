"""A profiled run of a graph: time and memory of each operation, on the interpreter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.explain.graph_data import Measured


def measure(interpreter: Interpreter, arrays: Sequence[Any]) -> dict[str, Measured]:
    """Run a graph once, and return what each operation took, by name.

    The memory of an operation is that of its results. Operations inside branches and loops are
    summed over all their calls.
    """
    totals: dict[str, list[float]] = {}

    def timed(node: Any, kernel: Any) -> Any:
        total = totals.setdefault(node.name, [0, 0.0, 0])

        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            result = kernel(*args, **kwargs)
            total[1] += time.perf_counter() - start
            total[0] += 1
            total[2] += _bytes(result)
            return result

        return run

    interpreter.with_kernels(timed)(arrays)
    return {
        name: Measured(int(calls), seconds, int(size))
        for name, (calls, seconds, size) in totals.items()
        if calls
    }


def _bytes(result: Any) -> int:
    if isinstance(result, np.ndarray):
        return result.nbytes
    return sum(map(_bytes, result)) if isinstance(result, tuple | list) else 0
