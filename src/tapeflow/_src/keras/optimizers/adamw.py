"""AdamW: Adam with weights that decay beside the steps."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.optimizers.adam import Adam


class AdamW(Adam):
    """Adam, and weights that shrink by `weight_decay` times the learning rate at each step."""

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
