"""Starts the processes of a multi-worker program on this machine, and collects what they return.

    python -m tests.distribute_workers.launch 2 programs.collectives

A program is a function without arguments in a module of this folder, which returns what JSON can
hold. Each process runs the named programs one after the other.
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

ROOT = Path(__file__).parents[2]
FOLDER = "tests.distribute_workers"
SECONDS = 900


def addresses(count: int) -> list[str]:
    """Return so many addresses of this machine that nobody listens at."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return [f"127.0.0.1:{port}" for port in ports]


class Workers:
    """Running processes, by rank."""

    def __init__(
        self,
        count: int,
        programs: Sequence[str],
        cluster: Mapping[str, Sequence[str]] | None = None,
        ranks: Sequence[int] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        jobs = cluster or {"worker": addresses(count)}
        tasks = [(job, i) for job in ("chief", "worker") for i in range(len(jobs.get(job, ())))]
        self._folder = Path(tempfile.mkdtemp())
        self.processes: dict[int, subprocess.Popen[str]] = {}
        for rank in range(count) if ranks is None else ranks:
            job, index = tasks[rank]
            task = {"type": job, "index": index}
            self.processes[rank] = subprocess.Popen(
                [sys.executable, "-m", f"{FOLDER}.launch", "--run", self._path(rank), *programs],
                cwd=ROOT,
                env={
                    **os.environ,
                    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
                    "OMP_NUM_THREADS": "1",
                    "OPENBLAS_NUM_THREADS": "1",
                    "TAPEFLOW_WORKERS_TIMEOUT": "60",
                    "TF_CONFIG": json.dumps({"cluster": jobs, "task": task}),
                    **(environment or {}),
                },
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )

    def _path(self, rank: int) -> str:
        return str(self._folder / f"{rank}.json")

    def errors(self, seconds: float = SECONDS) -> dict[int, str]:
        """Wait for all processes, and return what those that failed have written."""
        written = self._errors(seconds)
        shutil.rmtree(self._folder)
        return written

    def _errors(self, seconds: float = SECONDS) -> dict[int, str]:
        written = {}
        try:
            for rank, process in self.processes.items():
                _, text = process.communicate(timeout=seconds)
                if process.returncode:
                    written[rank] = f"exit code {process.returncode}\n{text}"
        finally:
            for process in self.processes.values():
                process.kill()
        return written

    def results(self) -> list[dict[str, Any]]:
        """Wait for all processes, and return the results of the programs, by rank."""
        try:
            errors = self._errors()
            if errors:
                raise RuntimeError("\n".join(f"Worker {rank}: {t}" for rank, t in errors.items()))
            return [json.loads(Path(self._path(rank)).read_text()) for rank in self.processes]
        finally:
            shutil.rmtree(self._folder)


def run(count: int, *programs: str, **kwargs: Any) -> list[dict[str, Any]]:
    """Run programs on so many workers, and return their results, by rank."""
    return Workers(count, programs, **kwargs).results()


def _as_worker(path: str, programs: Sequence[str]) -> None:
    results = {}
    for program in programs:
        module, _, function = program.partition(".")
        results[program] = getattr(importlib.import_module(f"{FOLDER}.{module}"), function)()
    Path(path).write_text(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        _as_worker(sys.argv[2], sys.argv[3:])
    else:
        for result in run(int(sys.argv[1]), *sys.argv[2:]):
            print(json.dumps(result))
