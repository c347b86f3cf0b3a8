"""`StepsPerExecutionTuner`: how many steps a call makes, chosen by measuring, as in Keras 2."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.utils.timed_thread import TimedThread


class _Measuring(TimedThread):
    def __init__(self, tuner: StepsPerExecutionTuner) -> None:
        super().__init__(tuner.interval)
        self._tuner = tuner

    def on_interval(self) -> None:
        self._tuner._measure()


class StepsPerExecutionTuner:
    """Changes a variable as long as the optimizer makes more steps per second.

    Every `change_spe_interval` measurements the mean speed is compared with that of the time
    before: if it has grown by more than `change_threshold`, the last change (times 1.5 or 0.5) is
    repeated; if it has fallen by more, it is reversed.

    Args:
        optimizer: its `iterations` are what is counted.
        spe_variable: an integer `tf.Variable` that the training loop reads.
        interval: seconds between measurements.
        change_spe_interval: measurements between changes.
        change_threshold: the relative change of speed that counts.
    """

    def __init__(
        self,
        optimizer: Any,
        spe_variable: Any,
        interval: float = 5,
        change_spe_interval: int = 10,
        change_threshold: float = 0.1,
    ) -> None:
        self.optimizer = optimizer
        self._steps_per_execution = spe_variable
        self.interval = interval
        self.change_spe_interval = change_spe_interval
        self.spe_change_threshold = change_threshold
        self._measuring: _Measuring | None = None

    @property
    def steps_per_execution(self) -> Any:
        """The variable; setting it assigns a value."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        self._steps_per_execution.assign(value)
        self.init_spe = value

    def start(self) -> Any:
        """Start measuring on a thread of its own, which is returned."""
        if self._measuring is None or not self._measuring.is_alive():
            self.init_spe = int(self._steps_per_execution)
            self._last = (int(self.optimizer.iterations), time.monotonic())
            self._speeds: deque[float] = deque(maxlen=self.change_spe_interval)
            self._speed_before = 0.0
            self._grows = True
            self._count = 0
            self._measuring = _Measuring(self)
            self._measuring.start()
        return self._measuring.thread

    def stop(self) -> None:
        """End measuring."""
        if self._measuring is not None:
            self._measuring.stop()

    def _measure(self) -> None:
        steps, now = int(self.optimizer.iterations), time.monotonic()
        before, then = self._last
        self._count += 1
        self._speeds.append((steps - before) / max(now - then, 1e-9))
        if not steps:
            return
        self._last = (steps, now)
        # Between epochs there are no steps, which says nothing about their speed.
        if self._count % self.change_spe_interval == 0 and self._speeds[-1]:
            self._tune()

    def _tune(self) -> None:
        speed = sum(self._speeds) / len(self._speeds)
        current = int(self._steps_per_execution)
        new: float = current
        if speed > (1 + self.spe_change_threshold) * self._speed_before:
            new = current * (1.5 if self._grows else 0.5)
        elif speed < (1 - self.spe_change_threshold) * self._speed_before:
            self._grows = not self._grows
            new = current * (1.5 if self._grows else 0.5)
        if current >= tf.as_dtype(self._steps_per_execution.dtype).max / 1.5:
            new = current
        elif current <= 0:
            new = self.init_spe
        self._steps_per_execution.assign(round(new))
        self._speed_before = speed
