"""Adadelta: steps as large as those before."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer

_step = tf.raw_ops.ResourceApplyAdadelta


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012): step sizes from moving averages of gradients and updates.

    A step is `lr * sqrt(mean_square(updates) + epsilon) / sqrt(mean_square(gradients) + epsilon)`
    times the gradient; the original method has a learning rate of 1.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        rho: Decay of both averages.
        epsilon: Added under the roots for numerical stability.
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
        >>> tf.keras.optimizers.Adadelta(learning_rate=1.0).apply([tf.constant(2.0)], [w])
        >>> bool(w < 1.0)
        True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
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
        self.rho = rho
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        """Create the mean squares of each variable: of its gradients and of its steps.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        names = ["accumulated_grad", "accumulated_delta_var"]
        slots = self.add_optimizer_variables(var_list, names)
        self._accumulated_grads, self._accumulated_delta_vars = slots

    def update_step(self, grad: Any, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        squares, steps = self._accumulated_grads[index], self._accumulated_delta_vars[index]
        rate = self._tpf_number(learning_rate, dtype)
        if isinstance(grad, tf.IndexedSlices):
            self._sparse_step(grad, variable, rate, squares, steps)
            return
        _step(
            var=variable.handle,
            accum=squares.handle,
            accum_update=steps.handle,
            lr=rate,
            rho=self._tpf_number(self.rho, dtype),
            epsilon=self._tpf_number(self.epsilon, dtype),
            grad=dense(grad, variable),
        )

    def _sparse_step(
        self, gradient: Any, variable: Any, rate: Any, squares: Any, steps: Any
    ) -> None:
        """A step in which rows may come twice: each one's square is taken."""
        rho, square = self.rho, on_elements(tf.square, gradient)
        squares.assign(rho * squares + (1 - rho) * dense(square, variable))
        scale = tf.sqrt(steps + self.epsilon) / tf.sqrt(squares + self.epsilon)
        # Of the rows, too, each one's square is taken.
        rows = tf.gather(scale, gradient.indices)
        step = on_elements(lambda g: rows * tf.cast(g, variable.dtype), gradient)
        steps.assign(rho * steps + (1 - rho) * dense(on_elements(tf.square, step), variable))
        self.assign_sub(variable, on_elements(lambda s: rate * s, step))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}
