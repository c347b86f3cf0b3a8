"""Callbacks that change the learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.callbacks.monitor import MonitorCallback
from tapeflow._src.keras.utils.console import print_message


def _optimizers_of(model: Any) -> list[tuple[str, Any]]:
    """The optimizers that have a learning rate, with names if there may be several."""
    several = getattr(model.optimizer, "optimizers", None)
    if several is not None:
        return [(optimizer.name, optimizer) for optimizer in several]
    if not hasattr(model.optimizer, "learning_rate"):
        raise ValueError(
            f"The optimizer {type(model.optimizer).__name__} has no `learning_rate` to change."
        )
    return [("", model.optimizer)]


def _rate_of(optimizer: Any) -> float:
    return float(np.asarray(optimizer.learning_rate))


def _log_rates(model: Any, logs: Any) -> None:
    if logs is not None:
        for name, optimizer in _optimizers_of(model):
            logs[f"learning_rate_{name}" if name else "learning_rate"] = _rate_of(optimizer)


class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of each epoch.

    Args:
        schedule: Function `schedule(epoch, learning_rate)` that returns the new rate.
        verbose: 1 to print the rate.

    Raises:
        ValueError: The optimizer has no learning rate, or the function returns no float.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> halve = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[halve])
        >>> round(float(model.optimizer.learning_rate), 4)
        0.005
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        for name, optimizer in _optimizers_of(self.model):
            rate = self._scheduled(epoch, _rate_of(optimizer))
            optimizer.learning_rate = rate
            if self.verbose > 0:
                whose = f"{name} " if name else ""
                print_message(
                    f"\nEpoch {epoch + 1}: LearningRateScheduler setting {whose}learning rate to "
                    f"{rate}."
                )

    def _scheduled(self, epoch: int, before: float) -> Any:
        try:
            rate = self.schedule(epoch, before)
        except TypeError:  # a legacy schedule, of the epoch alone
            rate = self.schedule(epoch)
        if isinstance(rate, tf.Tensor) and rate.shape.rank == 0:
            rate = float(rate)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError(
                f"LearningRateScheduler: `schedule` must return a float. Received: {rate!r} of "
                f"type {type(rate).__name__} for epoch {epoch}"
            )
        return rate

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        _log_rates(self.model, logs)


class ReduceLROnPlateau(MonitorCallback):
    """Reduces the learning rate when a metric has not improved for `patience` epochs.

    Args:
        monitor: Name of the metric.
        factor: Factor of the learning rate: `new = old * factor`.
        patience: Number of epochs without improvement before the rate is reduced.
        verbose: 1 to print the new rate.
        mode: `"min"`, `"max"`, or `"auto"` to infer the direction from the metric.
        min_delta: Smallest change that counts as an improvement.
        cooldown: Epochs to wait after a reduction.
        min_lr: Lower limit of the rate.

    >>> plateau = tf.keras.callbacks.ReduceLROnPlateau(factor=0.2, patience=5, min_lr=1e-5)

    Raises:
        ValueError: `factor` is not below 1.
        TypeError: An argument is unknown.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
        **kwargs: Any,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(
                f"ReduceLROnPlateau multiplies the learning rate by `factor`, which must be below "
                f"1. Received: factor={factor}"
            )
        if kwargs:
            raise TypeError(f"ReduceLROnPlateau got unexpected arguments: {sorted(kwargs)}")
        super().__init__(monitor, mode, min_delta=min_delta)
        self.factor = factor
        self.min_lr = min_lr
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.cooldown_counter = 0
        self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self.best = None
        self.cooldown_counter = 0
        self.wait = 0
        self.monitor_op = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        _log_rates(self.model, logs)
        current = self._monitored(logs)
        if current is None:
            return
        better = self._is_improvement(current, self.best)
        if better:
            self.best = current
        if better or self.in_cooldown():
            self.wait = 0
        if self.in_cooldown():
            self.cooldown_counter -= 1
        if not better and not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        for name, optimizer in _optimizers_of(self.model):
            before = _rate_of(optimizer)
            if before <= np.float32(self.min_lr):
                continue
            rate = max(before * self.factor, self.min_lr)
            optimizer.learning_rate = rate
            if self.verbose > 0:
                whose = f"{name} " if name else ""
                print_message(
                    f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing {whose}learning rate to "
                    f"{rate}."
                )
            self.cooldown_counter = self.cooldown
            self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether the learning rate was reduced less than `cooldown` epochs ago."""
        return self.cooldown_counter > 0
