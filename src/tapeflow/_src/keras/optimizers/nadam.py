"""Nadam: Adam with Nesterov's look ahead."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer

# How fast the momentum approaches `beta_1`.
_WARMTH = 0.96


class Nadam(Optimizer):
    """Nadam (Dozat, 2016): Adam with Nesterov momentum.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        beta_1: Decay of the first moment, which it approaches over the first steps.
        beta_2: Decay of the second moment, the mean of squared gradients.
        epsilon: Added to the denominator for numerical stability.
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.

    Example:
        >>> w = tf.Variable(1.0)
        >>> tf.keras.optimizers.Nadam(learning_rate=0.1).apply([tf.constant(2.0)], [w])
        >>> bool(w < 1.0)
        True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            weight_decay,
            clipnorm,
            clipvalue,
            global_clipnorm,
            use_ema,
            ema_momentum,
            ema_overwrite_frequency,
            loss_scale_factor,
            gradient_accumulation_steps,
            name,
            **kwargs,
        )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        """Create the two moments of each variable, and the product of all momentums.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        dtype = var_list[0].dtype if var_list else None
        super().build(var_list)
        names = ["momentum", "velocity"]
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, names)
        self._u_product = self._tpf_new_variable(1.0, dtype, "variable")

    def _momentum(self, step: Any) -> Any:
        return self.beta_1 * (1.0 - 0.5 * tf.pow(tf.constant(_WARMTH, step.dtype), step))

    def _tpf_update_all(self, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
        step = self._tpf_local_step(self._u_product.dtype)
        self._u_product.assign(self._u_product * self._momentum(step))
        super()._tpf_update_all(grads, variables, learning_rate)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        mean, squares = self._momentums[index], self._velocities[index]
        slope = dense(gradient, variable)
        square = tf.square(slope)
        if isinstance(gradient, tf.IndexedSlices):
            square = dense(on_elements(tf.square, gradient), variable)
        mean.assign_add((slope - mean) * (1 - self.beta_1))
        squares.assign_add((square - squares) * (1 - self.beta_2))
        of_mean, of_slope, rate = self._tpf_once(
            ("shares", dtype), lambda: self._shares(dtype, learning_rate)
        )
        ahead = of_mean * mean + of_slope * slope
        root = tf.sqrt(squares / (1 - self._tpf_power(self.beta_2, dtype)))
        variable.assign_sub(ahead * rate / (root + self.epsilon))

    def _shares(self, dtype: DTypeLike, learning_rate: Any) -> tuple[Any, Any, Any]:
        """How much of the mean and of the gradient is in a step, and the learning rate."""
        step = self._tpf_local_step(dtype)
        now, following = self._momentum(step), self._momentum(step + 1)
        product = tf.cast(self._u_product, dtype)
        rate = self._tpf_number(learning_rate, dtype)
        return following / (1 - product * following), (1 - now) / (1 - product), rate

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
