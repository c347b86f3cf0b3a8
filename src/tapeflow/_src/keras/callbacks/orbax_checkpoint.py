"""`OrbaxCheckpoint`: the model in checkpoints of Orbax while it is trained."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.callbacks.periodic_saving import PeriodicSaving
from tapeflow._src.keras.utils.console import print_message

_files = LazyModule("tapeflow._src.keras.models.orbax_files")
_model_files = LazyModule("tapeflow._src.keras.models.model_files")


class OrbaxCheckpoint(PeriodicSaving):
    """Saves the model with `orbax-checkpoint` after each epoch, or after each `save_freq` batches.

    `keras.saving.load_model(directory)` reads the last step with its optimizer, and
    `model.load_weights(directory)` the values alone. Keras reads and writes the same files.

    Args:
        directory: Folder of the checkpoint.
        monitor: Metric that `save_best_only` compares.
        verbose: 1 to print a line for each step that is saved.
        save_best_only: Whether only models are saved whose `monitor` is the best so far.
        mode: `"min"`, `"max"`, or `"auto"` to infer the direction from the metric.
        save_freq: `"epoch"`, or a number of batches.
        initial_value_threshold: Value that the first model must be better than.
        max_to_keep: Number of steps that stay; None for all.
        save_on_background: Whether training goes on while files are written.
        save_weights_only: Whether to leave out the config, the optimizer and the metrics.

    Raises:
        ImportError: `orbax-checkpoint` is not installed.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])  # doctest: +SKIP
        >>> model.compile("sgd", "mse")  # doctest: +SKIP
        >>> checkpoint = tf.keras.callbacks.OrbaxCheckpoint("checkpoints")  # doctest: +SKIP
        >>> model.fit(x, y, callbacks=[checkpoint])  # doctest: +SKIP
    """

    def __init__(
        self,
        directory: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
        max_to_keep: int | None = 1,
        save_on_background: bool = True,
        save_weights_only: bool = False,
    ) -> None:
        super().__init__(monitor, mode, initial_value_threshold, save_freq)
        self.directory = os.fspath(directory)
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.max_to_keep = max_to_keep
        self.save_on_background = save_on_background
        self.save_weights_only = save_weights_only
        self._total_batches_seen = 0
        # No batch has been seen: the first may be the last one of several steps made at once.
        self._last_batch_seen = -1
        self._async_futures: list[Any] = []
        self._closed = False
        self.checkpointer = _files.open_checkpointer(self.directory, max_to_keep)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        if getattr(model, "optimizer", None) is not None:
            # A model that was loaded goes on counting where it stopped.
            self._total_batches_seen = int(model.optimizer.iterations)

    def on_train_begin(self, logs: Any = None) -> None:
        if self._closed:
            self.checkpointer = _files.open_checkpointer(self.directory, self.max_to_keep)
            self._closed = False

    def _new_batches(self, batch: int) -> int:
        new = super()._new_batches(batch)
        self._total_batches_seen += new
        return new

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._should_save_on_batch(batch) and self._is_best(logs):
            self._save_checkpoint(self._total_batches_seen, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch" and self._is_best(logs):
            self._save_checkpoint(epoch, logs)

    def _is_best(self, logs: Any) -> bool:
        if not self.save_best_only:
            return True
        current = self._monitored(logs)
        if current is None or not self._is_improvement(current, self.best):
            return False
        self.best = current
        return True

    def _save_checkpoint(self, step: int, logs: Any = None) -> None:
        config = None if self.save_weights_only else _model_files.config_text(self.model)
        parts = _files.checkpointables(self.model, config)
        if self.save_on_background:
            self._async_futures.append(self.checkpointer.save_checkpointables_async(step, parts))
        else:
            self.checkpointer.save_checkpointables(step, parts)
        if self.verbose > 0:
            print_message(f"\nOrbaxCheckpoint: saving step {step} to {self.directory}")

    def on_train_end(self, logs: Any = None) -> None:
        self.wait_until_finished()
        self.checkpointer.close()
        self._closed = True

    def wait_until_finished(self) -> None:
        """Wait until all steps are written; raises what went wrong with one."""
        futures, self._async_futures = self._async_futures, []
        for future in futures:
            future.result()

    def is_multihost_enabled(self) -> bool:
        """Whether several processes write one checkpoint: never, computations run in one."""
        return False

    def is_primary_host(self) -> bool:
        """Whether this process is the primary writer of checkpoints: there is only one."""
        return True
