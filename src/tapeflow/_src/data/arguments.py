"""What the arguments of transformations become: scalar tensors, of one dtype each."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


def int64(value: Any) -> Any:
    """A number as an int64 tensor."""
    return dispatch.convert(value, dtypes.int64)


def boolean(value: Any) -> Any:
    """A truth value as a bool tensor."""
    return dispatch.convert(value, dtypes.bool)


def known(tensor: Any) -> Any:
    """The number that a scalar tensor holds, if it is known now, else None."""
    value = tensor._static
    return None if value is None else value.item()
