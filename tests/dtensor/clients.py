"""Starts the processes of a program on a common mesh, and collects what they return.

    python -m tests.dtensor.clients 2 1 client_programs.operations

Each process has so many devices. Programs are functions in the modules of this folder
(`tests.processes`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tests import quick_compiler
from tests.processes import Processes, addresses, as_process

FOLDER = "tests.dtensor"
DEVICES = "TEST_DEVICES"


class Clients(Processes):
    """Running processes, by number."""

    def __init__(
        self,
        count: int,
        devices: int,
        programs: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.addresses = addresses(count)
        for number in range(count):
            variables = {**self._environment(number, devices), **(environment or {})}
            self.start(number, f"{FOLDER}.clients", programs, variables)

    def _environment(self, number: int, devices: int) -> dict[str, str]:
        several = len(self.addresses) > 1
        flags = {}
        if quick_compiler.is_installed():
            flags["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {quick_compiler.FLAGS}"
        return {
            **flags,
            DEVICES: str(devices),
            "DTENSOR_JOBS": ",".join(self.addresses) if several else "",
            "DTENSOR_CLIENT_ID": str(number),
            "KERAS_DISTRIBUTION_JOB_ADDRESSES": ",".join(self.addresses),
            "KERAS_DISTRIBUTION_NUM_PROCESSES": str(len(self.addresses)),
            "KERAS_DISTRIBUTION_PROCESS_ID": str(number),
        }

    def name(self, number: int) -> str:
        """Return the name of a process in messages."""
        return f"/job:worker/task:{number} ({self.addresses[number]})"


def run(count: int, devices: int, *programs: str, **environment: str) -> list[dict[str, Any]]:
    """Run programs in so many processes, and return their results, by number."""
    return Clients(count, devices, programs, environment).results()


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        as_process(FOLDER, sys.argv[2], sys.argv[3:])
    else:
        for result in run(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]):
            print(json.dumps(result))
