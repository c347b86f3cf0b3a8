"""`tf.fingerprint` and `tf.timestamp`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.graph import clock
from tapeflow._src.ops.strings import fingerprint as prints


def fingerprint(data: TensorLike, method: Any = "farmhash64", name: str | None = None) -> Any:
    """Hash each row of `data` to eight bytes, equal on every platform.

    Args:
        data: Tensor of rank 1 or more.
        method: "farmhash64".

    Returns:
        A uint8 tensor of shape (rows, 8).

    Example:
        >>> tf.fingerprint(["a", "b"]).shape
        TensorShape([2, 8])
    """
    return prints.fingerprint(data, method, name=name)


def timestamp(name: str | None = None) -> Any:
    """Return the seconds since 1970 as a float64; in a function, at the time it runs.

    Returns:
        A float64 scalar.

    Example:
        >>> float(tf.timestamp()) > 0
        True
    """
    return clock.timestamp(name=name)
