"""Installs each library in an environment of its own, runs it on Tapeflow and on TensorFlow.

`python -m clients.run [NAME …] [--peer-python PYTHON] [--folder FOLDER] [--timeout SECONDS]` prints
a table of what passed on either side, and how long it took.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from clients.table import CLIENTS, Client

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "clients" / "programs"
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|error)")


@dataclass(frozen=True)
class Result:
    """What one run of a library came to."""

    passed: int
    failed: int
    skipped: int
    seconds: float
    note: str = ""

    def __str__(self) -> str:
        counts = f"{self.passed} / {self.failed} / {self.skipped}, {self.seconds:.0f} s"
        return f"{counts} ({self.note})" if self.note else counts


def counts_of_tests(output: str) -> tuple[int, int, int]:
    """Return how many tests passed, failed and were skipped, as the last line of pytest says."""
    lines = [line for line in output.splitlines() if _COUNT.search(line)]
    found = {word: int(number) for number, word in _COUNT.findall(lines[-1])} if lines else {}
    failed = found.get("failed", 0) + found.get("error", 0)
    return found.get("passed", 0), failed, found.get("skipped", 0)


def counts_of_program(client: Client, output: str) -> tuple[int, int, int]:
    """Return how many parts of a program worked and did not."""
    passed = sum(line.startswith("ok: ") for line in output.splitlines())
    return passed, client.parts - passed, 0


def installed(client: Client, folder: Path) -> Path:
    """Return the folder with the library and what it needs; install it if it is not there."""
    target = folder / re.sub(r"\W+", "-", client.name)
    stamp = target / ".installed"
    if not stamp.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target)]
        subprocess.run([*pip, "--no-deps", *client.wheels], check=True)
        if client.needs:
            # What Tapeflow and the peer have themselves must stay theirs.
            subprocess.run([*pip, "--no-deps", *client.needs], check=True)
        stamp.touch()
    return target


def run(client: Client, python: str, library: Path, on_tapeflow: bool, timeout: float) -> Result:
    """Run a library's tests or program in one interpreter."""
    paths = [str(ROOT / "src")] if on_tapeflow else []
    environment = {
        **os.environ,
        # The library comes last: packages of the environment win over copies beside it.
        "PYTHONPATH": os.pathsep.join([*paths, str(library)]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "EINOPS_TEST_BACKENDS": "numpy,tensorflow",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if client.tests:
        plugin = ["-p", "tapeflow.pytest_plugin"] if on_tapeflow else []
        tests = [str(library / path) for path in client.tests]
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *tests]
    else:
        command = [*(["-m", "tapeflow.run"] if on_tapeflow else []), str(PROGRAMS / client.program)]
    start = time.monotonic()
    note = ""
    try:
        done = subprocess.run(
            [python, *command],
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=library,
        )
        output = done.stdout
        if done.returncode and done.stderr.strip():
            note = done.stderr.strip().splitlines()[-1][:120]
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        note = f"stopped after {timeout:.0f} s"
    counts = counts_of_tests(output) if client.tests else counts_of_program(client, output)
    return Result(*counts, time.monotonic() - start, note)


def main() -> int:
    """Run all libraries, or those named, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(client.name for client in CLIENTS))
    parser.add_argument("--peer-python", default="", help="a Python that has TensorFlow")
    parser.add_argument("--folder", type=Path, default=ROOT / ".clients", help="for the libraries")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds for one run")
    options = parser.parse_args()
    has_peer = bool(options.peer_python) and Path(options.peer_python).exists()
    print("| library | Tapeflow: passed / failed / skipped | TensorFlow |")
    print("|---|---|---|")
    for client in CLIENTS:
        if options.names and client.name not in options.names:
            continue
        library = installed(client, options.folder.resolve())
        ours = run(client, sys.executable, library, True, options.timeout)
        theirs = (
            run(client, options.peer_python, library, False, options.timeout) if has_peer else None
        )
        print(f"| {client.name} | {ours} | {theirs or 'not installed'} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
