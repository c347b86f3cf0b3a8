"""LAMB: Adam whose steps are as long as the weights allow."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer


def _norm(x: TensorLike) -> Any:
    return tf.sqrt(tf.reduce_sum(tf.square(x)))


class Lamb(Optimizer):
    """LAMB (You et al., 2020): Adam with layer-wise trust ratios, for large batches.

    A step of a variable is as long as the variable itself, times the learning rate.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        beta_1: Decay of the first moment, the mean of gradients.
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
        >>> w = tf.Variable(2.0)
        >>> tf.keras.optimizers.Lamb(learning_rate=0.1).apply([tf.constant(5.0)], [w])
        >>> round(float(w), 3)
        1.8
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
        """Create the two moments of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        names = ["momentum", "velocity"]
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, names)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        slope = dense(gradient, variable)
        square = tf.square(slope)
        if isinstance(gradient, tf.IndexedSlices):
            square = dense(on_elements(tf.square, gradient), variable)
        mean, squares = self._momentums[index], self._velocities[index]
        mean.assign_add((slope - mean) * (1 - self.beta_1), read_value=False)
        squares.assign_add((square - squares) * (1 - self.beta_2), read_value=False)
        root = tf.sqrt(squares / (1.0 - self._tpf_power(self.beta_2, dtype))) + self.epsilon
        step = mean / (1.0 - self._tpf_power(self.beta_1, dtype)) / root
        step_norm, weight_norm = _norm(step), _norm(variable)
        usable = tf.logical_and(weight_norm > 0, step_norm > 0)
        ratio = tf.where(usable, weight_norm / step_norm, tf.ones_like(step_norm))
        rate = self._tpf_number(learning_rate, dtype)
        variable.assign_sub(ratio * rate * step, read_value=False)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
