"""Starts the workers of a program on this machine, and collects what they return.

    python -m tests.distribute_workers.launch 2 programs.collectives

Programs are functions in the modules of this folder (`tests.processes`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tests.processes import Processes, addresses, as_process

FOLDER = "tests.distribute_workers"


class Workers(Processes):
    """Running processes, by rank."""

    seconds = 900.0

    def __init__(
        self,
        count: int,
        programs: Sequence[str],
        cluster: Mapping[str, Sequence[str]] | None = None,
        ranks: Sequence[int] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        jobs = cluster or {"worker": addresses(count)}
        tasks = [(job, i) for job in ("chief", "worker") for i in range(len(jobs.get(job, ())))]
        for rank in range(count) if ranks is None else ranks:
            job, index = tasks[rank]
            config = {"cluster": jobs, "task": {"type": job, "index": index}}
            variables = {"TF_CONFIG": json.dumps(config), **(environment or {})}
            self.start(rank, f"{FOLDER}.launch", programs, variables)


def run(count: int, *programs: str, **kwargs: Any) -> list[dict[str, Any]]:
    """Run programs on so many workers, and return their results, by rank."""
    return Workers(count, programs, **kwargs).results()


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        as_process(FOLDER, sys.argv[2], sys.argv[3:])
    else:
        for result in run(int(sys.argv[1]), *sys.argv[2:]):
            print(json.dumps(result))
