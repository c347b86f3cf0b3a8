"""Adagrad: steps over the root of the sum of squares."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow.keras.initializers import Constant


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011): divides by the root of the sum of squared gradients."""

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
        """Create the sum of squares of each variable."""
        if self.built:
            return
        super().build(var_list)
        first = Constant(self.initial_accumulator_value)
        self._accumulators = self.add_optimizer_variables(var_list, "accumulator", first)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
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
