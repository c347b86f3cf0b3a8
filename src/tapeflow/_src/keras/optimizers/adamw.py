"""AdamW: Adam with weights that decay beside the steps."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.optimizers.adam import Adam


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov & Hutter, 2019).

    Args:
        learning_rate: Learning rate: a number, or a `LearningRateSchedule`.
        weight_decay: Fraction of the variable, times the learning rate, subtracted per step.
        beta_1: Decay of the first moment, the mean of gradients.
        beta_2: Decay of the second moment, the mean of squared gradients.
        epsilon: Added to the denominator for numerical stability.
        amsgrad: Whether to divide by the largest second moment so far.
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
    >>> tf.keras.optimizers.AdamW(0.1, weight_decay=0.0).apply([tf.constant(2.0)], [w])
    >>> round(float(w), 3)
    0.9

    Raises:
        ValueError: `weight_decay` is None.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
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
            beta_1,
            beta_2,
            epsilon,
            amsgrad,
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
        if self.weight_decay is None:
            raise ValueError(
                f"{type(self).__name__} is Adam with weight decay: `weight_decay` must be a float. "
                f"For none, use `keras.optimizers.Adam`. Received: weight_decay=None"
            )
