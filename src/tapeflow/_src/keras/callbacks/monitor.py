"""The base of callbacks that monitor whether a metric improves."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.trainers.compile_metrics import CompileMetrics
from tapeflow.keras import ops


class MonitorCallback(Callback):
    """Keeps the best value so far of the metric `monitor` and compares others with it.

    In the mode "auto" a lower loss is better; metrics declare their own direction.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        mode: str = "auto",
        baseline: float | None = None,
        min_delta: float = 0,
    ) -> None:
        if mode not in ("auto", "min", "max"):
            warn_user(
                f"{type(self).__name__}: `mode` must be 'auto', 'min' or 'max'; 'auto' is used. "
                f"Received: mode={mode!r}"
            )
            mode = "auto"
        super().__init__()
        self.monitor = monitor
        self.mode = mode
        self.best: Any = baseline
        self.min_delta = abs(min_delta)
        # `keras.ops.greater` or `keras.ops.less`; None until the direction is resolved.
        self.monitor_op: Any = None

    def _set_monitor_op(self) -> None:
        """Determine whether higher values are better."""
        if self.mode != "auto":
            self.monitor_op = ops.greater if self.mode == "max" else ops.less
            return
        name = self.monitor.removeprefix("val_")
        if name == "loss":
            self.monitor_op = ops.less
            return
        for metric in _metrics_of(self.model):
            if metric.name == name or name.endswith(f"_{metric.name}"):
                direction = getattr(metric, "_tpf_direction", None) or _direction_of(metric)
                if direction is not None:
                    self.monitor_op = ops.greater if direction == "up" else ops.less
                    return
        raise ValueError(
            f"{type(self).__name__}: it is not known whether a higher or a lower "
            f"'{self.monitor}' is better. Pass mode='max' or mode='min'."
        )

    def _is_improvement(self, value: Any, reference: Any) -> bool:
        if self.monitor_op is None:
            self._set_monitor_op()
        if reference is None:
            return True
        # Asked, not compared with `ops.greater`: a subclass may have set another comparison.
        margin = self.min_delta if self.monitor_op(1, 0) else -self.min_delta
        return bool(self.monitor_op(value - margin, reference))

    def _monitored(self, logs: Any) -> Any:
        """The value of the monitored metric; None, with a warning, if there is none."""
        if self.monitor_op is None:
            self._set_monitor_op()
        value = (logs or {}).get(self.monitor)
        if value is None:
            warn_user(
                f"{type(self).__name__} cannot monitor '{self.monitor}', which is not available. "
                f"This epoch has {', '.join(map(repr, logs or {})) or 'no results'}."
                + (_VALIDATE if str(self.monitor).startswith("val_") else "")
            )
        return value


_VALIDATE = " Pass `validation_data` or `validation_split` to `fit` for the results of validation."


def _metrics_of(model: Any) -> list[Any]:
    metrics: list[Any] = []
    for metric in getattr(model, "metrics", ()):
        metrics += metric.metrics if isinstance(metric, CompileMetrics) else [metric]
    return metrics


def _direction_of(metric: Any) -> str | None:
    """The direction of a mean: up for accuracies, down for errors and crossentropies."""
    function = getattr(metric, "_fn", None)
    name = getattr(function, "__name__", "")
    if "accuracy" in name:
        return "up"
    return "down" if name.endswith(("error", "crossentropy")) else None
