"""The demo, shortened: it must learn, and be reproducible from its seed."""

import os
import subprocess
import sys
from pathlib import Path

from examples import digits

ROOT = Path(__file__).parents[2]


def test_a_few_epochs_reach_the_promised_accuracy() -> None:
    assert digits.train(epochs=8, progress=False) >= 0.95


def test_the_same_seed_gives_the_same_result() -> None:
    first, second = (digits.train(epochs=1, progress=False, seed=3) for _ in range(2))
    assert first == second


def test_the_command_prints_the_accuracy_and_nothing_else() -> None:
    run = subprocess.run(
        [sys.executable, "examples/digits.py", "--epochs", "2", "--no-progress"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    label, _, value = run.stdout.strip().rpartition(" ")
    assert label == "accuracy on the test digits:"
    assert float(value.rstrip("%")) > 80
