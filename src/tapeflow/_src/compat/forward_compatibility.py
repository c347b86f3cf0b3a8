"""`tf.compat.forward_compatible`: whether programs may write what older versions cannot read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager

# Set by the blocks in force, the innermost last; today where there is none.
_horizons: list[datetime.date] = []


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether what was new on that date may be written into graphs and files by now."""
    horizon = _horizons[-1] if _horizons else datetime.date.today()
    return horizon > datetime.date(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Evaluate `forward_compatible` in the block as of that date."""
    _horizons.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizons.pop()
