"""Lion: steps of the same size in all directions."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense
from tapeflow._src.keras.optimizers.optimizer import Optimizer


class Lion(Optimizer):
    """Lion (Chen et al., 2023): steps by the sign of an interpolated momentum.

    All elements move by the learning rate, which is therefore chosen smaller than for Adam, and the
    weight decay larger.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        beta_1: Share of the momentum in the direction of a step, above 0 and at most 1.
        beta_2: Decay of the momentum.
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.

    Raises:
        ValueError: `beta_1` is out of range.

    Example:
        >>> w = tf.Variable(1.0)
        >>> tf.keras.optimizers.Lion(learning_rate=0.1).apply([tf.constant(2.0)], [w])
        >>> round(float(w), 3)
        0.9
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
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
        if beta_1 <= 0 or beta_1 > 1:
            raise ValueError(
                f"Lion: `beta_1` must be in the interval (0, 1]; with 0 only the signs of the "
                f"gradients would count. Received: beta_1={beta_1}"
            )
        self.beta_1 = beta_1
        self.beta_2 = beta_2

    def build(self, var_list: Any) -> None:
        """Create the mean gradient of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._momentums = self.add_optimizer_variables(var_list, "momentum")
        # The name in checkpoints of Keras 2.
        self._handle_deferred_dependencies("momentums", self._momentums)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        slope = dense(gradient, variable)
        momentum = self._momentums[self._get_variable_index(variable)]
        mean = tf.convert_to_tensor(momentum)
        direction = tf.sign(mean * self.beta_1 + slope * (1.0 - self.beta_1))
        rate = self._tpf_number(learning_rate, variable.dtype)
        variable.assign_sub(rate * direction, read_value=False)
        momentum.assign(mean * self.beta_2 + slope * (1.0 - self.beta_2), read_value=False)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2}
