"""The demo, shortened: it learns, is reproducible from its seed, and saves what can be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import tapeflow as tf
from examples import digits

ROOT = Path(__file__).parents[2]


def test_the_same_seed_gives_the_same_result() -> None:
    first, second = (digits.train(epochs=1, seed=3, verbose=0)[1] for _ in range(2))
    assert first == second


def test_the_command_learns_and_saves(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "examples/digits.py", "--epochs", "3", "--folder", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "Epoch 3/3" in run.stdout
    accuracy = float(run.stdout.partition("test digits: ")[2].partition("%")[0])
    assert accuracy > 85

    model = tf.keras.models.load_model(tmp_path / "digits.keras")
    image = np.linspace(0, 1, 64, dtype="float32").reshape(1, 8, 8, 1)
    expected = model(image).numpy()
    model.set_weights([np.zeros_like(weight) for weight in model.get_weights()])
    model.load_weights(tmp_path / "digits.weights.h5")
    np.testing.assert_allclose(model(image), expected, rtol=1e-6)
    served = tf.saved_model.load(str(tmp_path / "digits")).signatures["serving_default"]
    (output,) = served(tf.constant(image)).values()
    np.testing.assert_allclose(output, expected, rtol=1e-5)
