"""Members of the optimizers of Keras 2: slots, updates of graphs, transformed gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, ShapeLike, TensorLike
from tapeflow._src.keras.optimizers.optimizer_variables import OptimizerVariables
from tapeflow._src.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.keras import initializers
from tapeflow.keras.saving import serialize_keras_object

Pairs = list[tuple[Any, Any]]
_CLIPPING = ("clipnorm", "clipvalue", "global_clipnorm")


class LegacyOptimizerMembers(OptimizerVariables):
    """Members of optimizers that Keras 2 has and Keras 3 dropped."""

    _iterations: Any
    _learning_rate: Any
    # Functions from pairs of a gradient and its variable to such pairs.
    gradient_aggregator: Callable[[Pairs], Pairs] | None = None
    gradient_transformers: Sequence[Callable[[Pairs], Pairs]] = ()

    def _tpf_take_transformers(self, kwargs: dict[str, Any]) -> None:
        """Take `gradient_aggregator` and `gradient_transformers` out of the arguments."""
        self.gradient_aggregator = kwargs.pop("gradient_aggregator", None)
        self.gradient_transformers = list(kwargs.pop("gradient_transformers", None) or ())
        clipping = [name for name in _CLIPPING if getattr(self, name) is not None]
        if self.gradient_transformers and clipping:
            raise ValueError(
                f"`{clipping[0]}` cannot be combined with `gradient_transformers`: clip in one of "
                f"the functions. Received: {clipping[0]}={getattr(self, clipping[0])}"
            )

    def _tpf_transformed(
        self, grads: list[Any], variables: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """The gradients and variables after the functions that were passed."""
        if self.gradient_aggregator is None and not self.gradient_transformers:
            return grads, variables
        pairs = list(zip(grads, variables))
        if self.gradient_aggregator is not None:
            pairs = list(self.gradient_aggregator(pairs))
        for transform in self.gradient_transformers:
            pairs = list(transform(pairs))
        return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]

    # -- variables -----------------------------------------------------------------------------

    def add_slot(
        self, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Any:
        """Create a variable that belongs to `var`, or return the one of that name.

        Args:
            var: The variable of the model.
            slot_name: Name for `get_slot`.
            initializer: An initializer, its name, or the initial value.
            shape: Shape of the slot, if it is not that of `var`.

        Returns:
            A `keras.Variable`.
        """
        slots = self.__dict__.setdefault("_tpf_added_slots", {})
        key = (id(var), slot_name)
        if key not in slots:
            if isinstance(initializer, str) or callable(initializer):
                initializer = initializers.get(initializer)
                dims: Any = tuple(var.shape if shape is None else shape)
            else:
                dims = None
            name = f"{getattr(var, 'path', var.name)}_{slot_name}".replace("/", "_")
            slots[key] = self._tpf_new_variable(
                initializer, var.dtype, name.replace(":", "_"), dims
            )
        return slots[key]

    def _tpf_slot(self, name: str, variable: Any) -> Any:
        added = self.__dict__.get("_tpf_added_slots", {}).get((id(variable), name))
        return super()._tpf_slot(name, variable) if added is None else added

    def get_slot_names(self) -> list[str]:
        """Return the names of what is kept for each variable."""
        added = dict.fromkeys(name for _, name in self.__dict__.get("_tpf_added_slots", ()))
        return [*super().get_slot_names(), *added]

    def add_weight(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: Identifier = "zeros",
        trainable: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """Create a variable of the optimizer.

        Args:
            name: Name of the variable.
            shape: Shape; None for a scalar.
            dtype: Dtype; None for `floatx()`.
            initializer: Initializer, or its name.
            trainable: Ignored.
            synchronization: Ignored.
            aggregation: Ignored.

        Returns:
            A `keras.Variable`.
        """
        return self.add_variable(shape or (), initializer, dtype, name=name)

    def _build_learning_rate(self, learning_rate: Any) -> Any:
        """Return the learning rate for `_learning_rate`, which subclasses of Keras 2 set."""
        before = self._learning_rate
        if isinstance(learning_rate, LearningRateSchedule) or not isinstance(before, tf.Variable):
            self._variables[:] = [each for each in self._variables if each is not before]
            if isinstance(learning_rate, LearningRateSchedule):
                return learning_rate
            return self._tpf_new_variable(learning_rate, "float32", "learning_rate", ())
        before.assign(learning_rate)
        return before

    def _serialize_hyperparameter(self, hyperparameter: Any) -> Any:
        """Return a hyperparameter for a config, as subclasses of Keras 2 do."""
        if isinstance(hyperparameter, LearningRateSchedule):
            return serialize_keras_object(hyperparameter)
        if callable(hyperparameter) and not isinstance(hyperparameter, tf.Variable):
            hyperparameter = hyperparameter()
        return hyperparameter.numpy().item() if tf.is_tensor(hyperparameter) else hyperparameter

    def _var_key(self, variable: Any) -> int:
        return id(variable)

    @property
    def _index_dict(self) -> dict[int, int]:
        return self._trainable_variables_indices

    # -- graphs --------------------------------------------------------------------------------

    def get_gradients(self, loss: Any, params: TensorLike) -> list[Any]:
        """Compute the gradients of a loss of a graph with respect to variables.

        Args:
            loss: Tensor of a graph.
            params: Variables, or a structure of them.

        Returns:
            A list of gradients.

        Raises:
            ValueError: The loss does not depend on one of the variables.
        """
        variables = tf.nest.flatten(params)
        grads = tf.gradients(loss, variables)
        missing = [each.name for each, gradient in zip(variables, grads) if gradient is None]
        if missing:
            raise ValueError(
                f"The loss has no gradient (None) with respect to {missing}: it does not depend "
                f"on them, or by operations only that have no gradient. Received: loss={loss!r}"
            )
        return grads

    def get_updates(self, loss: Any, params: TensorLike) -> list[Any]:
        """Add the operations of a step to the graph of the loss.

        Args:
            loss: Tensor of a graph.
            params: Variables, or a structure of them.

        Returns:
            A list with the number of steps, whose evaluation makes the step.
        """
        variables = tf.nest.flatten(params)
        grads = self.get_gradients(loss, variables)
        with tf.init_scope():
            self.build(variables)

        # Operations of a function run in the order of the program.
        @tf.function
        def step(*gradients: Any) -> Any:
            self.apply(gradients, variables)
            return tf.identity(self._iterations)

        return [step(*grads)]

    def build(self, variables: Sequence[Any]) -> None:
        raise NotImplementedError

    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        raise NotImplementedError


@functools.cache
def takes_learning_rate(optimizer: Any) -> bool:
    """Whether `update_step` of a class has an argument for the learning rate, as in Keras 3."""
    parameters = list(inspect.signature(optimizer.update_step).parameters.values())
    several = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    return several or len(parameters) > 3
