"""What marks data and moments: `tf.fingerprint` and `tf.timestamp`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.ops.graph import clock
from tapeflow._src.ops.strings import fingerprint as prints


def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Any:
    """Eight bytes for each row of `data`, the same for the same bytes everywhere."""
    return prints.fingerprint(data, method, name=name)


def timestamp(name: str | None = None) -> Any:
    """Seconds since 1970 began, as a float64; in a function, when it runs."""
    return clock.timestamp(name=name)
