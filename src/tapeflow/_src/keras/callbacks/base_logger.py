"""`BaseLogger`: Keras 2's means of the metrics of batches."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback


class BaseLogger(Callback):
    """Puts the mean over the batches of an epoch, weighted by their `size`, into its logs.

    A callback of Keras 2; here, results are means already.

    Args:
        stateful_metrics: Names of metrics that are means already: of these the last value counts.

    Example:
        >>> logger = tf.keras.callbacks.BaseLogger()
        >>> logger.on_epoch_begin(0)
        >>> logger.on_batch_end(0, {"size": 1, "loss": 1.0})
        >>> logger.on_batch_end(1, {"size": 3, "loss": 2.0})
        >>> logs = {}
        >>> logger.on_epoch_end(0, logs)
        >>> logs
        {'loss': 1.75}
    """

    def __init__(self, stateful_metrics: Any = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.totals: dict[str, Any] = {}

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        logs = logs or {}
        size = logs.get("size", 1)
        self.seen += size * logs.get("num_steps", 1)
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            elif name not in ("size", "num_steps", "batch"):
                self.totals[name] = self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is None or not self.seen:
            return
        for name, total in self.totals.items():
            logs[name] = total if name in self.stateful_metrics else total / self.seen
