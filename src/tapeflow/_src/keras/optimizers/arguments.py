"""The arguments that all optimizers share: which go together, and in which range."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.argument_errors import unknown_arguments


def check_arguments(optimizer: Any, others: dict[str, Any]) -> None:
    """Raise ValueError for arguments of an optimizer that make no sense; `others` are unknown."""
    if others:
        raise unknown_arguments(type(optimizer), others)
    steps = optimizer.gradient_accumulation_steps
    if steps and steps < 2:
        raise ValueError(
            f"`gradient_accumulation_steps` must be 2 or more, or None. Received: {steps}"
        )
    if optimizer.use_ema:
        _check_averages(optimizer.ema_momentum, optimizer.ema_overwrite_frequency)
    norm, value, total = optimizer.clipnorm, optimizer.clipvalue, optimizer.global_clipnorm
    if sum(limit is not None for limit in (norm, value, total)) > 1:
        raise ValueError(
            f"Gradients can be clipped in one way: set `clipnorm`, `clipvalue` or "
            f"`global_clipnorm`. Received: clipnorm={norm}, clipvalue={value}, "
            f"global_clipnorm={total}"
        )


def _check_averages(momentum: float, frequency: Any) -> None:
    if not 0 <= momentum <= 1:
        raise ValueError(f"`ema_momentum` must be between 0 and 1. Received: {momentum}")
    if frequency and (not isinstance(frequency, int) or frequency < 1):
        raise ValueError(
            f"`ema_overwrite_frequency` must be None or a number of steps, 1 or more. Received: "
            f"{frequency!r}"
        )
