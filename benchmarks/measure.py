"""One measurement in this process: seconds a call, or seconds to import.

    python -m benchmarks.measure --module tensorflow --case add

It imports nothing but the standard library before the module under test, or the time to import
would be wrong: what both need, NumPy above all, belongs to it.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import time
from collections.abc import Callable

IMPORT = "import"
REPEATS = 7
REPEAT_SECONDS = 0.15


def time_calls(step: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        step()
    return (time.perf_counter() - start) / calls


def best_time(step: Callable[[], object], calls: int | None, warm: float) -> float:
    """The fastest repeat: what the machine does to a process only ever makes it slower."""
    start = time.perf_counter()
    while time.perf_counter() - start < warm:
        step()
    once = min(time_calls(step, 1) for _ in range(5))
    calls = calls or max(1, math.ceil(REPEAT_SECONDS / once))
    gc.collect()
    return min(time_calls(step, calls) for _ in range(REPEATS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", required=True)
    parser.add_argument("--case", required=True)
    options = parser.parse_args()
    start = time.perf_counter()
    module = importlib.import_module(options.module)
    seconds = time.perf_counter() - start
    if options.case != IMPORT:
        for cases in ("data_cases", "function_cases"):
            importlib.import_module(f"benchmarks.{cases}")
        case = importlib.import_module("benchmarks.cases").CASES[options.case]
        seconds = best_time(case.prepare(module), case.calls, case.warm)
    print(json.dumps({"version": getattr(module, "__version__", "?"), "seconds": seconds}))


if __name__ == "__main__":
    main()
