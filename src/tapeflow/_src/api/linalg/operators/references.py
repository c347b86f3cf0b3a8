"""Tensors held by operators: a variable stays a variable, so that each use reads its value."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.eager.variable import Variable


def hold(value: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Convert `value` to a tensor, of `dtype` if it has none yet; keep a variable."""
    return value if isinstance(value, Variable) else convert(value, None, dtype)
