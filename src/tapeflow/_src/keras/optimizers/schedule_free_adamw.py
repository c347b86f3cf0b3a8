"""Schedule-free AdamW: averages of the weights in the place of a learning-rate schedule."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer


class ScheduleFreeAdamW(Optimizer):
    """Schedule-free AdamW (Defazio et al., 2024): averages iterates, with no schedule.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        beta_1: Share of the average in the point that gradients are taken at.
        beta_2: Decay of the second moment, the mean of squared gradients.
        epsilon: Added to the denominator for numerical stability.
        warmup_steps: Number of steps over which the learning rate rises linearly.
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
        >>> tf.keras.optimizers.ScheduleFreeAdamW(0.1).apply([tf.constant(2.0)], [w])
        >>> bool(w < 1.0)
        True
    """

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        warmup_steps: int = 0,
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
        self.warmup_steps = warmup_steps

    def build(self, var_list: Any) -> None:
        """Create the fast sequence of each variable, which starts with it, and mean squares.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []
        for variable in var_list:
            fast = self.add_variable_from_reference(variable, "momentum", _Copy(variable))
            self._momentums.append(fast)
            self._velocities.append(self.add_variable_from_reference(variable, "velocity"))

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        iterate, squares = self._momentums[index], self._velocities[index]
        slope = dense(gradient, variable)
        square = tf.square(slope)
        if isinstance(gradient, tf.IndexedSlices):
            square = dense(on_elements(tf.square, gradient), variable)
        step = self._tpf_local_step(dtype)
        rate = self._tpf_number(learning_rate, dtype)
        if self.warmup_steps > 0:
            rate = rate * tf.minimum(step / self.warmup_steps, 1.0)
        squares.assign_add((square - squares) * (1 - self.beta_2), read_value=False)
        root = tf.sqrt(squares / (1 - self._tpf_power(self.beta_2, dtype))) + self.epsilon
        fast = iterate - rate * slope / root
        iterate.assign(fast, read_value=False)
        # As Keras has it on TensorFlow: the sequence after the step, not before it.
        average = (variable - (1 - self.beta_1) * fast) / self.beta_1
        share = 1.0 / step
        average = (1 - share) * average + share * fast
        variable.assign((1 - self.beta_1) * fast + self.beta_1 * average, read_value=False)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "warmup_steps": self.warmup_steps,
        }


class _Copy:
    """Initializes a variable with the value of another."""

    def __init__(self, variable: Any) -> None:
        self._variable = variable

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if hasattr(self._variable.handle, "graph"):
            raise ValueError(
                f"ScheduleFreeAdamW starts from the value of {self._variable.name}, which is an "
                f"argument of a function that is traced. Call `optimizer.build(variables)` before."
            )
        return tf.identity(self._variable)
