"""Arguments about strings: separators and encodings."""

from __future__ import annotations


def as_text(value: str | bytes, name: str) -> str:
    """Return text or bytes as text; raise TypeError for anything else."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"Expected string for argument {name!r} not {value!r}.")
    return value
