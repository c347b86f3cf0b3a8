"""Checks of layers' arguments: sizes for each axis, paddings."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf


def standardize_tuple(value: Any, n: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """A tuple of `n` integers, from one or from a single integer that is repeated."""
    if isinstance(value, int):
        sizes: tuple[int, ...] = (value,) * n
    else:
        try:
            sizes = tuple(value)
        except TypeError:
            raise _wrong_tuple(value, n, name) from None
    if len(sizes) != n:
        raise _wrong_tuple(value, n, name, f", which has {len(sizes)} items")
    for item in sizes:
        try:
            int(item)
        except (ValueError, TypeError):
            kind = type(item).__name__
            raise _wrong_tuple(value, n, name, f", where {item!r} is a {kind}") from None
    least = 0 if allow_zero else 1
    if min(sizes, default=least) < least:
        raise _wrong_tuple(value, n, name, f", where each must be >= {least}")
    return sizes


def _wrong_tuple(value: Any, n: int, name: str, detail: str = "") -> ValueError:
    return ValueError(
        f"`{name}` must be one integer or {n} integers, one for each spatial axis. Received: "
        f"{name}={value!r}{detail}"
    )


def standardize_padding(value: Any, allow_causal: bool = False) -> str:
    """`padding` in lower case: `valid`, `same`, or `causal` where that is allowed."""
    allowed = {"valid", "same", "causal"} if allow_causal else {"valid", "same"}
    if isinstance(value, (list, tuple)):
        return value  # type: ignore[return-value]
    padding = value.lower()
    if padding not in allowed:
        raise ValueError(
            f"`padding` must be one of {sorted(allowed)}, upper or lower case. Received: "
            f"padding={value!r}"
        )
    return padding


def as_numbers_of(x: Any, weight: Any) -> Any:
    """`x` cast to the dtype of `weight`, as for integer inputs."""
    return x if x.dtype is weight.dtype else tf.cast(x, weight.dtype)


def positive(name: str, value: Any) -> Any:
    """Return `value`, which must be an integer above zero; NumPy's count, as in Keras 2."""
    if isinstance(value, np.integer):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")
    return value
