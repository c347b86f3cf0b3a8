"""Convert arguments of transformations to scalar tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


def int64(value: Any) -> Any:
    """Convert a number to an int64 tensor."""
    return dispatch.convert(value, dtypes.int64)


def boolean(value: Any) -> Any:
    """Convert a truth value to a bool tensor."""
    return dispatch.convert(value, dtypes.bool)


def known(tensor: Any) -> Any:
    """Return the value of a scalar tensor if it is known statically, else None."""
    value = tensor.static_value
    return None if value is None else value.item()
