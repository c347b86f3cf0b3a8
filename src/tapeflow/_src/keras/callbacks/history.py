"""`History`: the results of all epochs."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.callbacks.callback import Callback


class History(Callback):
    """Records the results of each epoch; `history` maps names to lists. `fit` returns it."""

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
