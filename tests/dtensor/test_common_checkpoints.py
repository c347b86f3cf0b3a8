"""Checkpoints of several processes restore on any other number of processes and devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint import in_common
from tapeflow._src.core.atomic_files import FileTransaction
from tests.dtensor.client_programs import train_step, training_data
from tests.dtensor.clients import Clients, run


def trained_alone() -> list[Any]:
    """Return the weights after 20 steps on one device."""
    x, y, weights = training_data()
    variables = [tf.Variable(w) for w in weights]
    step = train_step(variables, None)
    for a, b in zip(x, y, strict=True):
        step(tf.constant(a), tf.constant(b))
    return [variable.numpy() for variable in variables]


@pytest.mark.parametrize(
    ("writers", "readers"),
    [
        ((2, 1), (1, 1)),
        ((1, 2), (2, 1)),
        pytest.param((2, 2), (4, 1), marks=pytest.mark.slow),
        pytest.param((4, 1), (2, 2), marks=pytest.mark.slow),
    ],
)
def test_training_resumes_on_other_processes(
    tmp_path: Path, writers: tuple[int, int], readers: tuple[int, int]
) -> None:
    saving, restoring = "checkpoint_programs.save", "checkpoint_programs.restore"
    written = run(*writers, saving, FOLDER=str(tmp_path))
    read = run(*readers, restoring, FOLDER=str(tmp_path))
    for result in read:
        saved, final = result[restoring]
        assert all(each[saving] == saved for each in written)
        for value, expected in zip(final, trained_alone(), strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("count", "devices", "killed"),
    [
        (2, 1, 1),
        pytest.param(2, 2, 0, marks=pytest.mark.slow),
        pytest.param(4, 1, 2, marks=pytest.mark.slow),
    ],
)
def test_a_killed_process_is_named_and_training_resumes_exactly(
    tmp_path: Path, count: int, devices: int, killed: int
) -> None:
    program = "checkpoint_programs.resumable"
    environment = {"FOLDER": str(tmp_path), "KILLED": f"{killed} 10"}
    clients = Clients(count, devices, [program], environment)
    errors = clients.errors(60)
    assert sorted(errors) == list(range(count))
    assert errors.pop(killed).startswith("exit code -9")
    for text in errors.values():
        assert f"UnavailableError: {clients.name(killed)} was lost" in text, text
        assert "resumes from the last checkpoint" in text
    first, weights = run(count, devices, program, FOLDER=str(tmp_path))[0][program]
    assert first == 8
    undisturbed = run(count, devices, program, FOLDER=str(tmp_path / "undisturbed"))
    for result in undisturbed:
        assert result[program] == [0, weights]


def test_a_process_that_cannot_write_ends_the_wait_of_the_others(tmp_path: Path) -> None:
    programs = ["checkpoint_programs.first_fails", "checkpoint_programs.second_fails"]
    for failing, program in enumerate(programs):
        folder = tmp_path / str(failing)
        folder.mkdir()
        results = [result[program] for result in run(2, 1, program, FOLDER=str(folder))]
        assert results[0][1] == []  # nothing is left of the checkpoint
        for rank, ((checkpoint, weights), _, exists) in enumerate(results):
            assert "no space" in checkpoint
            assert checkpoint.startswith("UnknownError") == (rank == failing)
            if rank == failing:
                assert weights == "OSError: no space"
            elif failing == 0:
                assert weights == "RuntimeError: The first of 2 processes has failed: " + (
                    "OSError: no space"
                )
            else:
                assert weights == "written" and exists


def test_a_folder_that_is_not_shared_is_named(tmp_path: Path) -> None:
    note = {"entries": "b.entries-00001", "files": {}}
    transaction = FileTransaction(str(tmp_path / "journal"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="folder that all of them share"):
        in_common._adopt(transaction, str(tmp_path / "b"), 1, note, {})
