"""Times and sizes as short text, for people."""

from __future__ import annotations


def time_text(seconds: float) -> str:
    """Return a duration with three digits, such as "1.25 ms"."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def size_text(count: float) -> str:
    """Return a number of bytes with three digits, such as "3.5 MiB"."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} GiB"
