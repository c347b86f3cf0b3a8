"""`EarlyStopping`: end training when a metric stops improving."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.callbacks.monitor import MonitorCallback
from tapeflow._src.keras.utils.console import print_message


class EarlyStopping(MonitorCallback):
    """Stops training when a metric has not improved for `patience` epochs.

    Args:
        monitor: Name of the metric, such as `"val_loss"`.
        min_delta: Smallest change that counts as an improvement.
        patience: Number of epochs without improvement before training stops.
        verbose: 1 to print a message.
        mode: `"min"`, `"max"`, or `"auto"` to infer the direction from the metric.
        baseline: Value that the metric has to beat.
        restore_best_weights: Whether to restore the weights of the best epoch.
        start_from_epoch: Epochs to wait before monitoring starts.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> stop = tf.keras.callbacks.EarlyStopping(monitor="loss", min_delta=1e9, patience=2)
    >>> history = model.fit(tf.ones((8, 2)), tf.ones((8, 1)), epochs=9, verbose=0, callbacks=[stop])
    >>> len(history.history["loss"])
    3

    Raises:
        ValueError: In mode `"auto"` the direction of the metric is not known; raised by `fit`.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta=min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.wait = 0
        self.stopped_epoch = 0
        self.restore_best_weights = restore_best_weights
        self.best_weights: Any = None
        self.best_epoch = 0
        self.start_from_epoch = start_from_epoch

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best = None
        self.best_weights = None
        self.best_epoch = 0
        self.monitor_op = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        current = self._monitored(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        better = self._is_improvement(current, self.best)
        # The first epoch counts as the best one until there is a better one: if none ever beats
        # the baseline, there still are weights to restore.
        if better or (self.restore_best_weights and self.best_weights is None):
            self._keep_weights(epoch)
        self.wait += 1
        if better:
            self.best = current
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _keep_weights(self, epoch: int) -> None:
        self.best_epoch = epoch
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print_message(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print_message(
                    f"Early stopping: restored the weights of epoch {self.best_epoch + 1}"
                )
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: Any) -> Any:
        """Return the value of the monitored metric; None, with a warning, if there is none.

        Args:
            logs: Dict of the results of an epoch.
        """
        return self._monitored(logs)
