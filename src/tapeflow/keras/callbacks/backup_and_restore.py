"""`BackupAndRestore`: training that goes on where it was interrupted."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.callbacks.callback import Callback

_STATE = "training_metadata.json"
_VALUES = "latest.npz"


class BackupAndRestore(Callback):
    """Keeps the weights, the optimizer and the epoch in a folder until training is over.

    `fit`, called again after an interruption, begins with what is found there.
    """

    def __init__(
        self,
        backup_dir: Any,
        save_freq: Any = "epoch",
        double_checkpoint: bool = False,
        delete_checkpoint: bool = True,
    ) -> None:
        super().__init__()
        if not backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f"Invalid value for argument `save_freq`. Received: save_freq={save_freq}. "
                f"Expected either 'epoch' or an integer value."
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq = save_freq
        self.double_checkpoint = double_checkpoint
        self.delete_checkpoint = delete_checkpoint
        self._epoch = 0
        self._batches = 0

    def _path(self, name: str) -> str:
        return os.path.join(self.backup_dir, name)

    def on_train_begin(self, logs: Any = None) -> None:
        if not tf.io.gfile.exists(self._path(_STATE)):
            return
        with tf.io.gfile.GFile(self._path(_STATE), "r") as file:
            state = json.load(file)
        self._build()
        with np.load(self._path(state["values"])) as values:
            for number, variable in enumerate(self._variables()):
                variable.assign(values[str(number)])
        self.model._initial_epoch = state["epoch"]

    def _build(self) -> None:
        optimizer = self.model.optimizer
        if optimizer is not None and not optimizer.built:
            optimizer.build(self.model.trainable_variables)

    def _variables(self) -> list[Any]:
        optimizer = self.model.optimizer
        return [*self.model.variables, *(optimizer.variables if optimizer is not None else ())]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch + 1
        if self.save_freq == "epoch":
            self._save()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            return
        self._batches += 1
        if self._batches % self.save_freq == 0:
            self._save()

    def _save(self) -> None:
        """Write the values, then what points at them: an interruption leaves the old or the new."""
        tf.io.gfile.makedirs(self.backup_dir)
        values = {str(n): variable.numpy() for n, variable in enumerate(self._variables())}
        name = f"{self._epoch}-{self._batches}-{_VALUES}"
        np.savez(self._path(name), **values)
        with tf.io.gfile.GFile(self._path(f"{_STATE}.new"), "w") as file:
            json.dump({"epoch": self._epoch, "values": name}, file)
        os.replace(self._path(f"{_STATE}.new"), self._path(_STATE))
        for other in tf.io.gfile.listdir(self.backup_dir):
            if other.endswith(_VALUES) and other != name and not self.double_checkpoint:
                tf.io.gfile.remove(self._path(other))

    def on_train_end(self, logs: Any = None) -> None:
        if self.delete_checkpoint and tf.io.gfile.exists(self.backup_dir):
            tf.io.gfile.rmtree(self.backup_dir)
