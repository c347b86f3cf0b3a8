"""Measure public ops at three sizes under Tapeflow and under TensorFlow, worst ratio first.

    python -m benchmarks.ops --peer-python .venv-tf/bin/python [--markdown] [--only softmax,cumsum]
        [--every 2]

Two processes, one for each, go through all rows together and take turns at each. A ratio is the
time of Tapeflow over that of TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import LONG_CALL
from benchmarks.op_cases import FAMILIES, SIZES, all_expressions, expressions
from benchmarks.run import Measured, has_tensorflow, markdown_rows, show, take_turns

RESULTS = Path(__file__).parent / "op_results.json"
LIMIT = 1.1
WIDTH = 140
FIRST_TURNS, TURNS, LONG_TURNS = 2, 4, 1
SHOWN_SIZES = {10: "10", 10_000: "10⁴", 4_000_000: "4·10⁶"}


@dataclass(frozen=True)
class Row:
    """The best seconds of an expression at each size, ours and TensorFlow's."""

    expression: str
    times: dict[int, tuple[float, float]]

    @property
    def ratios(self) -> dict[int, float]:
        return {size: ours / theirs for size, (ours, theirs) in self.times.items()}

    @property
    def worst(self) -> float:
        return max(self.ratios.values())

    def cells(self, sizes: list[int]) -> tuple[str, ...]:
        shown = (f"{self.ratios[size]:.2f}" for size in sizes)
        ours, theirs = self.times[sizes[-1]]
        return f"`{self.expression}`", *shown, show(ours), show(theirs)


def measure(expression: str, sizes: list[int], sides: list[Measured]) -> Row:
    """Measure an expression at all sizes."""
    times = {}
    for size in sizes:
        for side in sides:
            side.prepare(f"{size}: {expression}")
        ours, theirs = take_turns(sides, FIRST_TURNS)
        more = LONG_TURNS if theirs > LONG_CALL else TURNS
        if ours > LIMIT * theirs:
            more *= 3  # it is measured longer before it is believed
        elif theirs > LONG_CALL:
            more = 0
        again = take_turns(sides, more)
        times[size] = (min(ours, again[0]), min(theirs, again[1]))
    return Row(expression, times)


def columns(sizes: list[int]) -> tuple[str, ...]:
    largest = SHOWN_SIZES[sizes[-1]]
    shown = (f"{SHOWN_SIZES[size]} elements" for size in sizes)
    return "op", *shown, f"Tapeflow, {largest}", f"TensorFlow, {largest}"


def summary(rows: list[Row], sizes: list[int]) -> str:
    """Count the rows above the limit at each size, and return the medians."""
    lines = []
    for size in sizes:
        ratios = [row.ratios[size] for row in rows]
        above = sum(ratio > LIMIT for ratio in ratios)
        median, worst = statistics.median(ratios), max(ratios)
        lines.append(
            f"{SHOWN_SIZES[size]} elements: {len(rows)} rows, median {median:.2f}, "
            f"worst {worst:.2f}, {above} above {LIMIT}"
        )
    return "\n".join(lines)


def selection(only: str, family: str) -> list[str]:
    """Return the expressions of a family that contain one of the words of `only`."""
    rows = expressions(family) if family else all_expressions()
    words = only.split(",")
    return [row for row in rows if any(word in row for word in words)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", required=True, help="a python that has TensorFlow")
    parser.add_argument("--only", default="", help="parts of expressions, with commas between")
    parser.add_argument("--family", default="", choices=["", *FAMILIES])
    parser.add_argument("--every", type=int, default=1, help="measure every so many rows")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    peer = os.path.abspath(options.peer_python)
    if not has_tensorflow(peer):
        sys.exit("TensorFlow is not there to compare with.")
    sizes = [int(size) for size in options.sizes.split(",")]
    sides = [Measured(sys.executable, "tapeflow"), Measured(peer, "tensorflow")]
    chosen = selection(options.only, options.family)[:: options.every]
    steps = track(chosen, "measuring", console=Console(stderr=True), transient=True)
    rows: list[Row] = []
    for expression in steps:
        rows.append(measure(expression, sizes, sides))
        record = [{"op": row.expression, "seconds": row.times} for row in rows]
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for side in sides:
        side.end()
    rows.sort(key=lambda row: row.worst, reverse=True)
    console = Console(width=max(WIDTH, Console().width))
    console.print(summary(rows, sizes))
    cells = [row.cells(sizes) for row in rows]
    if options.markdown:
        console.print(markdown_rows(columns(sizes), cells), markup=False, soft_wrap=True)
    else:
        grid = Table(*columns(sizes))
        for row, line in zip(rows, cells):
            grid.add_row(*line, style="red" if row.worst > LIMIT else "")
        console.print(grid, markup=False)


if __name__ == "__main__":
    main()
