"""`Trainer`: what a model does with data: `fit`, `evaluate`, `predict`, and their steps."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.callbacks.callback_list import CallbackList
from tapeflow._src.keras.config import max_epochs
from tapeflow._src.keras.layers.call_signature import signature_of
from tapeflow._src.keras.replicas import share_of_loss, spans_workers, without_share
from tapeflow._src.keras.stateless import StatelessScope, pairs
from tapeflow._src.keras.trainers import replicated_steps
from tapeflow._src.keras.trainers import steps as stepping
from tapeflow._src.keras.trainers.compiling import Compiled
from tapeflow._src.keras.trainers.data_adapters.arrays import split
from tapeflow._src.keras.trainers.data_adapters.lookup import adapter_for
from tapeflow._src.keras.trainers.data_adapters.packing import unpack_x_y_sample_weight
from tapeflow._src.keras.trainers.epoch_iterator import EpochIterator
from tapeflow._src.keras.trainers.legacy_members import LegacyTraining, apply_queue_arguments
from tapeflow._src.keras.trainers.single_batches import SingleBatches, joined

if TYPE_CHECKING:
    from tapeflow._src.keras.callbacks.history import History


class Trainer(Compiled, SingleBatches, LegacyTraining):
    """The part of a model that goes over data.

    A subclass may define what is done with one batch: `train_step`, `test_step`, `predict_step`,
    or only `compute_loss` and `compute_metrics`.
    """

    _initial_epoch: int | None = None

    # -- one batch -----------------------------------------------------------------------------

    def train_step(self, data: Any) -> dict[str, Any]:
        """Run one training step on a batch and return the results so far.

        A subclass may override it to change what `fit` does with a batch.

        Args:
            data: What the data yield: inputs, or a tuple of inputs, targets and sample weights.

        Returns:
            A dict of results by name.
        """
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self._called(x, training=True)
            loss = self._tpf_loss_of(x, y, y_pred, sample_weight, training=True)
            self._tpf_count_loss(loss, x)
            variables = self.trainable_weights  # type: ignore[attr-defined]
            self._tpf_build_optimizer(variables)
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        if variables:
            gradients = tape.gradient(scaled, variables)
            self.optimizer.apply_gradients(zip(gradients, variables))
        else:
            warn_user(f"{type(self).__name__} has no trainable weights: this step updates none.")
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """Run one evaluation step on a batch and return the results so far.

        Args:
            data: What the data yield: inputs, or a tuple of inputs, targets and sample weights.

        Returns:
            A dict of results by name.
        """
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self._called(x, training=False)
        loss = self._tpf_loss_of(x, y, y_pred, sample_weight, training=False)
        self._tpf_count_loss(loss, x)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Compute the outputs of the model for one batch.

        Args:
            data: What the data yield; only the inputs are used.

        Returns:
            The outputs.
        """
        return self._called(unpack_x_y_sample_weight(data)[0], training=False)

    def _called(self, x: Any, training: bool) -> Any:
        call: Any = self
        if signature_of(type(self).call).has_training:  # type: ignore[attr-defined]
            return call(x, training=training)
        return call(x)

    def _tpf_build_optimizer(self, variables: list[Any]) -> None:
        """Let the optimizer make its variables outside of the trace, now that all are known."""
        if variables and self.optimizer is not None and not self.optimizer.built:
            with tf.init_scope():
                self.optimizer.build(variables)

    def _tpf_count_loss(self, loss: Any, x: Any) -> None:
        if self._loss_tracker is not None:
            first = next(leaf for leaf in tf.nest.flatten(x) if leaf is not None)
            samples = tf.shape(first)[0]
            self._loss_tracker.update_state(without_share(loss), sample_weight=samples)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Compute the loss of one batch: that of `compile`, plus losses added by layers.

        Args:
            x: Inputs.
            y: Targets.
            y_pred: Outputs of the model.
            sample_weight: Weights of the samples.
            training: Whether the batch is trained on.

        Returns:
            A scalar tensor.

        Raises:
            ValueError: There is no loss.
        """
        losses = []
        if self._compile_loss is not None:
            loss = self._compile_loss(y, y_pred, sample_weight)
            if loss is not None:
                losses.append(loss)
        for added in self.losses:  # type: ignore[attr-defined]
            total = tf.reduce_sum(tf.cast(added, tf.keras.config.floatx()))
            losses.append(share_of_loss(total))
        if not losses:
            raise ValueError(
                "There is no loss to minimize. Pass `loss` to `compile()`, or call `add_loss()` in "
                "a layer."
            )
        return losses[0] if len(losses) == 1 else tf.add_n(losses)

    def _tpf_loss_of(self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
        """`compute_loss`, which in older subclasses does not take `training`."""
        parameters = inspect.signature(self.compute_loss).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        more = {"training": training} if "training" in parameters or takes_any else {}
        return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **more)

    def stateless_compute_loss(
        self,
        trainable_variables: Any,
        non_trainable_variables: Any,
        metrics_variables: Any,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """The loss if the variables had these values, and the values that they have after it.

        Args:
            trainable_variables: One value for each of the trainable variables.
            non_trainable_variables: One value for each of the non-trainable variables.
            metrics_variables: One value for each of the variables of metrics.
            x: Inputs.
            y: Targets.
            y_pred: Outputs of the model.
            sample_weight: Weights of the samples.
            training: Whether the batch is trained on.

        Returns:
            The loss, and a tuple of the values of trainable, non-trainable and metrics' variables.
        """
        model: Any = self
        groups = {
            "trainable_variables": (model.trainable_variables, trainable_variables),
            "non_trainable_variables": (model.non_trainable_variables, non_trainable_variables),
            "metrics_variables": (model.metrics_variables, metrics_variables),
        }
        state = [
            pair
            for argument, (own, values) in groups.items()
            for pair in pairs(own, values, argument, self)
        ]
        with StatelessScope(state) as scope:
            loss = self._tpf_loss_of(x, y, y_pred, sample_weight, training)
        after = ([scope.value_of(variable) for variable in own] for own, _ in groups.values())
        return loss, tuple(after)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Update the metrics with a batch and return their results.

        Args:
            x: Inputs.
            y: Targets.
            y_pred: Outputs of the model.
            sample_weight: Weights of the samples.

        Returns:
            A dict of results by name.
        """
        if self._compile_metrics is not None:
            self._compile_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    # -- functions of steps --------------------------------------------------------------------

    def make_train_function(self, force: bool = False) -> Any:
        """Return the function that runs training steps on the batches of an iterator.

        Args:
            force: Whether to create it anew.
        """
        if self.train_function is None or force:
            step = self._tpf_compiled_step(self._tpf_logged(self.train_step))
            count = self.steps_per_execution
            self._tpf_set(train_function=stepping.OverIterator(step, count, "train"))
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """Return the function that runs evaluation steps on the batches of an iterator.

        Args:
            force: Whether to create it anew.
        """
        if self.test_function is None or force:
            step = self._tpf_compiled_step(self._tpf_logged(self.test_step))
            count = self.steps_per_execution
            self._tpf_set(test_function=stepping.OverIterator(step, count, "test"))
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """Return the function that predicts the batches of an iterator, as a list.

        Args:
            force: Whether to create it anew.
        """
        if self.predict_function is None or force:
            step = self._tpf_compiled_step(self._tpf_predicting())
            count = self.steps_per_execution
            self._tpf_set(predict_function=stepping.GatheringOverIterator(step, count, "predict"))
        return self.predict_function

    def _tpf_logged(self, step: Any) -> Any:
        """A training or evaluation step, on all replicas of the strategy of the model."""
        strategy = self._tpf_strategy()
        if strategy.num_replicas_in_sync > 1:
            step = replicated_steps.ReplicatedStep(self, step, strategy)
        return stepping.LoggedStep(step)

    def _tpf_predicting(self) -> Any:
        strategy = self._tpf_strategy()
        if strategy.num_replicas_in_sync > 1:
            return replicated_steps.ReplicatedPrediction(self, self.predict_step, strategy)
        return stepping.Step(self.predict_step)

    def _tpf_compiled_step(self, step: Any) -> Any:
        # Collectives between workers run beside compiled code, which is cut around them.
        jit_compile = "auto" if spans_workers(self._tpf_strategy()) else self.jit_compile
        return stepping.arranging(stepping.compiled(step, self.run_eagerly, jit_compile))

    # -- all of the data -----------------------------------------------------------------------

    @folds_errors
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        **queue: Any,
    ) -> History:
        """Train the compiled model for a number of epochs and return the `History` of results.

        Args:
            x: Inputs: arrays, tensors, a dataset, a generator or a `PyDataset`.
            y: Labels, unless `x` yields them.
            batch_size: Samples per batch of arrays; 32 by default.
            epochs: Index of the epoch to stop at.
            verbose: 0 for silent, 1 for a progress bar, 2 for a line per epoch.
            callbacks: List of `keras.callbacks.Callback`.
            validation_split: Fraction of the arrays, from their end, to validate on.
            validation_data: `(x, y)`, `(x, y, sample_weight)` or a dataset to validate on.
            shuffle: Whether to shuffle arrays before each epoch.
            class_weight: Dict of class index to weight.
            sample_weight: Weights of the samples.
            initial_epoch: Index of the first epoch, to resume training.
            steps_per_epoch: Number of batches of an epoch; None for all.
            validation_steps: Number of batches of the validation; None for all.
            validation_batch_size: Batch size of the validation; `batch_size` by default.
            validation_freq: Epochs between validations, or a list of epochs.
            **queue: `workers`, `use_multiprocessing` and `max_queue_size`, as in Keras 2.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            >>> model.compile("sgd", "mse")
            >>> model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=3, verbose=0).epoch
            [0, 1, 2]
        """
        self._assert_compile_called()
        apply_queue_arguments(x, queue, Trainer.fit)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = split((x, y, sample_weight), validation_split)
        epochs = min(epochs, max_epochs() or epochs)
        strategy = self._tpf_strategy()
        adapter = adapter_for(x, y, sample_weight, batch_size, shuffle, class_weight, strategy)
        batches = EpochIterator(adapter, steps_per_epoch, False, self.steps_per_execution)
        size = validation_batch_size or batch_size
        validation = _validation_batches(validation_data, size, validation_steps, strategy)
        callbacks = self._tpf_callbacks(callbacks, verbose, batches, epochs, add_history=True)
        span = range(initial_epoch, epochs)
        self._tpf_train(batches, span, callbacks, validation, validation_freq)
        return self.history

    history: Any = None

    def _tpf_train(
        self,
        batches: EpochIterator,
        epochs: range,
        callbacks: Any,
        validation: EpochIterator | None,
        validation_freq: Any,
    ) -> None:
        """Run the epochs, with validation after those that are due."""
        self.stop_training = False
        function = self.make_train_function()
        callbacks.on_train_begin()
        if self._initial_epoch is not None:  # set by a callback that resumes training
            epochs = range(self._initial_epoch, epochs.stop)
            self._tpf_set(_initial_epoch=None)
        logs: dict[str, Any] = {}
        for epoch in epochs:
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            logs = self._tpf_train_epoch(function, batches, callbacks)
            if validation is not None and _is_due(epoch, validation_freq):
                results = self._tpf_evaluate(validation, callbacks)
                logs |= {f"val_{name}": value for name, value in results.items()}
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training or not batches.seen:
                break
        if self.optimizer is not None and epochs.stop > 0 and self.optimizer.built:
            self.optimizer.finalize_variable_values(self.trainable_weights)  # type: ignore[attr-defined]
        callbacks.on_train_end(logs)

    def _tpf_train_epoch(self, function: Any, batches: EpochIterator, callbacks: Any) -> Any:
        """Train one epoch and return its results."""
        logs: Any = None
        begins, ends = callbacks.hears("train_batch_begin"), callbacks.hears("train_batch_end")
        batches.begin()
        while not self.stop_training:
            if begins and batches.has_more():
                callbacks.on_train_batch_begin(batches.seen)
            try:
                logs = function(batches)
            except StopIteration:
                break
            if ends:
                callbacks.on_train_batch_end(self._tpf_last_step(batches), logs)
        batches.end()
        return stepping.as_numbers(logs)

    def _tpf_last_step(self, batches: EpochIterator) -> int:
        """The number of the step that an execution was to end with."""
        steps = self.steps_per_execution
        return batches.seen - 1 if steps == 1 else -(-batches.seen // steps) * steps - 1

    @folds_errors
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Compute the loss and metrics on data.

        Args:
            x: Inputs: arrays, tensors, a dataset, a generator or a `PyDataset`.
            y: Labels, unless `x` yields them.
            batch_size: Samples per batch of arrays; 32 by default.
            verbose: 0 for silent, 1 for a progress bar, 2 for a line.
            sample_weight: Weights of the samples.
            steps: Number of batches; None for all.
            callbacks: List of callbacks.
            return_dict: Whether to return a dict instead of a list.
            **kwargs: `workers`, `use_multiprocessing` and `max_queue_size`, as in Keras 2.

        Returns:
            The loss, or a list of it and the metrics, or a dict by name.

        Raises:
            ValueError: The model is not compiled.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            >>> model.compile(loss="mse", metrics=["mae"])
            >>> x, y = tf.ones((4, 2)), tf.ones((4, 1))
            >>> sorted(model.evaluate(x, y, verbose=0, return_dict=True))
            ['loss', 'mae']
        """
        self._assert_compile_called()
        apply_queue_arguments(x, kwargs, Trainer.evaluate)
        strategy = self._tpf_strategy()
        adapter = adapter_for(x, y, sample_weight, batch_size, strategy=strategy)
        batches = EpochIterator(adapter, steps)
        callbacks = self._tpf_callbacks(callbacks, verbose, batches)
        self.stop_training = False
        logs = self._tpf_evaluate(batches, callbacks)
        return logs if return_dict else self._tpf_in_order(logs)

    def _tpf_callbacks(
        self,
        callbacks: Any,
        verbose: Any,
        batches: EpochIterator,
        epochs: int = 1,
        add_history: bool = False,
    ) -> CallbackList:
        if isinstance(callbacks, CallbackList):
            return callbacks
        return CallbackList(
            callbacks,
            add_history=add_history,
            add_progbar=verbose != 0,
            model=self,
            verbose=_verbosity(verbose),
            epochs=epochs,
            steps=batches.num_batches,
        )

    def _tpf_evaluate(self, batches: EpochIterator, callbacks: CallbackList) -> dict[str, Any]:
        """The results over all batches."""
        function = self.make_test_function()
        callbacks.on_test_begin()
        self.reset_metrics()
        logs: Any = None
        begins, ends = callbacks.hears("test_batch_begin"), callbacks.hears("test_batch_end")
        self.stop_evaluating = False
        batches.begin()
        while not self.stop_evaluating:
            if begins and batches.has_more():
                callbacks.on_test_batch_begin(batches.seen)
            try:
                logs = function(batches)
            except StopIteration:
                break
            if ends:
                callbacks.on_test_batch_end(self._tpf_last_step(batches), logs)
        batches.end()
        results = stepping.as_numbers(logs)
        callbacks.on_test_end(results)
        return results

    @folds_errors
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
        **queue: Any,
    ) -> Any:
        """Compute the outputs of the model for data, batch by batch, as NumPy arrays.

        Args:
            x: Inputs: arrays, tensors, a dataset, a generator or a `PyDataset`.
            batch_size: Samples per batch of arrays; 32 by default.
            verbose: 0 for silent, 1 for a progress bar, 2 for a line.
            steps: Number of batches; None for all.
            callbacks: List of callbacks.
            **queue: `workers`, `use_multiprocessing` and `max_queue_size`, as in Keras 2.

        Returns:
            An array, or a structure of arrays like the model's outputs.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            >>> model.predict(np.ones((4, 2)), verbose=0).shape
            (4, 1)
        """
        apply_queue_arguments(x, queue, Trainer.predict)
        adapter = adapter_for(x, batch_size=batch_size, strategy=self._tpf_strategy())
        batches = EpochIterator(adapter, steps)
        callbacks = self._tpf_callbacks(callbacks, verbose, batches)
        function = self.make_predict_function()
        callbacks.on_predict_begin()
        begins = callbacks.hears("predict_batch_begin")
        ends = callbacks.hears("predict_batch_end")
        outputs: list[Any] = []
        self.stop_predicting = False
        batches.begin()
        while not self.stop_predicting:
            if begins and batches.has_more():
                callbacks.on_predict_batch_begin(batches.seen)
            try:
                results = function(batches)
            except StopIteration:
                break
            outputs += results
            if ends:
                logs = {"outputs": tf.nest.map_structure(np.asarray, results[-1])}
                callbacks.on_predict_batch_end(self._tpf_last_step(batches), logs)
        batches.end()
        callbacks.on_predict_end()
        if not outputs:
            raise ValueError(f"Model '{self.name}' was given no data to predict for.")  # type: ignore[attr-defined]
        return tf.nest.map_structure(joined, *outputs)


def _verbosity(verbose: Any) -> int:
    return 1 if verbose == "auto" else int(verbose)


def _validation_batches(
    data: Any, batch_size: int | None, steps: int | None, strategy: Any
) -> EpochIterator | None:
    """Return an iterator over validation data; None without such data."""
    if data is None:
        return None
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    adapter = adapter_for(x, y, sample_weight, batch_size, strategy=strategy)
    return EpochIterator(adapter, steps, restart=True)


def _is_due(epoch: int, validation_freq: Any) -> bool:
    """Whether there is validation after this epoch."""
    number = epoch + 1
    if isinstance(validation_freq, int):
        return number % validation_freq == 0
    if isinstance(validation_freq, (list, tuple, set)):
        return number in validation_freq
    raise ValueError(
        f"`validation_freq` must be a number of epochs, or the epochs in a list. Received: "
        f"{validation_freq!r} of type {type(validation_freq).__name__}"
    )
