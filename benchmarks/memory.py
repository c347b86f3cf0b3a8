"""Measure the peak memory of training steps, under Tapeflow and under TensorFlow.

    python -m benchmarks.memory --peer-python .venv-tf/bin/python

Each step runs in a process of its own. Shown are the peak of the resident memory of the process
(libraries, compiler and all) and how much of that came after a trivial function was compiled, the
variables and the data made: TensorFlow loads its compiler when it is imported, Tapeflow when a
function is hot.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).parents[1]
CASES = {
    "cnn": "small CNN",
    "lstm_loop": "gradient of an LSTM loop of 50 steps",
    "transformer_step": "transformer",
}
# Long enough for a compiler in the background to be done.
SECONDS = 12.0


def resident(field: str) -> float:
    """Return `VmRSS` or `VmHWM` of this process, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


def load_compiler(library: Any) -> None:
    """Compile a trivial function."""
    library.function(lambda x: x + 1.0, jit_compile=True)(library.zeros([2]))


def run(module: str, case: str) -> None:
    """Run a step for a while, and print the memory before it and at its peak."""
    library = importlib.import_module(module)
    importlib.import_module("benchmarks.sequence_cases")
    cases = importlib.import_module("benchmarks.cases").CASES
    load_compiler(library)
    step = cases[case].prepare(library)
    before = resident("VmRSS")
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        step()
    print(json.dumps({"before": before, "peak": resident("VmHWM")}), flush=True)


def measured(python: str, module: str, case: str) -> dict[str, float]:
    """Return the memory of a step, from a process of its own."""
    command = [python, "-m", "benchmarks.memory", "--module", module, "--case", case]
    environment = {**os.environ, "PYTHONPATH": "src", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def row(title: str, ours: dict[str, float], theirs: dict[str, float]) -> str:
    """Return a row of the table."""
    added = [side["peak"] - side["before"] for side in (ours, theirs)]
    cells = (
        title,
        *(f"{side['peak']:.0f} MB" for side in (ours, theirs)),
        f"{ours['peak'] / theirs['peak']:.2f}",
        *(f"{each:.0f} MB" for each in added),
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", help="a python that has TensorFlow")
    parser.add_argument("--module", help="run one step of this library, in this process")
    parser.add_argument("--case", default="cnn", choices=list(CASES))
    options = parser.parse_args()
    if options.module:
        run(options.module, options.case)
        return
    if not options.peer_python:
        parser.error("--peer-python names the python of the peer")
    lines = [
        "| training step | Tapeflow | TensorFlow | ratio | steps, ours | steps, theirs |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for case, title in CASES.items():
        ours = measured(sys.executable, "tapeflow", case)
        lines.append(row(title, ours, measured(options.peer_python, "tensorflow", case)))
    Console().print("\n".join(lines), markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
