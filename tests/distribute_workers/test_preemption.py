"""A worker that gets SIGTERM: all save after the same step, exit, and resume exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tests.distribute_workers.fault_programs import STEPS
from tests.distribute_workers.nursery import Nursery
from tests.distribute_workers.preemption_programs import STEP_OF_SIGNAL
from tests.distribute_workers.test_faults import SECONDS, Run, weights

COUNT = 2


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


def _started(
    nursery: Nursery, program: str, folder: Path, name: str, code: int, preempted: str = ""
) -> None:
    environment = {"PREEMPTED": preempted}
    run = Run(nursery, f"preemption_programs.{program}", folder, name, COUNT, environment)
    codes = run.exit_codes(SECONDS)
    assert codes == [code] * COUNT, "\n".join(run.output(rank) for rank in range(COUNT))


@pytest.fixture(scope="module")
def expected(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> list[np.ndarray]:
    """Return the weights of workers that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    _started(nursery, "by_run", folder, "undisturbed", 0)
    return weights(folder, COUNT)[0]


@pytest.mark.parametrize(
    ("program", "code", "preempted"),
    [
        ("by_run", 42, "1"),
        pytest.param("by_run", 42, "0", marks=pytest.mark.slow),
        pytest.param("by_run", 42, "0,1", marks=pytest.mark.slow),
        ("by_call_after_steps", 7, "1"),
    ],
)
def test_all_workers_save_at_the_same_step_and_resume_exactly(
    nursery: Nursery,
    tmp_path: Path,
    expected: list[np.ndarray],
    program: str,
    code: int,
    preempted: str,
) -> None:
    _started(nursery, program, tmp_path, "preempted", code, preempted)
    saved = [(tmp_path / f"saved-{rank}").read_text() for rank in range(COUNT)]
    assert saved[0] == saved[1]
    steps = int(saved[0].split()[0])
    assert STEP_OF_SIGNAL < steps < STEPS
    folders = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    if program == "by_run":
        assert folders == {"checkpoints"}
        assert int(saved[0].split()[1]) == steps
    else:
        assert folders == {"checkpoints-0", "checkpoints-1"}
    for folder in folders:
        latest = tf.train.latest_checkpoint(tmp_path / folder)
        assert tf.train.load_variable(latest, "step/.ATTRIBUTES/VARIABLE_VALUE") == steps
    _started(nursery, program, tmp_path, "again", 0)
    for result in weights(tmp_path, COUNT):
        for value, wanted in zip(result, expected, strict=True):
            np.testing.assert_array_equal(value, wanted)
