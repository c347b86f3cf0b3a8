"""The demo does what it prints: it learns, and what it saves can be loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import tapeflow as tf

ROOT = Path(__file__).parents[1]


def test_the_demo(tmp_path: Path) -> None:
    command = [sys.executable, "examples/digits.py", "--epochs", "2", "--folder", str(tmp_path)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "Epoch 2/2" in printed
    accuracy = float(printed.partition("test digits: ")[2].partition("%")[0])
    assert accuracy > 80

    model = tf.keras.models.load_model(tmp_path / "digits.keras")
    image = np.linspace(0, 1, 64, dtype="float32").reshape(1, 8, 8, 1)
    expected = model(image).numpy()
    model.set_weights([np.zeros_like(weight) for weight in model.get_weights()])
    model.load_weights(tmp_path / "digits.weights.h5")
    np.testing.assert_allclose(model(image), expected, rtol=1e-6)
    served = tf.saved_model.load(str(tmp_path / "digits")).signatures["serving_default"]
    (output,) = served(tf.constant(image)).values()
    np.testing.assert_allclose(output, expected, rtol=1e-5)
