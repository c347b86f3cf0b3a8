"""Measurements in this process: seconds to import, or seconds a call whenever a line asks for them.

    python -m benchmarks.measure --module tensorflow --case add

Without `--case` every line names a case to prepare, or asks for a measurement of the last one.
Nothing but the standard library is imported before the module under test, or the time to import
would be wrong: what both need, NumPy above all, belongs to it. Every answer is a line of JSON, the
first one when the case is prepared and warm.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

IMPORT = "import"
AGAIN = "again"
OURS = "tapeflow"
LONG_CALL = 0.1  # seconds
FEW_CALLS = 12
# How long to wait for the background thread that compiles.
COMPILE_SECONDS = 20.0
CASE_FILES = (
    *("data_cases", "function_cases", "image_cases", "keras_cases", "random_cases"),
    *("distribution_cases", "sequence_cases", "string_cases", "training_cases"),
)


def time_calls(step: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        step()
    return (time.perf_counter() - start) / calls


def warm_up(step: Callable[[], object], case: Any, module: Any) -> int:
    """Run until everything is compiled that will be; how many calls make a measurement."""
    if case.peer_warms or module.__name__ != case.peer:
        run_for(step, case.warm)
        if module.__name__ == OURS:
            compiler = importlib.import_module(f"{OURS}._src.executors.background").compiler
            if not compiler.wait(0) and compiler.wait(COMPILE_SECONDS):
                run_for(step, case.warm)  # what is compiled now is tried first
    once = time_calls(step, 1)
    for _ in range(4 if once < LONG_CALL else 0):
        once = min(once, time_calls(step, 1))
    gc.collect()
    return case.calls or max(1, math.ceil(case.repeat / once))


def run_for(step: Callable[[], object], seconds: float) -> None:
    """Run for so long, and a few times at least."""
    start, calls, taken = time.perf_counter(), 0, 0.0
    while taken < seconds or (calls < FEW_CALLS and taken < 10 * seconds):
        step()
        calls += 1
        taken = time.perf_counter() - start


class Prepared:
    """A case that is ready to be measured."""

    def __init__(self, module: Any, name: str) -> None:
        if name.startswith("curve/"):
            case = importlib.import_module("benchmarks.curve_cases").curve_case(name)
        elif ": " in name:
            case = importlib.import_module("benchmarks.op_cases").op_case(name)
        else:
            for cases in CASE_FILES:
                importlib.import_module(f"benchmarks.{cases}")
            case = importlib.import_module("benchmarks.cases").CASES[name]
        self._step = case.prepare(module)
        self._calls = warm_up(self._step, case, module)
        self._chunks = case.chunks

    def seconds(self) -> float:
        """Seconds a call: the mean of all calls of a turn, or of the fastest of its chunks."""
        chunks = min(self._chunks, self._calls)
        return min(time_calls(self._step, self._calls // chunks) for _ in range(chunks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", required=True)
    parser.add_argument("--case")
    options = parser.parse_args()
    start = time.perf_counter()
    module = importlib.import_module(options.module)
    seconds = time.perf_counter() - start
    if options.case == IMPORT:
        answer(seconds)
        return
    prepared = Prepared(module, options.case) if options.case else None
    answer(0.0)
    for line in sys.stdin:
        if line.strip() == AGAIN and prepared:
            answer(prepared.seconds())
        else:
            prepared = None  # its arrays are freed before there are others
            prepared = Prepared(module, line.strip())
            answer(0.0)


def answer(seconds: float) -> None:
    print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
