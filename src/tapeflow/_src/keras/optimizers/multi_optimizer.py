"""`MultiOptimizer`: some variables are trained by one optimizer, others by another."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

from tapeflow._src.keras.optimizers.loss_scale_optimizer import LossScaleOptimizer
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow._src.keras.optimizers.optimizer_variables import CallableList
from tapeflow._src.keras.replicas import once_for_all_replicas
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import OPTIMIZER, OPTIMIZER_MAP
from tapeflow.keras.saving import serialize_keras_object


class OptimizerMap(MutableMapping[str, Optimizer]):
    """Maps variable paths, or regular expressions of whole paths, to optimizers.

    Called on a variable, it returns the variable's optimizer.

    Args:
        default_optimizer: Optimizer of variables that no key matches.
        optimizer_map: Dict of optimizers by path or regular expression.

    Raises:
        TypeError: An argument is of another type.

    Example:
        >>> choice = tf.keras.optimizers.OptimizerMap(tf.keras.optimizers.Adam())
        >>> choice["embedding/.*"] = tf.keras.optimizers.SGD()
        >>> type(choice["embedding/embeddings"]).__name__
        'SGD'
    """

    def __init__(
        self, default_optimizer: Optimizer, optimizer_map: dict[str, Optimizer] | None = None
    ) -> None:
        if not isinstance(default_optimizer, Optimizer):
            raise TypeError(
                f"`default_optimizer` must be a `keras.optimizers.Optimizer`. Received: "
                f"{default_optimizer!r} of type {type(default_optimizer).__name__}"
            )
        if optimizer_map is not None and not isinstance(optimizer_map, dict):
            raise TypeError(f"optimizer_map must be a dictionary. Received: {optimizer_map}")
        self._default_optimizer = default_optimizer
        self._optimizer_map = optimizer_map or {}

    @property
    def default_optimizer(self) -> Optimizer:
        """The optimizer of variables that no key matches."""
        return self._default_optimizer

    def __call__(self, variable: Any) -> Optimizer:
        return self[getattr(variable, "path", variable.name)]

    def __getitem__(self, key: str) -> Optimizer:
        if key in self._optimizer_map:
            return self._optimizer_map[key]
        matching = [pattern for pattern in self._optimizer_map if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ValueError(f"Multiple optimizers assigned to variable {key}.")
        return self._optimizer_map[matching[0]] if matching else self._default_optimizer

    def __setitem__(self, key: str, optimizer: Optimizer) -> None:
        if key in self._optimizer_map:
            raise ValueError(
                f"The OptimizerMap already has '{key}', for {self._optimizer_map[key]}. Remove it "
                f"first with `del` to replace it."
            )
        if not isinstance(key, str):
            raise ValueError(f"key must be a string. Received: {key}")
        _must_be_single(optimizer, "optimizer")
        self._optimizer_map[key] = optimizer

    def __delitem__(self, key: str) -> None:
        del self._optimizer_map[key]

    def __len__(self) -> int:
        return len(self._optimizer_map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._optimizer_map)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal map from."""
        return {
            "default_optimizer": serialize_keras_object(self._default_optimizer),
            "optimizer_map": serialize_keras_object(self._optimizer_map),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> OptimizerMap:
        """Create a map from the config that `get_config` returned.

        Args:
            config: Dict with the serialized optimizers.
            custom_objects: Classes by name that are not registered.

        Returns:
            An `OptimizerMap`.
        """
        arguments = []
        for name in ("default_optimizer", "optimizer_map"):
            part = member(config, name, dict)
            with located(f".{name}"):
                arguments.append(read_object(part, OPTIMIZER, custom_objects, required=False))
        return cls(*arguments)


class MultiOptimizer(Optimizer):
    """Trains each variable with the optimizer that `optimizer_map(variable)` selects.

    It has no learning rate of its own.

    Args:
        optimizer_map: `OptimizerMap`, or a function of a variable.
        loss_scale_factor: Factor of the loss, common to all optimizers.

    Raises:
        ValueError: A variable's optimizer is none, or wraps others; raised by `build` and `apply`.

    Example:
        >>> choice = tf.keras.optimizers.OptimizerMap(tf.keras.optimizers.SGD(0.1))
        >>> choice[".*slow.*"] = tf.keras.optimizers.SGD(0.01)
        >>> optimizer = tf.keras.optimizers.MultiOptimizer(choice)
        >>> fast, slow = tf.Variable(1.0), tf.Variable(1.0, name="slow")
        >>> optimizer.apply([tf.constant(1.0), tf.constant(1.0)], [fast, slow])
        >>> round(float(fast), 2), round(float(slow), 2)
        (0.9, 0.99)
    """

    def __init__(
        self, optimizer_map: Any, loss_scale_factor: float | None = None, name: str | None = None
    ) -> None:
        super().__init__(learning_rate=0.0, loss_scale_factor=loss_scale_factor, name=name)
        self._optimizer_map = optimizer_map
        self._inner_optimizers: list[Optimizer] = []
        mapped = list(optimizer_map.values()) if hasattr(optimizer_map, "values") else []
        default = getattr(optimizer_map, "default_optimizer", None)
        for optimizer in (*mapped, *([] if default is None else [default])):
            self._place(optimizer)

    def _place(self, optimizer: Optimizer) -> int:
        """The number of an optimizer, which is taken in if it is new."""
        for index, inner in enumerate(self._inner_optimizers):
            if inner is optimizer:
                return index
        optimizer.loss_scale_factor = self.loss_scale_factor
        self._inner_optimizers.append(optimizer)
        return len(self._inner_optimizers) - 1

    def build(self, var_list: Any) -> None:
        """Let each optimizer create what it keeps for its variables.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        for optimizer, variables in self._shared_out(var_list, var_list):
            if variables:
                optimizer.build([variable for variable, _ in variables])
        super().build(var_list)

    def _shared_out(
        self, values: Sequence[Any], variables: Sequence[Any]
    ) -> list[tuple[Optimizer, list[tuple[Any, Any]]]]:
        """The values that belong to the variables of each optimizer."""
        shares: list[list[tuple[Any, Any]]] = [[] for _ in self._inner_optimizers]
        for value, variable in zip(values, variables):
            optimizer = self._optimizer_map(variable)
            _must_be_single(optimizer, f"the optimizer for variable {variable.name}")
            index = self._place(optimizer)
            if index == len(shares):
                shares.append([])
            shares[index].append((value, variable))
        return list(zip(self._inner_optimizers, shares))

    @property
    def optimizers(self) -> list[Optimizer]:
        """All optimizers that are used."""
        return self._inner_optimizers

    @property
    def loss_scale_factor(self) -> float | None:
        """The scale of the loss, which all optimizers have in common."""
        return self._loss_scale_factor

    @loss_scale_factor.setter
    def loss_scale_factor(self, factor: float | None) -> None:
        self._loss_scale_factor = factor
        for optimizer in getattr(self, "_inner_optimizers", ()):
            optimizer.loss_scale_factor = factor

    @property
    def variables(self) -> CallableList:
        """The own variables, then those of the optimizers."""
        inner = [variable for o in self._inner_optimizers for variable in o.variables]
        return CallableList([*self._variables, *inner])

    @property
    def learning_rate(self) -> Any:
        """There is none: each optimizer has its own."""
        raise AttributeError(
            "A MultiOptimizer has no learning rate of its own. Read `learning_rate` of one of "
            "the optimizers it was created with."
        )

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        raise AttributeError(
            "A MultiOptimizer has no learning rate of its own. Set `learning_rate` of the "
            "optimizers it was created with."
        )

    @once_for_all_replicas
    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        """Make one step with each of the optimizers.

        Args:
            grads: One gradient for each variable that the optimizer was built with.
            trainable_variables: The variables; None for those that the optimizer was built with.

        Raises:
            ValueError: The number of gradients is another.
        """
        grads = list(grads)
        if not grads:
            return
        if trainable_variables is None:
            variables = self._tpf_built_variables(len(grads))
        else:
            variables = list(trainable_variables)
        if not self.built:
            self.build(variables)
        if len(grads) != len(self._trainable_variables):
            raise ValueError(
                f"MultiOptimizer expected {len(self._trainable_variables)} gradients, one for each "
                f"variable it was built with. Received {len(grads)}."
            )
        for optimizer, share in self._shared_out(grads, variables):
            if share:
                optimizer.apply([g for g, _ in share], [v for _, v in share])
        self._iterations.assign_add(1, read_value=False)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Finalize the variables with each optimizer at the end of training.

        Args:
            var_list: Variables of the model.
        """
        for optimizer, share in self._shared_out(var_list, var_list):
            if share:
                optimizer.finalize_variable_values([variable for variable, _ in share])

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign new values to all variables, those of the optimizers included.

        Args:
            weights: List of arrays in the order of `variables`.
        """
        own = len(self._variables)
        super().set_weights(weights[:own])
        for optimizer in self._inner_optimizers:
            count = len(optimizer.variables)
            if optimizer.built:
                optimizer.set_weights(weights[own : own + count])
            own += count

    def get_config(self) -> dict[str, Any]:
        return {
            "optimizer_map": serialize_keras_object(self._optimizer_map),
            "loss_scale_factor": self.loss_scale_factor,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> MultiOptimizer:
        with located(".optimizer_map"):
            chosen = read_object(member(config, "optimizer_map", dict), OPTIMIZER_MAP)
        return cls(**{**config, "optimizer_map": chosen})


def _must_be_single(optimizer: Any, what: str) -> None:
    if not isinstance(optimizer, Optimizer):
        raise ValueError(
            f"{what} must be a `keras.optimizers.Optimizer`. Received: {optimizer!r} of type "
            f"{type(optimizer).__name__}"
        )
    for kind in (LossScaleOptimizer, MultiOptimizer):
        if isinstance(optimizer, kind):
            raise ValueError(f"{what} cannot be {kind.__name__}.")
