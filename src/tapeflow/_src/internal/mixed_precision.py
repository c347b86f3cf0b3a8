"""Optimizers of libraries that scale losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_wrappers: dict[type, tuple[Callable[..., Any], Any]] = {}


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable[..., Any], wrapper_cls: Any = None
) -> None:
    """Register the function that adds loss scaling to optimizers of a class."""
    _wrappers[optimizer_cls] = (wrapper_fn, wrapper_cls or wrapper_fn)
