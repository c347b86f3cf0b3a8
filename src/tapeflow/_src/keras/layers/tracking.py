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
    """Whether a value is a number or a text, or a tuple of such: it stays as it is."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, (int, float, str, type(None)))


def _found_in(value: Any, around: tuple[int, ...] = ()) -> Iterator[Any]:
    """The variables and modules in a value; `around` are the containers that it lies in."""
    if isinstance(value, (tf.Variable, tf.Module)):
        yield value
    elif isinstance(value, _CONTAINERS) and id(value) not in around:
        around = (*around, id(value))
        for item in value.values() if isinstance(value, dict) else value:
            yield from _found_in(item, around)


class Parts:
    """Variables and modules among the attributes of one layer, each once, in order.

    Of the variables those made to be trained come first. Unless there are lists or the like, in
    which there may be others tomorrow, the parts are `fixed` until an attribute is set.
    """

    __slots__ = ("fixed", "modules", "variables")

    def __init__(self, attributes: dict[str, Any], names: Any) -> None:
        parts: dict[int, Any] = {}
        self.fixed = True
        for name in names:
            value = attributes.get(name)
            if isinstance(value, (tf.Variable, tf.Module)):
                parts[id(value)] = value
            else:
                self.fixed = False
                parts |= {id(item): item for item in _found_in(value)}
        variables = [part for part in parts.values() if isinstance(part, tf.Variable)]
        trained = [v for v in variables if getattr(v, "_born_trainable", v.trainable)]
        others = [v for v in variables if not getattr(v, "_born_trainable", v.trainable)]
        self.variables = trained + others
        self.modules = [part for part in parts.values() if not isinstance(part, tf.Variable)]
