"""What the processor can do, as the system reports it."""

from __future__ import annotations

from functools import cache


@cache
def features() -> frozenset[str] | None:
    """Return the names of the processor's features as Linux lists them; None if unknown."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            first = next((line for line in lines if line.startswith(("flags", "Features"))), None)
    except OSError:
        return None
    return None if first is None else frozenset(first.partition(":")[2].split())


def has_fast_wide_vectors() -> bool:
    """Whether vectors of 512 bits pay: the first processors that had them ran slower with them."""
    return "avx512_vbmi2" in (features() or ())
