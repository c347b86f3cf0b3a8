"""One size of a shape, as a number or as a `Dimension`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.shape import Dimension


def dimension_value(dimension: Any) -> int | None:
    """Return the size as a number, or None; other values are returned unchanged."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """Return the size at `index` as a `Dimension`; an unknown one if the rank is unknown."""
    return Dimension(None) if shape.rank is None else shape.dims[index]
