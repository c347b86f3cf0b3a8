"""Measure how cost grows with size, under Tapeflow and its peers, in the same run.

    python -m benchmarks.curves --peer-python .venv-tf/bin/python [--torch-python ...] [--only add]

A curve is measured size by size: every library is ready in a process of its own, and they take
turns. The best of all turns counts.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks.curve_cases import CURVES, PREFIX, is_measured
from benchmarks.run import Measured, has_tensorflow, show

RESULTS = Path(__file__).parent / "curves.json"
NAMES = {"tapeflow": "Tapeflow", "tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
TURNS = 4
# A step that takes this long is not repeated as often.
LONG = 1.0

Seconds = dict[str, float]
Points = dict[int, Seconds]


def measure(key: str, size: int, processes: dict[str, Measured]) -> Seconds:
    """Return the best seconds of a step of each library that takes part."""
    best: Seconds = {}
    for module, process in processes.items():
        if is_measured(key, module, size):
            process.prepare(f"{PREFIX}{key}/{size}")
            best[module] = math.inf
    for turn in range(TURNS):
        for module, seconds in best.items():
            if turn < 2 or seconds < LONG:
                best[module] = min(seconds, processes[module].seconds())
    return best


def points(key: str, pythons: dict[str, str]) -> Points:
    """Return the curve of each library: seconds by size."""
    processes = {module: Measured(python, module) for module, python in pythons.items()}
    curve = {size: measure(key, size, processes) for size in CURVES[key].sizes}
    for process in processes.values():
        process.end()
    return curve


def markdown(key: str, curve: Points) -> str:
    """Return a table: a row for each size, a column for each library."""
    modules = [m for m in NAMES if any(m in seconds for seconds in curve.values())]
    head = ("n", *(NAMES[m] for m in modules), "ours / TensorFlow")
    rows = [head, ("---",) * len(head)]
    for size, seconds in curve.items():
        theirs = seconds.get("tensorflow")
        ratio = "–" if theirs is None else f"{seconds['tapeflow'] / theirs:.2f}"
        rows.append((f"{size:,}", *(show(seconds.get(m)) for m in modules), ratio))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    title = CURVES[key].title
    return "\n".join([f"**{title[0].upper()}{title[1:]}**", "", *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", default="", help="a python that has TensorFlow")
    parser.add_argument("--torch-python", default="", help="a python that has PyTorch")
    parser.add_argument("--only", default="", help=f"curves: {', '.join(CURVES)}")
    options = parser.parse_args()
    pythons = {"tapeflow": sys.executable, "jax": sys.executable}
    if options.peer_python and has_tensorflow(options.peer_python):
        pythons["tensorflow"] = os.path.abspath(options.peer_python)
    if options.torch_python:
        pythons["torch"] = os.path.abspath(options.torch_python)
    load = os.getloadavg()[0]
    keys = options.only.split(",") if options.only else list(CURVES)
    record = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    curves = record.get("curves", {})
    console = Console()
    for key in track(keys, "measuring", console=Console(stderr=True), transient=True):
        curve = points(key, {m: p for m, p in pythons.items() if is_measured(key, m)})
        console.print(markdown(key, curve), markup=False, soft_wrap=True)
        curves[key] = {str(size): seconds for size, seconds in curve.items()}
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        record = {"machine": machine, "load before": load, "curves": curves}
        RESULTS.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
