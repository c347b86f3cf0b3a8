"""Starts the processes of one program on this machine, and collects what they return.

A program is a function without arguments in a module, which returns what JSON can hold. Each
process runs the named programs one after the other: `python -m MODULE --run FILE PROGRAM...`, where
the module calls `as_process`.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# Of all processes that tests start: each uses one core.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TAPEFLOW_WORKERS_TIMEOUT": "60",
}


def addresses(count: int) -> list[str]:
    """Return so many addresses of this machine that nobody listens at."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return [f"127.0.0.1:{port}" for port in ports]


class Processes:
    """Running processes, by number. `seconds`: how long they may take."""

    seconds = 300.0

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp())
        self.processes: dict[int, subprocess.Popen[str]] = {}

    def start(
        self, number: int, module: str, programs: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        """Start a process, whose environment has the given variables, too."""
        self.processes[number] = subprocess.Popen(
            [sys.executable, "-m", module, "--run", self._path(number), *programs],
            cwd=ROOT,
            env={**ENVIRONMENT, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _path(self, number: int) -> str:
        return str(self._folder / f"{number}.json")

    def errors(self, seconds: float | None = None) -> dict[int, str]:
        """Wait for all processes, and return what those that failed have written."""
        try:
            return self._errors(self.seconds if seconds is None else seconds)
        finally:
            shutil.rmtree(self._folder)

    def _errors(self, seconds: float) -> dict[int, str]:
        written = {}
        try:
            for number, process in self.processes.items():
                _, text = process.communicate(timeout=seconds)
                if process.returncode:
                    written[number] = f"exit code {process.returncode}\n{text}"
        finally:
            for process in self.processes.values():
                process.kill()
        return written

    def results(self) -> list[dict[str, Any]]:
        """Wait for all processes, and return the results of the programs, by number."""
        try:
            errors = self._errors(self.seconds)
            if errors:
                raise RuntimeError("\n".join(f"Process {i}: {t}" for i, t in errors.items()))
            return [json.loads(Path(self._path(number)).read_text()) for number in self.processes]
        finally:
            shutil.rmtree(self._folder)


def as_process(folder: str, path: str, programs: Sequence[str]) -> None:
    """Run programs of the modules of a package, and write what they return to a file."""
    results = {}
    for program in programs:
        module, _, function = program.partition(".")
        results[program] = getattr(importlib.import_module(f"{folder}.{module}"), function)()
    Path(path).write_text(json.dumps(results))
