"""`ModelCheckpoint`: the model, or its weights, in files while it is trained."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.callbacks.periodic_saving import PeriodicSaving
from tapeflow._src.keras.callbacks.worker_files import for_this_worker
from tapeflow._src.keras.utils.console import print_message


class ModelCheckpoint(PeriodicSaving):
    """Saves the model or its weights during training.

    Args:
        filepath: Path, which may contain `{epoch}` and names of results, such as
            `"{epoch:02d}-{val_loss:.2f}.keras"`. It ends in `.keras` or `.h5` for models, in
            `.weights.h5` for weights; any other name is a SavedModel folder or a checkpoint prefix.
        monitor: Metric that `save_best_only` compares.
        verbose: 1 to print a message per file.
        save_best_only: Whether to save only when the metric improves.
        save_weights_only: Whether to save weights only.
        mode: `"min"`, `"max"`, or `"auto"` to infer the direction from the metric.
        save_freq: `"epoch"`, or the number of batches between files.
        initial_value_threshold: Value that the metric has to beat for the first file.
        period: Number of epochs between files (Keras 2).
        options: `tf.train.CheckpointOptions` or `tf.saved_model.SaveOptions` of such files.

    >>> best = tf.keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True)

    Raises:
        ValueError: `save_freq` is invalid, or weights alone are to be saved to a `.keras` file.
        KeyError: The path contains a name that no result has; raised when the file is written.
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
        *,
        period: int = 1,
        options: Any = None,
    ) -> None:
        super().__init__(monitor, mode, initial_value_threshold, save_freq)
        self.verbose = verbose
        self.filepath = os.fspath(filepath)
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.period = period
        self._options = options
        self._epochs_since_last_save = 0
        self._current_epoch = 0
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
        self._epochs_since_last_save += 1
        if self.save_freq == "epoch" and self._epochs_since_last_save >= self.period:
            self._epochs_since_last_save = 0
            self._save_model(epoch, None, logs)

    def _save_model(self, epoch: int, batch: int | None, logs: Any) -> None:
        path = self._get_file_path(epoch, batch, logs)
        if not self._should_save_model(epoch, path, logs):
            return
        with for_this_worker(path, self.model.distribute_strategy) as own:
            self._tpf_write(own)
        if self.verbose > 0:
            print_message(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    def _tpf_write(self, path: str) -> None:
        folder = os.path.dirname(path)
        if folder:
            tf.io.gfile.makedirs(folder)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True, **self._tpf_options())
        elif path.endswith((".keras", ".h5", ".hdf5")):
            self.model.save(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True, save_format="tf", **self._tpf_options())

    def _tpf_options(self) -> dict[str, Any]:
        return {} if self._options is None else {"options": self._options}

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
