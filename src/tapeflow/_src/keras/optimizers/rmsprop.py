"""RMSprop: steps over the root of the mean square."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer


class RMSprop(Optimizer):
    """RMSprop: divides gradients by a moving average of their magnitude.

    Args:
        learning_rate: Learning rate: a number, or a `LearningRateSchedule`.
        rho: Decay of the average of squared gradients.
        momentum: Decay of the velocity; 0 for none.
        epsilon: Added to the denominator for numerical stability.
        centered: Whether to divide by the standard deviation instead of the root mean square.
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
    >>> tf.keras.optimizers.RMSprop(learning_rate=0.1, rho=0.0).apply([tf.constant(2.0)], [w])
    >>> round(float(w), 3)
    0.9
    """

    _TPF_SLOT_NAMES = ("rms", "momentum", "mg")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
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
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def build(self, var_list: Any) -> None:
        """Create the means of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._velocities = self.add_optimizer_variables(var_list, "velocity")
        # Assigned once: what a checkpoint has for a list waits for the first one of that name.
        momentums = self.add_optimizer_variables(var_list, "momentum") if self.momentum > 0 else []
        self._momentums: list[Any] = momentums
        means = self.add_optimizer_variables(var_list, "average_gradient") if self.centered else []
        self._average_gradients: list[Any] = means

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        index = self._get_variable_index(variable)
        squares = self._velocities[index]
        slope = dense(gradient, variable)
        square = tf.square(slope)
        if isinstance(gradient, tf.IndexedSlices):
            square = dense(on_elements(tf.square, gradient), variable)
        spread = self.rho * squares + (1 - self.rho) * square
        squares.assign(spread, read_value=False)
        if self.centered:
            average = self._average_gradients[index]
            mean = self.rho * average + (1 - self.rho) * slope
            average.assign(mean, read_value=False)
            spread = spread - tf.square(mean)
        step = (
            self._tpf_number(learning_rate, variable.dtype) * slope / tf.sqrt(spread + self.epsilon)
        )
        if self.momentum > 0:
            momentum = self._momentums[index]
            step = self.momentum * momentum + step
            momentum.assign(step, read_value=False)
        variable.assign_sub(step, read_value=False)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
