"""Callbacks that watch whether a result gets better."""

from __future__ import annotations

import warnings
from typing import Any

from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.trainers.compile_metrics import CompileMetrics


class MonitorCallback(Callback):
    """Knows the best value so far of the result `monitor`, and whether another one is better.

    In the mode "auto" losses are to become smaller; metrics know what they are to become.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        mode: str = "auto",
        baseline: float | None = None,
        min_delta: float = 0,
    ) -> None:
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{type(self).__name__} mode '{mode}' is unknown, fallback to auto mode.",
                stacklevel=3,
            )
            mode = "auto"
        super().__init__()
        self.monitor = monitor
        self.mode = mode
        self.best: Any = baseline
        self.min_delta = abs(min_delta)
        self._up: bool | None = None

    def _set_direction(self) -> None:
        """Find out whether larger values are better."""
        if self.mode != "auto":
            self._up = self.mode == "max"
            return
        name = self.monitor.removeprefix("val_")
        if name == "loss":
            self._up = False
            return
        for metric in _metrics_of(self.model):
            if metric.name == name or name.endswith(f"_{metric.name}"):
                direction = getattr(metric, "_direction", None) or _direction_of(metric)
                if direction is not None:
                    self._up = direction == "up"
                    return
        raise ValueError(
            f"{type(self).__name__} callback received monitor={self.monitor}, but Keras isn't "
            f"able to automatically determine whether that metric should be maximized or "
            f"minimized. Pass `mode='max'` in order to monitor based on the highest metric value, "
            f"or pass `mode='min'` in order to use the lowest value."
        )

    def _is_improvement(self, value: Any, reference: Any) -> bool:
        if reference is None:
            return True
        if self._up:
            return bool(value - self.min_delta > reference)
        return bool(value + self.min_delta < reference)

    def _monitored(self, logs: Any) -> Any:
        """The value of the result that is watched; None, with a warning, if there is none."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            warnings.warn(
                f"{type(self).__name__} conditioned on metric `{self.monitor}` which is not "
                f"available. Available metrics are: {','.join(logs or {})}",
                stacklevel=3,
            )
        return value


def _metrics_of(model: Any) -> list[Any]:
    found: list[Any] = []
    for metric in getattr(model, "metrics", ()):
        found += metric.metrics if isinstance(metric, CompileMetrics) else [metric]
    return found


def _direction_of(metric: Any) -> str | None:
    """What is better of a mean of a function: of accuracies, more; of losses, less."""
    function = getattr(metric, "_fn", None)
    name = getattr(function, "__name__", "")
    if "accuracy" in name:
        return "up"
    return "down" if name.endswith(("error", "crossentropy")) else None
