"""`CSVLogger`: the results of epochs in a file."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.callbacks.callback import Callback


class CSVLogger(Callback):
    """Writes the results of each epoch as a row of a CSV file.

    With several workers, which all have the same results, the chief writes.

    Args:
        filename: Path of the file.
        separator: Separator of the columns.
        append: Whether to append to an existing file instead of replacing it.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> log = tf.keras.callbacks.CSVLogger("log.csv")
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[log])
        >>> tf.io.read_file("log.csv").numpy().splitlines()[0]
        b'epoch,loss,val_loss'
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.sep = separator
        self.filename = str(filename)
        self.append = append
        self.keys: list[str] | None = None
        self.append_header = True
        self._file: Any = None
        self._writer: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        strategy = getattr(self.model, "distribute_strategy", None)
        if strategy is not None and not strategy.extended.should_save_summary:
            return
        if self.append and tf.io.gfile.exists(self.filename):
            with tf.io.gfile.GFile(self.filename, "r") as file:
                self.append_header = not bool(len(file.readline()))
        self._file = tf.io.gfile.GFile(self.filename, "a" if self.append else "w")
        self._writer = None
        self.keys = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self._file is None:
            return
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            # Without validation in this epoch there may be one in a later.
            if not any(name.startswith("val_") for name in self.keys):
                self.keys += [f"val_{name}" for name in self.keys]
        if self._writer is None:
            names = ["epoch", *self.keys]
            self._writer = csv.DictWriter(
                self._file, fieldnames=names, delimiter=self.sep, lineterminator="\n"
            )
            if self.append_header:
                self._writer.writeheader()
        row = {name: _shown(logs.get(name, "NA")) for name in self.keys}
        self._writer.writerow({"epoch": epoch, **row})
        self._file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        if self._file is not None:
            self._file.close()
        self._file = self._writer = None


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if np.ndim(value) > 0:
        return f'"[{", ".join(map(str, value))}]"'
    return value
