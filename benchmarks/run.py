"""Measure every case under Tapeflow and under TensorFlow, and compare.

Both are ready at the same time, each in a process of its own, and take turns (ours, theirs, ours,
...), so that what else the machine does meets both alike. The best of all turns of all rounds
counts: what the machine does to a process only ever makes it slower.

    python -m benchmarks.run --peer-python .venv-tf/bin/python [--markdown] [--only add,tape]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import data_cases as _data_cases  # noqa: F401  registers its cases
from benchmarks import distribution_cases as _distribution_cases  # noqa: F401  registers its cases
from benchmarks import function_cases as _function_cases  # noqa: F401  registers its cases
from benchmarks import image_cases as _image_cases  # noqa: F401  registers its cases
from benchmarks import keras_cases as _keras_cases  # noqa: F401  registers its cases
from benchmarks import random_cases as _random_cases  # noqa: F401  registers its cases
from benchmarks import sequence_cases as _sequence_cases  # noqa: F401  registers its cases
from benchmarks import string_cases as _string_cases  # noqa: F401  registers its cases
from benchmarks import training_cases as _training_cases  # noqa: F401  registers its cases
from benchmarks.cases import CASES
from benchmarks.distribution_cases import NO_STRATEGY
from benchmarks.measure import AGAIN, IMPORT

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results.json"
IMPORT_TARGET, IMPORT_LIMIT = 6.0, 0.3
TURNS = 9


@dataclass(frozen=True)
class Result:
    """Best seconds of both; `theirs`, TensorFlow's or jax's, is None where it is not installed."""

    case: str
    title: str
    ours: float
    theirs: float | None
    target: float
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.theirs / self.ours if self.theirs else None

    @property
    def verdict(self) -> str:
        if self.limit and self.ours > self.limit:
            return "missed"
        if self.ratio is None:
            return "–"
        return "met" if self.ratio >= self.target else "missed"

    def row(self) -> tuple[str, ...]:
        target = f"≥ {self.target:.3g}×" + (f", ≤ {self.limit:g} s" if self.limit else "")
        ratio = "–" if self.ratio is None else f"{self.ratio:.2f}×"
        return self.title, ratio, target, self.verdict, show(self.ours), show(self.theirs)


COLUMNS = ("case", "faster by", "target", "verdict", "Tapeflow", "peer")


def show(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


class Measured:
    """A process that measures one case, or those that it is asked to prepare."""

    def __init__(self, python: str, module: str, case: str = "") -> None:
        self._module = module
        self._what = f"case {case} failed under {module}"
        only = ["--case", case] if case else []
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.measure", "--module", module, *only],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": "src", "TF_CPP_MIN_LOG_LEVEL": "3"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.first = self._answer()

    def prepare(self, case: str) -> None:
        """Measure `case` from now on."""
        self._what = f"case {case} failed under {self._module}"
        self._ask(case)

    def seconds(self) -> float:
        """Seconds a call, measured now."""
        return self._ask(AGAIN)

    def _ask(self, line: str) -> float:
        if self._process.stdin is None:
            raise RuntimeError("the process takes no questions")
        print(line, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> float:
        for line in self._process.stdout or ():
            if line.startswith('{"seconds"'):
                return float(json.loads(line)["seconds"])
        sys.exit(f"{self._what}:\n{self._process.communicate()[1]}")

    def end(self) -> None:
        self._process.communicate()


def has_tensorflow(python: str) -> bool:
    if not shutil.which(python):
        return False
    check = "import importlib.util as u, sys; sys.exit(u.find_spec('tensorflow') is None)"
    return subprocess.run([python, "-c", check]).returncode == 0


def run_case(case: str, peer: str | None, rounds: int) -> Result:
    module = CASES[case].peer if case in CASES else "tensorflow"
    # The project's own environment has these; every other peer is in the environment of the peers.
    python = sys.executable if module in ("jax", NO_STRATEGY) else peer
    sides = [(sys.executable, "tapeflow"), *([(python, module)] if python else [])]
    best = [math.inf] * len(sides)
    for _ in range(rounds):
        for side, seconds in enumerate(turns(case, sides)):
            best[side] = min(best[side], seconds)
    ours, theirs = best[0], best[1] if len(best) > 1 else None
    if case == IMPORT:
        return Result(case, "import", ours, theirs, IMPORT_TARGET, IMPORT_LIMIT)
    return Result(case, CASES[case].title, ours, theirs, CASES[case].target)


def turns(case: str, sides: list[tuple[str, str]]) -> list[float]:
    """The best of the turns that processes of their own take; importing is done but once in one."""
    processes = [Measured(python, module, case) for python, module in sides]
    first = [process.first for process in processes]
    best = first if case == IMPORT else take_turns(processes, TURNS)
    for process in processes:
        process.end()
    return best


def take_turns(processes: list[Measured], count: int) -> list[float]:
    """The best of `count` turns of each process, one after the other."""
    best = [math.inf] * len(processes)
    for _ in range(count):
        for side, process in enumerate(processes):
            best[side] = min(best[side], process.seconds())
    return best


def markdown(results: list[Result]) -> str:
    return markdown_rows(COLUMNS, [result.row() for result in results])


def markdown_rows(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rows = [columns, ("---",) * len(columns), *cells]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def table(results: list[Result]) -> Table:
    grid = Table(*COLUMNS)
    for result in results:
        style = {"met": "green", "missed": "red"}.get(result.verdict, "")
        grid.add_row(*result.row(), style=style)
    return grid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", default="", help="a python that has TensorFlow")
    parser.add_argument("--only", default="", help=f"cases: {', '.join([IMPORT, *CASES])}")
    parser.add_argument("--rounds", type=int, default=3, help="processes a case and peer")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    unknown = {name for name in options.only.split(",") if name} - {IMPORT, *CASES}
    if unknown:
        parser.error(f"no cases of the names {', '.join(sorted(unknown))}")
    peer = os.path.abspath(options.peer_python) if options.peer_python else ""
    console = Console()
    load = os.getloadavg()[0]
    if load > (os.cpu_count() or 1) / 2:
        console.print(f"The machine is busy (load {load:.1f}): expect ratios to be off.")
    if not has_tensorflow(peer):
        console.print("TensorFlow is not there to compare with: measuring Tapeflow alone.")
        peer = ""
    cases = options.only.split(",") if options.only else [IMPORT, *CASES]
    steps = track(cases, "measuring", console=Console(stderr=True), transient=True)
    results = [run_case(case, peer or None, options.rounds) for case in steps]
    console.print(
        markdown(results) if options.markdown else table(results),
        markup=False,
        soft_wrap=options.markdown,
    )
    record = {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load before": load,
        "results": [{**asdict(result), "ratio": result.ratio} for result in results],
    }
    RESULTS.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
