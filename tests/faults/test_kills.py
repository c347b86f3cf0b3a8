"""Writers that are killed leave the old generation or the new one, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.writers import WRITERS

NAMES = sorted(WRITERS)
ROOT = Path(__file__).parents[2]


def kill(count: int, seed: int) -> None:
    # A process of its own forks the writers: this one may have threads.
    command = [sys.executable, "-m", "tests.faults.kills", str(count), "--seed", str(seed)]
    command += ["--writers", *NAMES]
    path = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **path}, capture_output=True, text=True
    )
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert sorted(report["writer"] for report in reports) == NAMES, result.stderr
    losses = [f"{r['writer']}: {loss}" for r in reports for loss in r["losses"]]
    assert not losses, "\n".join(losses)
    assert sum(report["kills"] for report in reports) >= count


def test_a_few_kills_lose_nothing() -> None:
    kill(2 * len(NAMES), seed=1)


@pytest.mark.slow
def test_five_hundred_kills_lose_nothing() -> None:
    kill(500, seed=2)
