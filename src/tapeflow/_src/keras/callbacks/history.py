"""`History`: the results of all epochs."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback


class History(Callback):
    """Records the results of each epoch; `fit` creates and returns one.

    Attributes:
        history: Dict of the names of results to lists with a value for each epoch.
        epoch: Indices of the epochs.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=2, verbose=0)
        >>> history.epoch, len(history.history["loss"])
        ([0, 1], 2)
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self
