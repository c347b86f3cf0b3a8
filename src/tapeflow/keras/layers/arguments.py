"""Arguments of layers as they are checked: sizes for each axis, paddings."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def standardize_tuple(value: Any, n: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """`n` whole numbers, given as such or as one that holds for all."""
    wrong = f"The `{name}` argument must be a tuple of {n} integers. Received: {name}={value}"
    if isinstance(value, int):
        found: tuple[int, ...] = (value,) * n
    else:
        try:
            found = tuple(value)
        except TypeError:
            raise ValueError(wrong) from None
    if len(found) != n:
        raise ValueError(wrong)
    for item in found:
        try:
            int(item)
        except (ValueError, TypeError):
            raise ValueError(f"{wrong} including element {item} of type {type(item)}") from None
    least, rule = (0, ">= 0") if allow_zero else (1, "> 0")
    unqualified = {item for item in found if item < least}
    if unqualified:
        raise ValueError(
            f"{wrong}, including values {unqualified} that do not satisfy `value {rule}`"
        )
    return found


def standardize_padding(value: Any, allow_causal: bool = False) -> str:
    """`valid` or `same`, or `causal` where that is allowed."""
    allowed = {"valid", "same", "causal"} if allow_causal else {"valid", "same"}
    if isinstance(value, (list, tuple)):
        return value  # type: ignore[return-value]
    padding = value.lower()
    if padding not in allowed:
        raise ValueError(
            f"The `padding` argument must be a list/tuple or one of {sorted(allowed)}. "
            f"Received: padding={padding}"
        )
    return padding


def as_numbers_of(x: Any, weight: Any) -> Any:
    """An input in the dtype of the weight that it meets: whole numbers are cast for it."""
    return x if x.dtype is weight.dtype else tf.cast(x, weight.dtype)


def positive(name: str, value: Any) -> Any:
    """A size that must be a whole number above zero."""
    if not isinstance(value, int) or value <= 0:
        raise ValueError(
            f"Received an invalid value for `{name}`, expected a positive integer. Received: "
            f"{name}={value}"
        )
    return value
