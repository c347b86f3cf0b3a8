"""Training whose state after three steps is in a checkpoint that TensorFlow's Keras has written.

From the root of the repository, where TensorFlow is installed:
`python -m tests.keras.optimizers.checkpoint` writes it and the values after the fourth step.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[2] / "golden" / "keras_checkpoints"
PREFIX = FOLDER / "optimizers"
RESULTS = FOLDER / "optimizers.json"
MADE = {
    "adamw": "AdamW(0.1, amsgrad=True, use_ema=True)",
    "momentum": "SGD(0.1, momentum=0.9)",
    "nadam": "Nadam(0.1)",
    "adafactor": "Adafactor(0.5)",
    "scaled": "LossScaleOptimizer(k.optimizers.RMSprop(0.1), initial_scale=2.0)",
}


class Training:
    """An optimizer of each kind with two variables."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf
        space = {"k": tf.keras}
        self.optimizers = {n: eval(f"k.optimizers.{made}", space) for n, made in MADE.items()}
        self.variables = {
            name: [tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([0.5, -0.5])] for name in MADE
        }

    def checkpoint(self) -> Any:
        return self.tf.train.Checkpoint(optimizers=self.optimizers, variables=self.variables)

    def build(self) -> None:
        for name, optimizer in self.optimizers.items():
            optimizer.build(self.variables[name])

    def step(self) -> None:
        gradients = [self.tf.constant([[0.5, -1.0], [0.25, 2.0]]), self.tf.constant([1.0, -2.0])]
        for name, optimizer in self.optimizers.items():
            optimizer.apply_gradients(zip(gradients, self.variables[name]))

    def values(self) -> dict[str, Any]:
        return {
            name: [np.asarray(v).tolist() for v in (*variables, *self.optimizers[name].variables)]
            for name, variables in self.variables.items()
        }


if __name__ == "__main__":
    training = Training(importlib.import_module("tensorflow"))
    for _ in range(3):
        training.step()
    training.checkpoint().write(str(PREFIX))
    training.step()
    RESULTS.write_text(json.dumps(training.values()) + "\n", encoding="utf-8")
