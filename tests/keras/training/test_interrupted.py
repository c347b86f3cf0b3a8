"""Training that is killed ends with the same weights."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def _run(how: str, kills: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.keras.training.killed", how, str(kills), "1"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("how", ["backup", "checkpoint"])
def test_killed_training_goes_on_to_the_same_weights(how: str) -> None:
    assert "the same after 3 kills" in _run(how, 3)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["backup", "checkpoint"])
def test_training_survives_many_kills(how: str) -> None:
    assert "the same after 50 kills" in _run(how, 50)
