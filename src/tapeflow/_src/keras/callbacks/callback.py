"""`Callback`: hooks into training, evaluation and prediction."""

from __future__ import annotations

from typing import Any


class Callback:
    """Base class of callbacks: subclasses override the hooks they need.

    `logs` holds the results so far by name; `self.model` is the model and `self.params` has the
    number of epochs and steps.

    >>> class Stop(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         self.model.stop_training = logs["loss"] < 0.1
    """

    params: Any = None

    def __init__(self) -> None:
        self.params = None
        self._model: Any = None

    def set_params(self, params: Any) -> None:
        """Take `verbose`, `epochs` and `steps`."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Take the model."""
        self._model = model

    @property
    def model(self) -> Any:
        return self.__dict__.get("_model")

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Another name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Another name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called before each epoch of training."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called after each epoch of training, and its validation."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of training."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of training."""
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of evaluation, and of validation."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of evaluation, and of validation."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of prediction."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Called before training."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called after training."""

    def on_test_begin(self, logs: Any = None) -> None:
        """Called before evaluation, and before validation."""

    def on_test_end(self, logs: Any = None) -> None:
        """Called after evaluation, and after validation."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called before prediction."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Called after prediction."""
