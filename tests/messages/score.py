"""Score what a Python says about the broken programs: line, cause and repair.

    python -m tests.messages.score [--python PYTHON] [--module tensorflow] [--show] [topic ...]

Runs each program in a process of its own; a program is scored by all that it prints.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.messages.program import Program, Score, score
from tests.messages.programs import ALL


def run(program: Program, python: str, module: str, folder: Path) -> tuple[str, str]:
    """Run a program in a process, and return the name of its file and what it printed."""
    file = folder / f"{program.topic.replace(' ', '_').replace('/', '_')[:40]}.py"
    file.write_text(program.source.replace("import tapeflow as tf", f"import {module} as tf"))
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [python, str(file)], capture_output=True, text=True, env=environment, timeout=300
    )
    return str(file), done.stdout + done.stderr


def scores(python: str, module: str, topics: list[str]) -> Iterator[tuple[Program, Score, str]]:
    """Yield the programs with their scores and what they printed."""
    with tempfile.TemporaryDirectory() as folder:
        for program in ALL:
            if not topics or any(topic in program.topic for topic in topics):
                file, shown = run(program, python, module, Path(folder))
                yield program, score(program, file, shown), shown


def main() -> None:
    """Print a table of scores and their sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--module", default="tapeflow")
    parser.add_argument("--show", action="store_true", help="print what each program prints")
    parser.add_argument("topics", nargs="*")
    options = parser.parse_args()
    total = [0, 0, 0]
    for program, result, shown in scores(options.python, options.module, options.topics):
        total = [a + b for a, b in zip(total, (result.line, result.cause, result.repair))]
        print(f"{result}\t{program.topic}", flush=True)
        if options.show:
            print(shown)
    print("/".join(map(str, total)))


if __name__ == "__main__":
    main()
