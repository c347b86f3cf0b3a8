"""Measurements in this process: seconds to import, or seconds a call whenever a line asks for them.

    python -m benchmarks.measure --module tensorflow --case add

It imports nothing but the standard library before the module under test, or the time to import
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

IMPORT = "import"
REPEAT_SECONDS = 0.15


def time_calls(step: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        step()
    return (time.perf_counter() - start) / calls


def warm_up(step: Callable[[], object], calls: int | None, warm: float) -> int:
    """Run until everything is compiled that will be; how many calls make a measurement."""
    start = time.perf_counter()
    while time.perf_counter() - start < warm:
        step()
    once = min(time_calls(step, 1) for _ in range(5))
    gc.collect()
    return calls or max(1, math.ceil(REPEAT_SECONDS / once))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", required=True)
    parser.add_argument("--case", required=True)
    options = parser.parse_args()
    start = time.perf_counter()
    module = importlib.import_module(options.module)
    seconds = time.perf_counter() - start
    if options.case == IMPORT:
        answer(seconds)
        return
    for cases in ("data_cases", "function_cases", "keras_cases", "random_cases", "training_cases"):
        importlib.import_module(f"benchmarks.{cases}")
    case = importlib.import_module("benchmarks.cases").CASES[options.case]
    step = case.prepare(module)
    calls = warm_up(step, case.calls, case.warm)
    answer(0.0)
    for _ in sys.stdin:
        answer(time_calls(step, calls))


def answer(seconds: float) -> None:
    print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
