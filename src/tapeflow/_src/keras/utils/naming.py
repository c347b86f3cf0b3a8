"""Names that are given when none is: the class in snake case, numbered from the second on."""

from __future__ import annotations

import re
from collections import Counter

_FIRST = re.compile(r"(.)([A-Z][a-z]+)")
_SECOND = re.compile(r"([a-z])([A-Z])")
_used: Counter[str] = Counter()


def to_snake_case(name: str) -> str:
    """`Conv2DTranspose` as `conv2d_transpose`."""
    name = re.sub(r"\W+", "", name)
    return _SECOND.sub(r"\1_\2", _FIRST.sub(r"\1_\2", name)).lower()


def auto_name(prefix: str) -> str:
    """A name that was not given before: `dense`, then `dense_1`, …"""
    return uniquify(to_snake_case(prefix))


def uniquify(name: str) -> str:
    """`name`, numbered if it was given before."""
    number = _used[name]
    _used[name] += 1
    return f"{name}_{number}" if number else name


def get_uid(prefix: str = "") -> int:
    """Return how often names with this prefix were given, this time included.

    Args:
        prefix: Prefix of automatic names, such as "dense".

    Returns:
        An integer, 1 at the first call.

    Example:
        >>> tf.keras.backend.get_uid("my_prefix") < tf.keras.backend.get_uid("my_prefix")
        True
    """
    _used[prefix] += 1
    return _used[prefix]


def reset_uids() -> None:
    """Begin to count automatic names anew: the next `Dense` layer is "dense" again.

    Returns:
        None.

    Example:
        >>> tf.keras.backend.reset_uids()
        >>> tf.keras.backend.get_uid("dense")
        1
    """
    _used.clear()


def counts() -> Counter[str]:
    """How often each name was given."""
    return Counter(_used)


def set_counts(counts: Counter[str]) -> None:
    """Go on from these counts."""
    _used.clear()
    _used.update(counts)
