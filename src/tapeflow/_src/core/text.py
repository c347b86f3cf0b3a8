"""Conversion between bytes and text."""

from __future__ import annotations

import os
from typing import Any


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Encode text; return bytes unchanged."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise _not_text(bytes_or_text)


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Decode bytes; return text unchanged."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise _not_text(bytes_or_text)


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Same as `as_text`."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Decode bytes; return `str` of anything else."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Return a path object as text, and anything else unchanged."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def _not_text(value: Any) -> TypeError:
    return TypeError(f"Expected binary or unicode string, got {value!r}")
