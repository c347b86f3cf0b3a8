"""`ModelCheckpoint`: the model, or its weights, in files while it is trained."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks.monitor import MonitorCallback
from tapeflow.keras.utils.console import print_message


class ModelCheckpoint(MonitorCallback):
    """Saves after each epoch, or after each `save_freq` batches.

    The name of the file may contain `{epoch}` and names of results. Its ending says how it is
    written: `.keras` or `.h5` for models, `.weights.h5` for weights alone. Any other name is the
    folder of a SavedModel or, for weights, the prefix of a checkpoint, as in Keras 2.
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:
        super().__init__(monitor, mode, initial_value_threshold)
        self.verbose = verbose
        self.filepath = os.fspath(filepath)
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self._batches_seen_since_last_saving = 0
        self._last_batch_seen = 0
        self._current_epoch = 0
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f"ModelCheckpoint: `save_freq` must be 'epoch' or a number of batches. Received: "
                f"save_freq={save_freq!r}"
            )
        if save_weights_only and self.filepath.endswith(".keras"):
            raise ValueError(
                f"ModelCheckpoint with save_weights_only=True writes weights alone: the name must "
                f"end in `.weights.h5`, or be the prefix of a checkpoint. Received: "
                f"filepath={self.filepath!r}"
            )

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._should_save_on_batch(batch):
            self._save_model(self._current_epoch, batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            self._save_model(epoch, None, logs)

    def _should_save_on_batch(self, batch: int) -> bool:
        if self.save_freq == "epoch":
            return False
        # Several steps may have been made at once; a smaller number is of another epoch.
        new = batch + 1 if batch <= self._last_batch_seen else batch - self._last_batch_seen
        self._batches_seen_since_last_saving += new
        self._last_batch_seen = batch
        if self._batches_seen_since_last_saving >= self.save_freq:
            self._batches_seen_since_last_saving = 0
            return True
        return False

    def _save_model(self, epoch: int, batch: int | None, logs: Any) -> None:
        path = self._get_file_path(epoch, batch, logs)
        if not self._should_save_model(epoch, path, logs):
            return
        folder = os.path.dirname(path)
        if folder:
            tf.io.gfile.makedirs(folder)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        elif path.endswith((".keras", ".h5", ".hdf5")):
            self.model.save(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True, save_format="tf")
        if self.verbose > 0:
            print_message(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    def _should_save_model(self, epoch: int, path: str, logs: Any) -> bool:
        if not self.save_best_only:
            if self.verbose > 0:
                print_message(f"\nEpoch {epoch + 1}: saving model to {path}")
            return True
        current = self._monitored(logs)
        if current is None:
            return True
        if not self._is_improvement(current, self.best):
            if self.verbose > 0:
                print_message(
                    f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}"
                )
            return False
        if self.verbose > 0:
            before = None if self.best is None else f"{self.best:.5f}"
            print_message(
                f"\nEpoch {epoch + 1}: {self.monitor} improved from {before} to {current:.5f}, "
                f"writing {path}"
            )
        self.best = current
        return True

    def _get_file_path(self, epoch: int, batch: int | None, logs: Any) -> str:
        numbers = {"epoch": epoch + 1} | ({} if batch is None else {"batch": batch + 1})
        try:
            return self.filepath.format(**numbers, **(logs or {}))
        except KeyError as error:
            raise KeyError(
                f"ModelCheckpoint: the file name {self.filepath!r} has the placeholder {error}. "
                f"Available are {[*numbers, *(logs or {})]}."
            ) from error
