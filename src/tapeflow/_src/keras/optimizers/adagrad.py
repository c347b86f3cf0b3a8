"""Adagrad: steps over the root of the sum of squares."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow.keras.initializers import Constant


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011): divides by the root of the sum of squared gradients.

    Frequently updated elements take smaller steps, which suits sparse features.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        initial_accumulator_value: Initial value of the sums.
        epsilon: Added under the root for numerical stability.
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
        >>> optimizer = tf.keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.0)
        >>> optimizer.apply([tf.constant(2.0)], [w])
        >>> round(float(w), 3)
        0.9
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
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
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        """Create the sum of squares of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        first = Constant(self.initial_accumulator_value)
        self._accumulators = self.add_optimizer_variables(var_list, "accumulator", first)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        squares = self._accumulators[self._get_variable_index(variable)]
        rate = self._tpf_number(learning_rate, variable.dtype)
        if isinstance(gradient, tf.IndexedSlices):
            # Only the rows that were used are touched.
            self.assign_add(squares, on_elements(tf.square, gradient))
            roots = tf.sqrt(squares.sparse_read(gradient.indices) + self.epsilon)
            step = on_elements(lambda g: rate * tf.cast(g, variable.dtype) / roots, gradient)
            self.assign_sub(variable, step)
            return
        slope = dense(gradient, variable)
        total = squares + tf.square(slope)
        squares.assign(total, read_value=False)
        variable.assign_sub(rate * slope / tf.sqrt(total + self.epsilon), read_value=False)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "initial_accumulator_value": self.initial_accumulator_value,
            "epsilon": self.epsilon,
        }
