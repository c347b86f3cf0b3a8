"""`SwapEMAWeights`: evaluation with the moving averages of weights."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.callbacks.callback import Callback


class SwapEMAWeights(Callback):
    """Assigns the moving averages of its optimizer to a model for evaluation and prediction.

    With `swap_on_epoch` the model has them from the end of each epoch to the beginning of the next,
    so that they are what other callbacks save, and what the model has after training.

    Args:
        swap_on_epoch: Whether the averages stay between epochs.

    Raises:
        ValueError: The optimizer keeps no averages, as it was not created with `use_ema=True`.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile(tf.keras.optimizers.SGD(0.1, use_ema=True), "mse")
        >>> swap = tf.keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[swap])
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        # The weights that training goes on with, while the model has the averages.
        self._trained: list[tuple[Any, Any]] | None = None

    def _averages(self) -> list[tuple[Any, Any]]:
        """The variables of the model with their averages."""
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        keeping = [
            each
            for each in getattr(optimizer, "optimizers", [optimizer])
            if getattr(each, "use_ema", False)
        ]
        if not keeping:
            raise ValueError(
                f"SwapEMAWeights needs an optimizer created with use_ema=True, which keeps the "
                f"moving averages. Received: {type(optimizer).__name__} with "
                f"use_ema={getattr(optimizer, 'use_ema', None)}"
            )
        return [
            pair
            for each in keeping
            if each.built
            for pair in zip(each._trainable_variables, each._model_variables_moving_average)
        ]

    def _assign_averages(self) -> None:
        if self._trained is None:
            averages = self._averages()
            self._trained = [(variable, tf.identity(variable)) for variable, _ in averages]
            for variable, average in averages:
                variable.assign(average)

    def _assign_trained(self) -> None:
        for variable, value in self._trained or ():
            variable.assign(value)
        self._trained = None

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch:
            self._assign_trained()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch:
            self._assign_averages()

    def on_train_end(self, logs: Any = None) -> None:
        self._trained = None

    def on_test_begin(self, logs: Any = None) -> None:
        self._assign_averages()

    def on_test_end(self, logs: Any = None) -> None:
        self._assign_trained()

    def on_predict_begin(self, logs: Any = None) -> None:
        self._assign_averages()

    def on_predict_end(self, logs: Any = None) -> None:
        self._assign_trained()
