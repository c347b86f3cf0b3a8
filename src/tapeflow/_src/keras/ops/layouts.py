"""Where images and volumes have their channels, and arguments that are one number or several."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def channels_last(x: Any) -> Any:
    """A tensor whose second axis are channels, with them last."""
    return tf.transpose(x, (0, *range(2, x.shape.rank), 1))


def channels_first(x: Any) -> Any:
    """A tensor whose last axis are channels, with them second."""
    rank = x.shape.rank
    return tf.transpose(x, (0, rank - 1, *range(1, rank - 1)))


def tuple_of(name: str, value: Any, length: int) -> tuple[int, ...]:
    """One number for each axis, from one for all of them or from as many."""
    if isinstance(value, int):
        return (value,) * length
    values = tuple(value)
    if len(values) == 1:
        return values * length
    if len(values) != length:
        raise ValueError(
            f"`{name}` must be an integer or {length} of them. Received: {name}={value}"
        )
    return values
