"""`Callback`: hooks into training, evaluation and prediction."""

from __future__ import annotations

from typing import Any


class Callback:
    """Base class of callbacks: subclasses override the hooks they need.

    `logs` holds the results so far by name; `self.model` is the model and `self.params` has the
    number of epochs and steps. `self.model.stop_training = True` ends `fit` after the batch.

    Example:
        >>> class Stop(tf.keras.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         self.model.stop_training = epoch == 1
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> x, y = np.ones((8, 2)), np.ones((8, 1))
        >>> model.fit(x, y, epochs=9, verbose=0, callbacks=[Stop()]).epoch
        [0, 1]
    """

    params: Any = None

    def __init__(self) -> None:
        self.params = None
        self._model: Any = None

    def set_params(self, params: Any) -> None:
        """Receive the parameters of the loop.

        Args:
            params: Dict with `verbose`, `epochs` and `steps`.
        """
        self.params = params

    def set_model(self, model: Any) -> None:
        """Receive the model.

        Args:
            model: Model that is trained, evaluated or predicts.
        """
        self._model = model

    @property
    def model(self) -> Any:
        return self.__dict__.get("_model")

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of training; another name of `on_train_batch_begin`.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict, which is empty so far.
        """

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of training; another name of `on_train_batch_end`.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict of results so far by name; a callback may add to it.
        """

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called before each epoch of training.

        Args:
            epoch: Index of the epoch, from 0.
            logs: Dict, which is empty so far.
        """

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called after each epoch of training, and its validation.

        Args:
            epoch: Index of the epoch, from 0.
            logs: Dict of the results of the epoch by name, those of validation with the prefix
                `val_`; a callback may add to it.
        """

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of training.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict, which is empty so far.
        """
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of training.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict of results so far by name; a callback may add to it.
        """
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of evaluation, and of validation.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict, which is empty so far.
        """

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of evaluation, and of validation.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict of results so far by name; a callback may add to it.
        """

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each batch of prediction.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict, which is empty so far.
        """

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each batch of prediction.

        Args:
            batch: Index of the batch within its epoch, or within the evaluation or prediction.
            logs: Dict with the `outputs` of the batch.
        """

    def on_train_begin(self, logs: Any = None) -> None:
        """Called before training.

        Args:
            logs: Dict, which is empty so far.
        """

    def on_train_end(self, logs: Any = None) -> None:
        """Called after training.

        Args:
            logs: Dict of the results of the last epoch.
        """

    def on_test_begin(self, logs: Any = None) -> None:
        """Called before evaluation, and before validation.

        Args:
            logs: Dict, which is empty so far.
        """

    def on_test_end(self, logs: Any = None) -> None:
        """Called after evaluation, and after validation.

        Args:
            logs: Dict of the results by name.
        """

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called before prediction.

        Args:
            logs: Dict, which is empty so far.
        """

    def on_predict_end(self, logs: Any = None) -> None:
        """Called after prediction.

        Args:
            logs: Dict, which is empty so far.
        """
