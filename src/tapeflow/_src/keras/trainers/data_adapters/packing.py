"""Inputs, targets and weights of samples as one value, and apart again."""

from __future__ import annotations

from typing import Any


def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """Inputs, targets and weights of samples; None stands for what is not there."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) in (1, 2, 3):
        x, y, sample_weight = (*data, None, None)[:3]
        return x, y, sample_weight
    raise ValueError(
        f"A batch is the inputs x, or a tuple of x, optionally targets y, and optionally "
        f"sample weights. Received a tuple of {len(data)} parts: {data}"
    )


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """One value of which `unpack_x_y_sample_weight` makes these three again."""
    if y is None:
        return (x,) if isinstance(x, (list, tuple)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)
