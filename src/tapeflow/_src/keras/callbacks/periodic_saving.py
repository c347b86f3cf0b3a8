"""`PeriodicSaving`: the base of callbacks that save after epochs or numbers of batches."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.callbacks.monitor import MonitorCallback


class PeriodicSaving(MonitorCallback):
    """Counts batches, so that a subclass can save every `save_freq` of them."""

    def __init__(
        self, monitor: str, mode: str, initial_value_threshold: float | None, save_freq: Any
    ) -> None:
        super().__init__(monitor, mode, initial_value_threshold)
        self.save_freq = save_freq
        self._batches_seen_since_last_saving = 0
        self._last_batch_seen = 0
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f"{type(self).__name__}: `save_freq` must be 'epoch' or a number of batches. "
                f"Received: save_freq={save_freq!r}"
            )

    def _new_batches(self, batch: int) -> int:
        """The number of batches since the last call."""
        # Several steps may have been made at once; a smaller number is of another epoch.
        new = batch + 1 if batch <= self._last_batch_seen else batch - self._last_batch_seen
        self._last_batch_seen = batch
        return new

    def _should_save_on_batch(self, batch: int) -> bool:
        if self.save_freq == "epoch":
            return False
        self._batches_seen_since_last_saving += self._new_batches(batch)
        if self._batches_seen_since_last_saving >= self.save_freq:
            self._batches_seen_since_last_saving = 0
            return True
        return False
