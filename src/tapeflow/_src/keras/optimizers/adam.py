"""Adam: steps along the mean gradient over the root of the mean square."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer

_step = tf.raw_ops.ResourceApplyAdam
_step_amsgrad = tf.raw_ops.ResourceApplyAdamWithAmsgrad


class Adam(Optimizer):
    """Adam (Kingma & Ba, 2015): adaptive steps `lr * m / (sqrt(v) + epsilon)`.

    `m` and `v` are bias-corrected moving averages of the gradient and of its square.

    Args:
        learning_rate: Learning rate: a number, or a `LearningRateSchedule`.
        beta_1: Decay of the first moment, the mean of gradients.
        beta_2: Decay of the second moment, the mean of squared gradients.
        epsilon: Added to the denominator for numerical stability.
        amsgrad: Whether to divide by the largest second moment so far (Reddi et al., 2018).
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.
        name: Name of the optimizer.

    >>> w = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adam(learning_rate=0.1).apply([tf.constant(2.0)], [w])
    >>> round(float(w), 3)
    0.9
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
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
        # Of Keras 2: epsilon as in the first formulas of the paper (Kingma & Ba, 2015).
        adaptive_epsilon = kwargs.pop("adaptive_epsilon", False)
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
        self.adaptive_epsilon = adaptive_epsilon
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.amsgrad = amsgrad

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
        if self.amsgrad:
            self._velocity_hats = self.add_optimizer_variables(var_list, "velocity_hat")

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        slots = [self._momentums[index], self._velocities[index]]
        if self.amsgrad:
            slots.append(self._velocity_hats[index])
        if isinstance(gradient, tf.IndexedSlices):
            self._sparse_step(gradient, variable, learning_rate, slots)
            return
        _, shared = self._tpf_once(
            (id(learning_rate), dtype), lambda: (learning_rate, self._shared(learning_rate, dtype))
        )
        handles = {"var": variable.handle, "m": slots[0].handle, "v": slots[1].handle}
        if self.amsgrad:
            handles["vhat"] = slots[2].handle
        step = _step_amsgrad if self.amsgrad else _step
        step(**handles, grad=dense(gradient, variable), **shared)

    def _shared(self, learning_rate: Any, dtype: DTypeLike) -> dict[str, Any]:
        """The arguments of the op that are the same for all variables of a dtype."""
        return {
            "beta1_power": self._tpf_power(self.beta_1, dtype),
            "beta2_power": self._tpf_power(self.beta_2, dtype),
            "lr": self._tpf_number(learning_rate, dtype),
            "beta1": self._tpf_number(self.beta_1, dtype),
            "beta2": self._tpf_number(self.beta_2, dtype),
            "epsilon": self._tpf_epsilon(dtype),
        }

    def _tpf_epsilon(self, dtype: DTypeLike) -> Any:
        epsilon = self._tpf_number(self.epsilon, dtype)
        if not self.adaptive_epsilon:
            return epsilon
        return epsilon * tf.sqrt(1 - self._tpf_power(self.beta_2, dtype))

    def _sparse_step(
        self, gradient: TensorLike, variable: Any, learning_rate: Any, slots: list[Any]
    ) -> None:
        """A step in which rows may come twice: each one's square is taken."""
        dtype, (mean, squares, *most) = variable.dtype, slots
        mean.assign_add((dense(gradient, variable) - mean) * (1 - self.beta_1))
        square = dense(on_elements(tf.square, gradient), variable)
        squares.assign_add((square - squares) * (1 - self.beta_2))
        for greatest in most:
            greatest.assign(tf.maximum(greatest, squares))
            squares = greatest
        grown = tf.sqrt(1 - self._tpf_power(self.beta_2, dtype)) / (
            1 - self._tpf_power(self.beta_1, dtype)
        )
        rate = self._tpf_number(learning_rate, dtype) * grown
        variable.assign_sub(mean * rate / (tf.sqrt(squares) + self._tpf_epsilon(dtype)))

    def get_config(self) -> dict[str, Any]:
        of_keras_2 = {"adaptive_epsilon": True} if self.adaptive_epsilon else {}
        return {
            **super().get_config(),
            **of_keras_2,
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
