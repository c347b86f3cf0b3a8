"""The arguments that all optimizers share: which go together, and in which range."""

from __future__ import annotations

import warnings
from typing import Any


def check_arguments(optimizer: Any, others: dict[str, Any]) -> None:
    """Raise ValueError for arguments of an optimizer that make no sense; `others` are unknown."""
    if others.pop("decay", None) is not None:
        warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=4)
    if others:
        raise ValueError(f"Argument(s) not recognized: {others}")
    steps = optimizer.gradient_accumulation_steps
    if steps and steps < 2:
        raise ValueError(
            f"`gradient_accumulation_steps` must be an integer >= 2. Received: "
            f"gradient_accumulation_steps={steps}"
        )
    if optimizer.use_ema:
        _check_averages(optimizer.ema_momentum, optimizer.ema_overwrite_frequency)
    norm, value, total = optimizer.clipnorm, optimizer.clipvalue, optimizer.global_clipnorm
    if sum(limit is not None for limit in (norm, value, total)) > 1:
        raise ValueError(
            f"Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
            f"clipnorm={norm}, clipvalue={value}, global_clipnorm={total}"
        )


def _check_averages(momentum: float, frequency: Any) -> None:
    if not 0 <= momentum <= 1:
        raise ValueError(
            f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={momentum}"
        )
    if frequency and (not isinstance(frequency, int) or frequency < 1):
        raise ValueError(
            f"`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
            f"ema_overwrite_frequency={frequency}"
        )
