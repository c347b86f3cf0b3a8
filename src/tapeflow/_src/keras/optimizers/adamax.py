"""Adamax: Adam with the greatest gradient in the place of the mean square."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer

_step = tf.raw_ops.ResourceApplyAdaMax


class Adamax(Optimizer):
    """Adamax (Kingma & Ba, 2015): Adam with the infinity norm as second moment.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        beta_1: Decay of the first moment, the mean of gradients.
        beta_2: Decay of the norm, the largest absolute gradient.
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
        >>> tf.keras.optimizers.Adamax(learning_rate=0.1).apply([tf.constant(2.0)], [w])
        >>> round(float(w), 3)
        0.9
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
        """Create the mean and the norm of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._m, self._u = self.add_optimizer_variables(var_list, ["momentum", "norm"])

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        mean, norm = self._m[index], self._u[index]
        if isinstance(gradient, tf.IndexedSlices):
            self._sparse_step(gradient, variable, learning_rate, mean, norm)
            return
        _step(
            var=variable.handle,
            m=mean.handle,
            v=norm.handle,
            beta1_power=self._tpf_power(self.beta_1, dtype),
            lr=self._tpf_number(learning_rate, dtype),
            beta1=self._tpf_number(self.beta_1, dtype),
            beta2=self._tpf_number(self.beta_2, dtype),
            epsilon=self._tpf_number(self.epsilon, dtype),
            grad=dense(gradient, variable),
        )

    def _sparse_step(
        self, gradient: Any, variable: Any, learning_rate: Any, mean: Any, norm: Any
    ) -> None:
        """A step in which rows may come twice: their sizes add up."""
        mean.assign_add((dense(gradient, variable) - mean) * (1 - self.beta_1))
        size = dense(on_elements(tf.abs, gradient), variable)
        norm.assign(tf.maximum(self.beta_2 * norm, size))
        rate = self._tpf_number(learning_rate, variable.dtype)
        grown = 1 - self._tpf_power(self.beta_1, variable.dtype)
        variable.assign_sub(rate * mean / (grown * (norm + self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
