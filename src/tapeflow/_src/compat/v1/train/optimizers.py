"""The optimizers: each step is one op."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.creation import fill, zeros
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.graphs import GraphKeys
from tapeflow._src.compat.v1.train.optimizer import Optimizer
from tapeflow._src.compat.v1.variables import Variable
from tapeflow._src.core import dispatch
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable as VariableV2
from tapeflow._src.ops.state import training


def _zeros(variable: VariableV2) -> Any:
    return lambda: zeros(variable.shape, variable.dtype)


class _WithRate(Optimizer):
    """An optimizer with a learning rate, which may be a callable."""

    def __init__(self, learning_rate: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._numbers: dict[str, Any] = {}

    def numbers(self) -> dict[str, Any]:
        """Return the numbers that steps need, beside the learning rate."""
        return {}

    def prepare(self) -> None:
        hyperparameters = {"lr": self._learning_rate, **self.numbers()}
        self._numbers = {
            name: dispatch.convert(value() if callable(value) else value, None, None, name)
            for name, value in hyperparameters.items()
        }

    def number(self, name: str, variable: VariableV2) -> Any:
        """Return a hyperparameter in the dtype of the variable."""
        return cast(self._numbers[name], variable.dtype)


class GradientDescentOptimizer(_WithRate):
    """Steps down the gradient."""

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(learning_rate, use_locking, name)

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        training.apply_gradient_descent(variable.handle, self.number("lr", variable), gradient)


class MomentumOptimizer(_WithRate):
    """Steps along the gradients so far, which fade."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def numbers(self) -> dict[str, Any]:
        return {"momentum": self._momentum}

    def first_slots(self, variable: VariableV2) -> dict[str, Any]:
        return {"Momentum": _zeros(variable)}

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        rate, momentum = self.number("lr", variable), self.number("momentum", variable)
        handles = (variable.handle, slots["Momentum"].handle)
        nesterov = {"use_nesterov": self._use_nesterov}
        training.apply_momentum(*handles, rate, gradient, momentum, **nesterov)


class AdagradOptimizer(_WithRate):
    """Steps over the root of the sum of squares."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(learning_rate, use_locking, name)
        self._start = initial_accumulator_value

    def first_slots(self, variable: VariableV2) -> dict[str, Any]:
        start = self._start
        return {"Adagrad": lambda: fill(variable.shape, cast(start, variable.dtype))}

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        handles = (variable.handle, slots["Adagrad"].handle)
        training.apply_adagrad(*handles, self.number("lr", variable), gradient)


class RMSPropOptimizer(_WithRate):
    """Steps over the root of the mean square."""

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._hyperparameters = {"decay": decay, "momentum": momentum, "epsilon": epsilon}
        self._centered = centered

    def numbers(self) -> dict[str, Any]:
        return self._hyperparameters

    def first_slots(self, variable: VariableV2) -> dict[str, Any]:
        ones = {"rms": lambda: fill(variable.shape, cast(1, variable.dtype))}
        mean = {"mg": _zeros(variable)} if self._centered else {}
        return {**ones, **mean, "momentum": _zeros(variable)}

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        names = ("lr", "decay", "momentum", "epsilon")
        rates = [self.number(name, variable) for name in names]
        squares, speed = slots["rms"].handle, slots["momentum"].handle
        if self._centered:
            means = slots["mg"].handle
            handles = (variable.handle, means, squares, speed)
            training.apply_centered_rms_prop(*handles, *rates, gradient)
        else:
            training.apply_rms_prop(variable.handle, squares, speed, *rates, gradient)


class AdamOptimizer(_WithRate):
    """Steps along the mean gradient over the root of the mean square."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._hyperparameters = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        self._powers: tuple[VariableV2, VariableV2] | None = None

    def numbers(self) -> dict[str, Any]:
        return self._hyperparameters

    def first_slots(self, variable: VariableV2) -> dict[str, Any]:
        if self._powers is None:
            beta1, beta2 = (self._hyperparameters[name] for name in ("beta1", "beta2"))
            self._powers = (
                _power(beta1, "beta1_power", variable),
                _power(beta2, "beta2_power", variable),
            )
        return {"Adam": _zeros(variable), "Adam_1": _zeros(variable)}

    def step(
        self, variable: VariableV2, gradient: TensorLike, slots: dict[str, VariableV2]
    ) -> None:
        names = ("lr", "beta1", "beta2", "epsilon")
        rates = [self.number(name, variable) for name in names]
        powers = [cast(power, variable.dtype) for power in self._powers or ()]
        handles = (variable.handle, slots["Adam"].handle, slots["Adam_1"].handle)
        training.apply_adam(*handles, *powers, *rates, gradient)

    def finish(self) -> list[Any]:
        pairs = zip(self._powers or (), ("beta1", "beta2"))
        return [power.assign(power * self.number(name, power)) for power, name in pairs]

    def variables(self) -> list[Any]:
        return [*(self._powers or ()), *super().variables()]


def _power(beta: TensorLike, name: str, like: VariableV2) -> VariableV2:
    first = beta() if callable(beta) else beta
    collections = [GraphKeys.GLOBAL_VARIABLES]
    return Variable(first, trainable=False, collections=collections, name=name, dtype=like.dtype)
