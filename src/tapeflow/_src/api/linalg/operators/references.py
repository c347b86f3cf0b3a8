"""Tensors that operators hold: a variable stays one, so that each use reads its present value."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.eager.variable import Variable


def hold(value: Any, dtype: Any = None) -> Any:
    """`value` as a tensor, of `dtype` if it has none yet; a variable as it is."""
    return value if isinstance(value, Variable) else convert(value, None, dtype)
