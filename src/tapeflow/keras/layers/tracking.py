"""The variables, layers and other modules among the attributes of a layer.

Attributes that may hold some are noted when they are set; lists, tuples and dicts are looked
through when somebody asks, so that what is added to them later is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tapeflow as tf

_CONTAINERS = (list, tuple, dict, set)


def holds(value: Any) -> bool:
    """Whether a value is, or may come to hold, a variable or a module."""
    return isinstance(value, (tf.Variable, tf.Module)) or (
        isinstance(value, _CONTAINERS) and not _is_plain(value)
    )


def _is_plain(value: Any) -> bool:
    """Whether a container is one that stays as it is, and has only numbers and text in it."""
    return isinstance(value, tuple) and all(
        isinstance(item, (int, float, str, type(None))) for item in value
    )


def _found_in(value: Any) -> Iterator[Any]:
    if isinstance(value, (tf.Variable, tf.Module)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _found_in(item)
    elif isinstance(value, _CONTAINERS):
        for item in value:
            yield from _found_in(item)


class Parts:
    """What is found among the attributes of one layer, each thing once, in order."""

    __slots__ = ("modules", "variables")

    def __init__(self, attributes: dict[str, Any], names: Any) -> None:
        seen: set[int] = set()
        self.variables: list[Any] = []
        self.modules: list[Any] = []
        for name in names:
            for found in _found_in(attributes.get(name)):
                if id(found) not in seen:
                    seen.add(id(found))
                    kept = self.variables if isinstance(found, tf.Variable) else self.modules
                    kept.append(found)


def unique(variables: Iterator[Any]) -> list[Any]:
    """Each variable once, in the order in which they come first."""
    return list({id(variable): variable for variable in variables}.values())
