"""Numeric arguments of `tf.nn`: invalid ones raise errors that name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import Axis, TensorLike


def number(value: TensorLike, function: str, name: str, kind: type = int) -> Any:
    """Return `value` as an int or a float; a tensor with a static value is accepted."""
    static = getattr(value, "static_value", value)
    try:
        return kind(static)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"{function}: expected {kind.__name__} for argument '{name}' not {value!r}."
        ) from error


def numbers(value: TensorLike, function: str, name: str, kind: type = int) -> list[Any]:
    """Return one number, or a list of them, as a list."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return [number(item, function, name, kind) for item in items]


def axis_of(axis: Axis, rank: int | None, function: str) -> int:
    """Return `axis` as a non-negative index, if the rank is known."""
    at = number(axis, function, "axis")
    if rank is None:
        return at
    if not -rank <= at < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"{function}: axis {axis} is out of range: for an input of rank {rank}, it must be in "
            f"[{-rank}, {rank})",
        )
    return at % rank


def as_float32(value: TensorLike) -> Any:
    """Convert NumPy arrays to float32, as ops with that default dtype do."""
    return dispatch.convert(value, dtypes.float32) if isinstance(value, np.ndarray) else value
