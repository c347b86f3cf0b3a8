"""Starts the processes of a program on a common mesh, and collects what they return.

    python -m tests.dtensor.clients 2 1 client_programs.operations

Each process has so many devices and runs the named functions one after the other. They are those of
modules of this folder, without arguments, and return what JSON can hold.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests import quick_compiler
from tests.distribute_workers.launch import addresses

ROOT = Path(__file__).parents[2]
FOLDER = "tests.dtensor"
DEVICES = "TEST_DEVICES"
SECONDS = 300


class Clients:
    """Running processes, by number."""

    def __init__(
        self,
        count: int,
        devices: int,
        programs: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.addresses = addresses(count)
        self._folder = Path(tempfile.mkdtemp())
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-m", f"{FOLDER}.clients", "--run", self._path(i), *programs],
                cwd=ROOT,
                env={**self._environment(i, devices), **(environment or {})},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for i in range(count)
        ]

    def _environment(self, number: int, devices: int) -> dict[str, str]:
        several = len(self.addresses) > 1
        flags = {}
        if quick_compiler.is_installed():
            flags["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {quick_compiler.FLAGS}"
        return {
            **os.environ,
            **flags,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "TAPEFLOW_WORKERS_TIMEOUT": "60",
            DEVICES: str(devices),
            "DTENSOR_JOBS": ",".join(self.addresses) if several else "",
            "DTENSOR_CLIENT_ID": str(number),
            "KERAS_DISTRIBUTION_JOB_ADDRESSES": ",".join(self.addresses),
            "KERAS_DISTRIBUTION_NUM_PROCESSES": str(len(self.addresses)),
            "KERAS_DISTRIBUTION_PROCESS_ID": str(number),
        }

    def _path(self, number: int) -> str:
        return str(self._folder / f"{number}.json")

    def name(self, number: int) -> str:
        """Return the name of a process in messages."""
        return f"/job:worker/task:{number} ({self.addresses[number]})"

    def errors(self, seconds: float = SECONDS) -> dict[int, str]:
        """Wait for all processes, and return what those that failed have written."""
        try:
            return self._errors(seconds)
        finally:
            shutil.rmtree(self._folder)

    def _errors(self, seconds: float) -> dict[int, str]:
        written = {}
        try:
            for number, process in enumerate(self.processes):
                _, text = process.communicate(timeout=seconds)
                if process.returncode:
                    written[number] = f"exit code {process.returncode}\n{text}"
        finally:
            for process in self.processes:
                process.kill()
        return written

    def results(self) -> list[dict[str, Any]]:
        """Wait for all processes, and return the results of the programs, by number."""
        try:
            errors = self._errors(SECONDS)
            if errors:
                raise RuntimeError("\n".join(f"Process {i}: {t}" for i, t in errors.items()))
            return [json.loads(Path(self._path(i)).read_text()) for i in range(len(self.processes))]
        finally:
            shutil.rmtree(self._folder)


def run(count: int, devices: int, *programs: str, **environment: str) -> list[dict[str, Any]]:
    """Run programs in so many processes, and return their results, by number."""
    return Clients(count, devices, programs, environment).results()


def _as_client(path: str, programs: Sequence[str]) -> None:
    results = {}
    for program in programs:
        module, _, function = program.partition(".")
        results[program] = getattr(importlib.import_module(f"{FOLDER}.{module}"), function)()
    Path(path).write_text(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        _as_client(sys.argv[2], sys.argv[3:])
    else:
        for result in run(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]):
            print(json.dumps(result))
