"""Which types are containers, and how each is taken apart and rebuilt.

A type is classified once; a walk then costs one dictionary lookup per element.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """How one type of container is taken apart and rebuilt."""

    # The children, in flattening order.
    children: Callable[[Any], list[Any]]
    # A container like the first argument, with other children.
    rebuild: Callable[[Any, list[Any]], Any]
    # The step of a path that leads to each child.
    keys: Callable[[Any], Iterable[Any]]
    # Two containers match if their kinds are equal.
    kind: Any
    is_dict: bool = False


_registered: dict[type, Node] = {}


class _Nodes(dict[type, "Node | None"]):
    """Type -> its `Node`, or None for a leaf; filled as types are met."""

    # Named tuples that are made in a loop must not be kept alive for ever.
    CAPACITY = 4096

    def __missing__(self, cls: type) -> Node | None:
        if len(self) >= self.CAPACITY:
            self.clear()
        node = self[cls] = _registered.get(cls) or _classify(cls)
        return node


def register_tree_node_class(cls: type) -> type:
    """Have a class treated as a container, such as a list is.

    It must have a method `tree_flatten()` that returns `(children, metadata)`, or
    `(children, metadata, keys)`, and a class method `tree_unflatten(metadata, children)`.

    >>> from tapeflow._src.keras.tree.nodes import register_tree_node_class
    >>> @register_tree_node_class
    ... class Pair:
    ...     def __init__(self, first, second):
    ...         self.first, self.second = first, second
    ...     def tree_flatten(self):
    ...         return (self.first, self.second), None
    ...     @classmethod
    ...     def tree_unflatten(cls, metadata, children):
    ...         return cls(*children)
    >>> tf.keras.tree.flatten([Pair(1, 2), 3])
    [1, 2, 3]
    """

    def keys(value: Any) -> Iterable[Any]:
        children, _, *names = value.tree_flatten()
        return names[0] if names else range(len(list(children)))

    _registered[cls] = Node(
        lambda value: list(value.tree_flatten()[0]),
        lambda like, children: cls.tree_unflatten(like.tree_flatten()[1], children),  # type: ignore[attr-defined]
        keys,
        cls,
    )
    nodes.clear()
    return cls


def _sorted_keys(value: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:  # keys of several types: insertion order
        return list(value)


def _sorted_values(value: dict[Any, Any]) -> list[Any]:
    return [value[key] for key in _sorted_keys(value)]


def _rebuild_dict(like: dict[Any, Any], children: list[Any]) -> Any:
    values = dict(zip(_sorted_keys(like), children))
    ordered = {key: values[key] for key in like}
    if isinstance(like, defaultdict):
        return type(like)(like.default_factory, ordered)
    return ordered if type(like) is dict else type(like)(ordered)


def _indices(value: Any) -> Iterable[int]:
    return range(len(value))


# These match each other if they have the same keys; their subclasses match themselves only.
_DICTS = (dict, OrderedDict, defaultdict)


def _classify(cls: type) -> Node | None:
    kind = dict if cls in _DICTS else cls
    if issubclass(cls, OrderedDict):
        return Node(
            lambda value: list(value.values()),
            lambda like, children: cls(zip(like, children)),
            list,
            kind,
            is_dict=True,
        )
    if issubclass(cls, dict):
        return Node(_sorted_values, _rebuild_dict, _sorted_keys, kind, is_dict=True)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return Node(list, lambda like, children: cls(*children), _indices, cls)
    if issubclass(cls, deque):
        return Node(list, lambda like, children: cls(children, like.maxlen), _indices, cls)
    if issubclass(cls, (list, tuple)):
        return Node(list, lambda like, children: cls(children), _indices, cls)
    return None


nodes = _Nodes()
