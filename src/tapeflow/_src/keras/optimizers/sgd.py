"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer

_descend = tf.raw_ops.ResourceApplyGradientDescent
_roll = tf.raw_ops.ResourceApplyKerasMomentum


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

    Without momentum a step is `w -= learning_rate * gradient`.

    Args:
        learning_rate: Learning rate: a number, or a `LearningRateSchedule`.
        momentum: Decay of the velocity; 0 for plain gradient descent.
        nesterov: Whether to use Nesterov momentum.
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
    >>> tf.keras.optimizers.SGD(learning_rate=0.1).apply([tf.constant(2.0)], [w])
    >>> round(float(w), 3)
    0.8

    Raises:
        ValueError: `momentum` is no float between 0 and 1.
    """

    _TPF_SLOT_NAMES = ("momentum",)

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
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
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum = momentum
        self.nesterov = nesterov

    def build(self, variables: Any) -> None:
        """Create the momentum of each variable, if there is momentum.

        Args:
            variables: Variables that are trained.
        """
        if self.built:
            return
        super().build(variables)
        # Assigned once: what a checkpoint has for the list waits for the first one of that name.
        momentums = (
            self.add_optimizer_variables(variables, "momentum") if self.momentum != 0 else []
        )
        self.momentums: list[Any] = momentums

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        rate = self._tpf_number(learning_rate, variable.dtype)
        if self.momentum != 0:
            _roll(
                var=variable.handle,
                accum=self.momentums[self._get_variable_index(variable)].handle,
                lr=rate,
                grad=dense(gradient, variable),
                momentum=self._tpf_number(self.momentum, variable.dtype),
                use_nesterov=self.nesterov,
            )
        elif isinstance(gradient, tf.IndexedSlices):
            # Only the rows that were used are touched.
            self.assign_sub(
                variable, on_elements(lambda g: tf.cast(g, variable.dtype) * rate, gradient)
            )
        else:
            _descend(var=variable.handle, alpha=rate, delta=dense(gradient, variable))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self.momentum, "nesterov": self.nesterov}
