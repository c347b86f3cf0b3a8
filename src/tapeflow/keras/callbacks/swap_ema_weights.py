"""`SwapEMAWeights`: evaluation with the moving averages of weights."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.callbacks.callback import Callback


class SwapEMAWeights(Callback):
    """Gives the model the averages that its optimizer keeps, for evaluation and prediction.

    With `swap_on_epoch` it is done at the end of each epoch, so that averages are saved, too.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._swapped = False

    def _swap(self) -> None:
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        if not getattr(optimizer, "use_ema", False):
            raise ValueError(
                f"SwapEMAWeights needs an optimizer created with use_ema=True, which keeps the "
                f"moving averages. Received: {type(optimizer).__name__} with "
                f"use_ema={getattr(optimizer, 'use_ema', None)}"
            )
        if not optimizer.built:
            return
        averages = optimizer._model_variables_moving_average
        for variable, average in zip(self.model.trainable_variables, averages):
            value = tf.identity(variable)
            variable.assign(average)
            average.assign(value)

    def _set(self, swapped: bool) -> None:
        if self._swapped != swapped:
            self._swap()
            self._swapped = swapped

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch:
            self._set(False)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch:
            self._set(True)

    def on_test_begin(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._set(True)

    def on_test_end(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._set(False)

    def on_predict_begin(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._set(True)

    def on_predict_end(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._set(False)
