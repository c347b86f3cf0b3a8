"""Whether the behaviour of TensorFlow 2 is in force."""

from __future__ import annotations


def enabled() -> bool:
    """Return True: there is no other behaviour here."""
    return True
