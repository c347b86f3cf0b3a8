"""How arguments that say something about strings are read: what separates them, their encoding."""

from __future__ import annotations


def as_text(value: str | bytes, name: str) -> str:
    """A string given as text or as bytes, as text; TypeError for anything else."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"Expected string for argument {name!r} not {value!r}.")
    return value
