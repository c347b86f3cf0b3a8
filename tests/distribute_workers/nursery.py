"""Starts processes that need not import anything: each is a fork of one that has.

nursery = Nursery()
pid = nursery.start("fault_programs.custom_loop", {"TF_CONFIG": ...}, "output.txt")
code, seconds = nursery.wait(pid, 60)
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from tests.distribute_workers.launch import FOLDER
from tests.processes import ENVIRONMENT, ROOT

PRELOADED = ("jax", "tapeflow.keras", "tapeflow._src.distribute.collectives")


class Nursery:
    """A process without threads, of which others are forked."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{FOLDER}.nursery"],
            cwd=ROOT,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, program: str, environment: Mapping[str, str], output: str) -> int:
        """Start a program; return the number of its process."""
        return int(self._ask(program=program, environment=dict(environment), output=output))

    def wait(self, pid: int, timeout: float) -> int | None:
        """Return the exit code of a process, negative for a signal; None if it does not end."""
        code = self._ask(wait=pid, timeout=timeout)
        return None if code is None else int(code)

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


def _run(request: Mapping[str, Any]) -> None:
    """In the new process: become the program."""
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.environ.update(request["environment"])
    module, _, function = request["program"].partition(".")
    getattr(importlib.import_module(f"{FOLDER}.{module}"), function)()


def _waited(pid: int, timeout: float) -> int | None:
    end = time.monotonic() + timeout
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            return None
        time.sleep(0.01)


def _serve() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = _waited(request["wait"], request["timeout"])
        else:
            answer = os.fork()
            if not answer:
                sys.stdin.close()
                return _run(request)
        print(json.dumps(answer), flush=True)
    return None


if __name__ == "__main__":
    _serve()
