"""Training configuration of a model: optimizer, loss, metrics and execution options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.argument_errors import suggesting
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.layers.layer_metrics import held_metrics
from tapeflow._src.keras.metrics.means import Mean
from tapeflow._src.keras.replicas import without_share
from tapeflow._src.keras.saving.deserialization import located, read_object
from tapeflow._src.keras.saving.registry import LOSS, METRIC, OPTIMIZER, VALUE
from tapeflow._src.keras.trainers.compile_loss import CompileLoss
from tapeflow._src.keras.trainers.compile_metrics import CompileMetrics
from tapeflow.keras import optimizers
from tapeflow.keras.saving import serialize_keras_object

# The functions of steps, which are made again after a change.
_NO_FUNCTIONS = dict.fromkeys(("train_function", "test_function", "predict_function"))
_ARGUMENTS = ("optimizer", "loss", "loss_weights", "metrics", "weighted_metrics")


def _strategy_in_force() -> Any:
    """Return the strategy of the scope that is entered, or None."""
    return tf.distribute.get_strategy() if tf.distribute.has_strategy() else None


class _default:
    """A property that an attribute which a model sets takes the place of."""

    def __init__(self, getter: Callable[[Any], Any]) -> None:
        self._getter = getter
        self.__doc__ = getter.__doc__

    def __get__(self, model: Any, owner: Any = None) -> Any:
        return self if model is None else self._getter(model)


class Compiled:
    """The part of a model that `compile` sets up."""

    optimizer: Any = None
    loss: Any = None
    loss_weights: Any = None
    compiled = False
    stop_training = False
    stop_evaluating = False
    stop_predicting = False
    steps_per_execution = 1
    jit_compile: Any = "auto"
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    _run_eagerly = False
    _loss_tracker: Any = None
    _compile_loss: Any = None
    _compile_metrics: Any = None
    _compile_config: Any = None
    # The strategy in force when the model was compiled.
    _tpf_compiled_in: Any = None

    @folds_errors
    @suggesting
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
        *,
        pss_evaluation_shards: Any = 0,
    ) -> None:
        """Configure training: the optimizer, the loss and the metrics.

        Args:
            optimizer: Name or instance of an optimizer.
            loss: Name, function or `Loss`; a list or dict for several outputs.
            loss_weights: Weights of the losses of several outputs.
            metrics: List of metrics, or of lists for several outputs.
            weighted_metrics: Metrics that use sample and class weights.
            run_eagerly: Whether steps run eagerly instead of in a `tf.function`.
            steps_per_execution: Number of batches per call of the compiled function.
            jit_compile: Whether to compile steps with XLA; `"auto"` decides by itself.
            auto_scale_loss: Whether mixed float16 models get a `LossScaleOptimizer`.
            pss_evaluation_shards: Must be 0 (Keras 2, where metrics may be the third argument).

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            >>> model.compile(optimizer="adam", loss="mse", metrics=["mae"])
            >>> type(model.optimizer).__name__
            'Adam'
        """
        _check_shards(pss_evaluation_shards)
        if _are_metrics(loss_weights):
            loss_weights, metrics = metrics, loss_weights
        self.optimizer = self._tpf_scaled(optimizers.get(optimizer), auto_scale_loss)
        compile_loss = self._tpf_loss(loss, loss_weights)
        compile_metrics = self._tpf_metrics(metrics, weighted_metrics)
        arguments = dict(
            zip(_ARGUMENTS, (self.optimizer, loss, loss_weights, metrics, weighted_metrics)),
            run_eagerly=run_eagerly,
            steps_per_execution=steps_per_execution,
            jit_compile=jit_compile,
        )
        self._tpf_set(
            loss=loss,
            loss_weights=loss_weights,
            steps_per_execution=_checked_steps(steps_per_execution),
            jit_compile=jit_compile,
            stop_training=False,
            **{**_NO_FUNCTIONS, "_tpf_compiled_in": _strategy_in_force()},
            _run_eagerly=bool(run_eagerly),
            _loss_tracker=Mean("loss"),
            _compile_loss=compile_loss,
            _compile_metrics=compile_metrics,
            _compile_config=lambda: arguments,
            compiled=True,
        )

    def _tpf_scaled(self, optimizer: Any, auto_scale_loss: bool) -> Any:
        """Wrap the optimizer of a mixed float16 model in a `LossScaleOptimizer`."""
        half = getattr(getattr(self, "dtype_policy", None), "name", "") == "mixed_float16"
        scales = optimizer is None or isinstance(optimizer, optimizers.LossScaleOptimizer)
        if auto_scale_loss and half and not scales:
            return optimizers.LossScaleOptimizer(optimizer, name="loss_scale_optimizer")
        return optimizer

    def _tpf_output_names(self) -> Any:
        """Return the names of the outputs; None if they are unknown."""
        names = getattr(self, "output_names", None)
        if names is None:
            names = getattr(self.__dict__.get("_functional"), "output_names", None)
        return names

    def _tpf_loss(self, loss: Any, loss_weights: Any) -> CompileLoss | None:
        if loss is None:
            return None
        return CompileLoss(loss, loss_weights, output_names=self._tpf_output_names())

    def _tpf_metrics(self, metrics: Any, weighted_metrics: Any) -> CompileMetrics | None:
        if metrics is None and weighted_metrics is None:
            return None
        names = self._tpf_output_names()
        return CompileMetrics(metrics, weighted_metrics, name="compile_metrics", output_names=names)

    def _tpf_set(self, **attributes: Any) -> None:
        """Set attributes that are no part of the model's state, and are not saved with it."""
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _assert_compile_called(self) -> None:
        if not self.compiled:
            raise ValueError("You must call `compile()` before using the model.")

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run without being traced."""
        dynamic = getattr(self, "dynamic", False)
        return self._run_eagerly or dynamic or tf.config.functions_run_eagerly()

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._tpf_set(_run_eagerly=value, **_NO_FUNCTIONS)

    # -- metrics -------------------------------------------------------------------------------

    @property
    def metrics(self) -> list[Any]:
        """The mean loss, what `compile` was given, and the metrics of the model and its layers."""
        compiled = self._tpf_compiled_metrics()
        seen_ids = {id(metric) for metric in compiled}
        seen_ids |= {id(self._loss_tracker), id(self._compile_metrics), id(self._compile_loss)}
        return compiled + [metric for metric in held_metrics(self) if id(metric) not in seen_ids]

    def _tpf_compiled_metrics(self) -> list[Any]:
        """The metrics of `compile`; in Keras 2 a flat list, once they are built."""
        tracker = [] if self._loss_tracker is None else [self._loss_tracker]
        losses = [] if self._compile_loss is None else self._compile_loss.metrics
        metrics = self._compile_metrics
        if metrics is None:
            return tracker + losses
        if not is_keras_2():
            return [*tracker, metrics, *losses]
        return [*tracker, *losses, *metrics.metrics] if metrics.built else []

    @property
    def metrics_names(self) -> list[str]:
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Let all metrics begin anew."""
        for metric in self.metrics:
            metric.reset_state()
        if self._loss_tracker is not None:
            # In Keras 2 it is not listed before the first batch, but a checkpoint may restore it.
            self._loss_tracker.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """Return the results of all metrics by name.

        Returns:
            A dict of scalar tensors, among them `"loss"`.
        """
        results: dict[str, Any] = {}
        for metric in self.metrics:
            if isinstance(metric, CompileMetrics) and not metric.built:
                continue
            result = metric.result()
            results |= result if isinstance(result, dict) else {metric.name: result}
        return results

    def _tpf_in_order(self, logs: dict[str, Any]) -> Any:
        """Results as a list in the order of the metrics; one alone as it is."""
        names: dict[str, None] = {}
        for metric in self.metrics:
            if isinstance(metric, CompileMetrics):
                names |= dict.fromkeys(each.name for each in metric.metrics)
            else:
                names[metric.name] = None
        names |= dict.fromkeys(sorted(logs))
        values = [logs[name] for name in names if name in logs]
        return values[0] if len(values) == 1 else values

    # -- legacy names --------------------------------------------------------------------------

    @_default
    def compiled_loss(self) -> _CompiledLoss:
        """The loss of `compile`, as `train_step`s of Keras 2 call it."""
        return _CompiledLoss(self)

    @_default
    def compiled_metrics(self) -> _CompiledMetrics:
        """The metrics of `compile`, as `train_step`s of Keras 2 update them."""
        return _CompiledMetrics(self)

    @_default
    def distribute_strategy(self) -> Any:
        """The `tf.distribute` strategy that the model was created or compiled in."""
        return self._tpf_strategy()

    def _tpf_strategy(self) -> Any:
        """The strategy in force, or else the one that the model was compiled in, or created."""
        if tf.distribute.has_strategy():
            return tf.distribute.get_strategy()
        if self._tpf_compiled_in is not None:
            return self._tpf_compiled_in
        for variable in self.variables:  # type: ignore[attr-defined]
            strategy = getattr(variable, "_distribute_strategy", None)
            if strategy is not None:
                return strategy
        return tf.distribute.get_strategy()

    @_default
    def distribute_reduction_method(self) -> str:
        """How results of replicas are combined."""
        return "auto"

    @_default
    def autotune_steps_per_execution(self) -> bool:
        """Whether `fit` searches for a number of steps per execution: it does not."""
        return False

    # -- configs -------------------------------------------------------------------------------

    def get_compile_config(self) -> dict[str, Any] | None:
        """Return the arguments of `compile`, serialized; None if the model is not compiled."""
        if self._compile_config is None:
            return None
        return serialize_keras_object(self._compile_config())

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile with what `get_compile_config` has returned.

        A `compile` of a subclass may have other arguments: it is not called, with a warning.

        Args:
            config: Dict of serialized arguments.
        """
        if not type(self).compile.__module__.startswith("tapeflow."):
            warn_user(
                f"`compile()` of {type(self).__name__} is custom, so it was not called by the load "
                f"of the model. Call it yourself, or define `get_compile_config()` and "
                f"`compile_from_config(config)`."
            )
            return
        kinds = {"optimizer": OPTIMIZER, "loss": LOSS}
        kinds |= dict.fromkeys(("metrics", "weighted_metrics"), METRIC)
        arguments = {}
        for name, part in config.items():
            with located(f".{name}"):
                arguments[name] = read_object(part, kinds.get(name, VALUE), required=False)
        self.compile(**arguments)


class _CompiledLoss:
    """Computes the loss of a model and updates its mean."""

    def __init__(self, model: Compiled) -> None:
        self._model = model

    @property
    def metrics(self) -> list[Any]:
        """The means of the losses."""
        return [self._model._loss_tracker, *self._model._compile_loss.metrics]

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        loss = self._model._compile_loss(y_true, y_pred, sample_weight)
        total = tf.add_n([loss, *(tf.reduce_sum(each) for each in regularization_losses or ())])
        samples = tf.shape(tf.nest.flatten(y_pred)[0])[0]
        self._model._loss_tracker.update_state(without_share(total), sample_weight=samples)
        return total


class _CompiledMetrics:
    """Takes up batches in the metrics of a model."""

    def __init__(self, model: Compiled) -> None:
        self._model = model

    @property
    def metrics(self) -> list[Any]:
        """The metrics of `compile`, once they are built."""
        compiled = self._model._compile_metrics
        return [] if compiled is None else compiled.metrics

    def reset_state(self) -> None:
        """Begin anew."""
        if self._model._compile_metrics is not None:
            self._model._compile_metrics.reset_state()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take up a batch."""
        if self._model._compile_metrics is not None:
            self._model._compile_metrics.update_state(y_true, y_pred, sample_weight)


def _are_metrics(values: Any) -> bool:
    """Whether values that stand where weights are expected are metrics."""
    return isinstance(values, (list, tuple, dict)) and any(
        isinstance(value, str) or callable(value) for value in tf.nest.flatten(values)
    )


def _check_shards(shards: Any) -> None:
    if shards not in (0, None):
        raise ValueError(
            f"There are no parameter servers: `pss_evaluation_shards` must be 0. Received: "
            f"{shards!r}"
        )


def _checked_steps(steps: Any) -> int:
    """Return the number of steps per execution; None stands for 1."""
    steps = 1 if steps is None else steps
    if not isinstance(steps, int) or steps < 1:
        raise ValueError(
            f"`steps_per_execution` must be a positive integer. Received: "
            f"steps_per_execution={steps}"
        )
    return steps
