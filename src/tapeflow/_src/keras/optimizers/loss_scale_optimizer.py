"""`LossScaleOptimizer`: keeps gradients of half precision from vanishing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import is_overwritten, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow._src.keras.optimizers.optimizer_variables import CallableList
from tapeflow._src.keras.replicas import once_for_all_replicas
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import OPTIMIZER
from tapeflow.keras.initializers import Constant
from tapeflow.keras.saving import serialize_keras_object

# Defaults of an optimizer, which configs of old files name.
_DEFAULTS = {
    "weight_decay": None,
    "clipnorm": None,
    "global_clipnorm": None,
    "clipvalue": None,
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
    "loss_scale_factor": None,
    "gradient_accumulation_steps": None,
}


class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer with dynamic loss scaling, against underflow in float16.

    A step with non-finite gradients is skipped and halves the scale; after
    `dynamic_growth_steps` finite ones it is doubled. `compile` wraps optimizers of mixed float16
    models by itself.

    Args:
        inner_optimizer: Optimizer that makes the steps.
        initial_scale: Scale at the beginning.
        dynamic_growth_steps: Number of finite steps after which the scale is doubled.
        **kwargs: Defaults of other optimizers' arguments, as in old files; other values are
            refused.

    Raises:
        ValueError: An argument belongs to the inner optimizer, or `dynamic` is False.

    Example:
        >>> inner = tf.keras.optimizers.SGD(0.1)
        >>> optimizer = tf.keras.optimizers.LossScaleOptimizer(inner, initial_scale=8.0)
        >>> w = tf.Variable(1.0)
        >>> with tf.GradientTape() as tape:
        ...     loss = optimizer.scale_loss(w * 2.0)
        >>> optimizer.apply([tape.gradient(loss, w)], [w])
        >>> round(float(w), 3)
        0.8
    """

    def __init__(
        self,
        inner_optimizer: Optimizer,
        initial_scale: float = 2.0**15,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        _refuse(kwargs)
        super().__init__(learning_rate=0.0, name=name)
        self.inner_optimizer = inner_optimizer
        self.initial_scale = initial_scale
        self.dynamic_growth_steps = dynamic_growth_steps
        self._unscaled = False
        # Gradients must not be scaled twice.
        self.inner_optimizer.loss_scale_factor = None

    def build(self, var_list: Any) -> None:
        """Create the scale, the counter of good steps, and what the inner optimizer keeps.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        self.step_counter = self.add_variable((), dtype="int64", name="step_counter")
        self.dynamic_scale = self.add_variable(
            (), Constant(self.initial_scale), "float32", name="dynamic_scale"
        )
        self.inner_optimizer.build(var_list)
        super().build(var_list)

    @property
    def variables(self) -> CallableList:
        """The own variables, then those of the inner optimizer."""
        return CallableList([*self._variables, *self.inner_optimizer.variables])

    @property
    def loss_scale(self) -> Any:
        """The factor by which the loss is scaled now, as a tensor (Keras 2)."""
        scale = self.dynamic_scale if self.built else self.initial_scale
        return tf.cast(scale, "float32")

    @property
    def dynamic(self) -> bool:
        """Whether the scale changes during training: always (Keras 2)."""
        return True

    @property
    def dynamic_counter(self) -> Any:
        """The number of steps since the scale last changed (Keras 2)."""
        return self.step_counter if self.built else tf.constant(0, "int64")

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's learning rate."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        self.inner_optimizer.learning_rate = learning_rate

    @property
    def iterations(self) -> Any:
        """How many steps the inner optimizer has made."""
        return self.inner_optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self.inner_optimizer.iterations = variable

    @once_for_all_replicas
    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        """Make one step, unless a gradient is not finite.

        Args:
            grads: Gradients of the scaled loss.
            trainable_variables: The variables; None for those that the optimizer was built with.
        """
        grads = list(grads)
        if trainable_variables is not None:
            trainable_variables = list(trainable_variables)
        if not self.built:
            self.build(trainable_variables)
        variables = trainable_variables or self._trainable_variables
        unscaled, self._unscaled = self._unscaled, False

        def step() -> None:
            scaled_down = grads if unscaled else self._over_scale(grads, variables)
            self.inner_optimizer.apply(scaled_down, trainable_variables)
            due = tf.equal(self.step_counter, self.dynamic_growth_steps - 1)
            tf.cond(due, lambda: self._rescale(2.0), self._count)

        tf.cond(self.check_finite(grads), step, lambda: self._rescale(0.5))

    def _over_scale(self, grads: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
        """Divide gradients by the scale, except those that are new values."""
        scale = tf.convert_to_tensor(self.dynamic_scale if self.built else self.initial_scale)
        return [
            g if g is None or is_overwritten(variable) else on_elements(_over(scale), g)
            for g, variable in zip(grads, variables)
        ]

    def get_scaled_loss(self, loss: Any) -> Any:
        """Scale the loss up, as `scale_loss` does; the name in Keras 2.

        Args:
            loss: Scalar tensor, or a function that returns it.

        Returns:
            The scaled loss.
        """
        return self.scale_loss(loss() if callable(loss) else loss)

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> list[Any]:
        """Scale the gradients of a scaled loss down, as training loops of Keras 2 do.

        The next step takes gradients as they are.

        Args:
            grads: Gradients of the scaled loss.

        Returns:
            The gradients of the loss.
        """
        self._unscaled = True
        variables = (
            self._trainable_variables if len(self._trainable_variables) == len(grads) else []
        )
        return self._over_scale(grads, variables or [None] * len(grads))

    def _rescale(self, factor: float) -> None:
        self.step_counter.assign(0)
        self.dynamic_scale.assign(self.dynamic_scale * factor)

    def _count(self) -> None:
        self.step_counter.assign_add(1)

    def check_finite(self, grads: Sequence[Any]) -> Any:
        """Return whether all elements of all gradients are finite.

        Args:
            grads: Gradients; None among them is left out.

        Returns:
            A boolean tensor.
        """
        elements = [on_elements(tf.math.is_finite, g) for g in grads if g is not None]
        return tf.reduce_all(
            [tf.reduce_all(getattr(finite, "values", finite)) for finite in elements]
        )

    def scale_loss(self, loss: Any) -> Any:
        """Scale the loss up.

        Args:
            loss: Scalar tensor.

        Returns:
            The loss times the current scale.
        """
        if not self.built:
            return loss * self.initial_scale
        loss = tf.convert_to_tensor(loss)
        return loss * tf.cast(self.dynamic_scale, loss.dtype)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Finalize the variables with the inner optimizer at the end of training.

        Args:
            var_list: Variables of the model.
        """
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "inner_optimizer": serialize_keras_object(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> LossScaleOptimizer:
        inner = member(config, "inner_optimizer", dict)
        with located(".inner_optimizer"):
            inner = read_object(inner, OPTIMIZER, custom_objects)
        return cls(**{**config, "inner_optimizer": inner})


def _over(scale: TensorLike) -> Any:
    return lambda gradient: gradient / tf.cast(scale, gradient.dtype)


def _refuse(arguments: dict[str, Any]) -> None:
    """Raise ValueError for arguments that belong to the inner optimizer, or to nobody."""
    if not arguments.pop("dynamic", True):
        raise ValueError(
            "LossScaleOptimizer is always dynamic. For a fixed scale, create the inner optimizer "
            "with `loss_scale_factor` and leave LossScaleOptimizer out."
        )
    for name, default in _DEFAULTS.items():
        if arguments.pop(name, default) != default:
            raise ValueError(
                f"LossScaleOptimizer leaves `{name}` to its `inner_optimizer`: set it there."
            )
    if arguments:
        raise ValueError(
            f"LossScaleOptimizer does not support arguments: `{'`, `'.join(arguments)}`."
        )
