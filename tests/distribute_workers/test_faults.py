"""A worker that is killed: the others end with an error that names it, and all resume exactly."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.distribute_workers.nursery import Nursery
from tests.processes import addresses

COUNT = 3
PROGRAMS = ("fault_programs.custom_loop", "fault_programs.keras_fit")
SECONDS = 120


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


class Run:
    """The workers of one start of a program, in a folder that outlives it."""

    def __init__(
        self,
        nursery: Nursery,
        program: str,
        folder: Path,
        name: str,
        count: int = COUNT,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._nursery, self._folder, self._name = nursery, folder, name
        self.addresses = addresses(count)
        self.pids = [
            nursery.start(
                program,
                {
                    **(environment or {}),
                    "FAULT_FOLDER": str(folder),
                    "TF_CONFIG": json.dumps(
                        {
                            "cluster": {"worker": self.addresses},
                            "task": {"type": "worker", "index": rank},
                        }
                    ),
                },
                str(self._output(rank)),
            )
            for rank in range(count)
        ]

    def _output(self, rank: int) -> Path:
        return self._folder / f"{self._name}-{rank}.txt"

    def output(self, rank: int) -> str:
        return self._output(rank).read_text()

    def kill(self, rank: int, step: int, delay: float) -> None:
        """Kill a worker some time after it has taken so many steps, or at the start."""
        progress = self._folder / f"progress-{rank}"
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not (
            progress.exists() and int(progress.read_text() or 0) >= step
        ):
            time.sleep(0.001)
        time.sleep(delay)
        os.kill(self.pids[rank], signal.SIGKILL)

    def exit_codes(self, seconds: float) -> list[int | None]:
        """Wait for all workers; None for those that hang, which are ended."""
        codes = [self._nursery.wait(pid, seconds) for pid in self.pids]
        for pid, code in zip(self.pids, codes, strict=True):
            if code is None:
                os.kill(pid, signal.SIGKILL)
                self._nursery.wait(pid, 30)
        return codes


def weights(folder: Path, count: int = COUNT) -> list[list[np.ndarray]]:
    """Return the results of each worker."""
    results = []
    for rank in range(count):
        with np.load(folder / f"weights-{rank}.npz") as arrays:
            results.append([arrays[name] for name in arrays.files])
    return results


def train_undisturbed(nursery: Nursery, program: str, folder: Path) -> list[np.ndarray]:
    folder.mkdir()
    run = Run(nursery, program, folder, "undisturbed")
    assert run.exit_codes(SECONDS) == [0] * COUNT, run.output(0)
    return weights(folder)[0]


def check_kill(
    nursery: Nursery, program: str, folder: Path, expected: list[np.ndarray], chance: random.Random
) -> dict[str, Any]:
    """Kill a random worker at a random moment, and start all again."""
    folder.mkdir()
    # Within the pause after a step or in the next ones, and before the last.
    rank, step, delay = chance.randrange(COUNT), chance.randint(1, 9), chance.uniform(0, 0.04)
    run = Run(nursery, program, folder, "killed")
    run.kill(rank, step, delay)
    start = time.monotonic()
    codes = run.exit_codes(30)
    seconds = time.monotonic() - start
    name = f"/job:worker/task:{rank} ({run.addresses[rank]})"
    for other, code in enumerate(codes):
        if other == rank:
            assert code == -signal.SIGKILL
            continue
        text = run.output(other)
        assert code == 1, f"worker {other} ended with {code} after {rank} was killed:\n{text}"
        assert f"UnavailableError: {name} was lost" in text, text
        assert "resumes from the last checkpoint" in text, text
    again = Run(nursery, program, folder, "again")
    assert again.exit_codes(SECONDS) == [0] * COUNT, again.output(0)
    for result in weights(folder):
        for value, wanted in zip(result, expected, strict=True):
            np.testing.assert_array_equal(value, wanted)
    return {"rank": rank, "step": step, "seconds": round(seconds, 2)}


@pytest.mark.slow
def test_a_killed_worker_is_named_and_training_resumes_exactly(
    nursery: Nursery, tmp_path: Path
) -> None:
    program = PROGRAMS[0]
    expected = train_undisturbed(nursery, program, tmp_path / "undisturbed")
    check_kill(nursery, program, tmp_path / "killed", expected, random.Random(0))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_fifteen_kills(nursery: Nursery, tmp_path: Path, program: str) -> None:
    expected = train_undisturbed(nursery, program, tmp_path / "undisturbed")
    chance = random.Random(program)
    kills = [
        check_kill(nursery, program, tmp_path / f"killed-{i}", expected, chance) for i in range(15)
    ]
    print(program, kills)
    assert len(kills) == 15
