"""The objects that hang together with a root, numbered, and the names under which values are saved.

Objects are numbered in the order in which a walk by breadth meets them; the first way to an object
names its values, such as `layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tapeflow._src.core import protos
from tapeflow._src.core.trackable import Trackable, children_of, lost_keys

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ATTRIBUTES = ".ATTRIBUTES"


@dataclass
class Node:
    """An object, its number in the graph, and the numbers of its children by name."""

    value: Any
    path: tuple[str, ...]
    children: dict[str, int] = field(default_factory=dict)


class ObjectGraph:
    """All objects that can be reached from a root; `attached` are further children of that."""

    def __init__(
        self,
        root: Any,
        attached: dict[str, Any] | None = None,
        strict: bool = True,
        children_of: Callable[[Any], dict[str, Any]] = children_of,
    ) -> None:
        self.nodes = [Node(root, ())]
        self.ids = {id(root): 0}
        # Children may be created on access: they must live as long as their numbers do.
        at = 0
        while at < len(self.nodes):
            node = self.nodes[at]
            if strict:
                _refuse_lost(node.value)
            children = children_of(node.value)
            if at == 0:
                children = {**children, **(attached or {})}
            for name, child in children.items():
                node.children[name] = self._number(child, (*node.path, name))
            at += 1

    def _number(self, value: Any, path: tuple[str, ...]) -> int:
        number = self.ids.get(id(value))
        if number is None:
            number = self.ids[id(value)] = len(self.nodes)
            self.nodes.append(Node(value, path))
        return number

    def message(self) -> Any:
        """Return the graph as checkpoints store it."""
        message = protos.TrackableObjectGraph()
        for node in self.nodes:
            written = message.nodes.add()
            for name, number in node.children.items():
                written.children.add(node_id=number, local_name=name)
            for name in attribute_names(node.value):
                written.attributes.add(
                    name=name,
                    full_name=getattr(node.value, "_shared_name", ""),
                    checkpoint_key=key_of(node.path, name),
                )
        for written, has in zip(message.nodes, self._with_values()):
            written.has_checkpoint_values.value = has
            written.has_checkpoint_values.SetInParent()
        return message

    def _with_values(self) -> list[bool]:
        """Return for each object whether it or its descendants have values."""
        parents: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            for child in node.children.values():
                parents[child].append(number)
        has_values = [False] * len(self.nodes)
        waiting = [n for n, node in enumerate(self.nodes) if attribute_names(node.value)]
        while waiting:
            number = waiting.pop()
            if not has_values[number]:
                has_values[number] = True
                waiting += parents[number]
        return has_values

    def values(self) -> Iterator[tuple[str, Any]]:
        """Return all values of the objects, with their names."""
        for node in self.nodes:
            if isinstance(node.value, Trackable):
                for name, tensor in node.value._serialize_to_tensors().items():
                    yield key_of(node.path, name), tensor


def attribute_names(value: Any) -> list[str]:
    """Return the names under which the graph lists the values of an object."""
    if not isinstance(value, Trackable):
        return []
    if value._tpf_checkpoint_attribute is not None:
        return [value._tpf_checkpoint_attribute]
    return list(value._serialize_to_tensors())


def key_of(path: tuple[str, ...], name: str) -> str:
    """Return the name of a value in the files."""
    return f"{'/'.join(map(_escaped, path))}/{_ATTRIBUTES}/{_escaped(name)}"


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


def _refuse_lost(value: Any) -> None:
    lost = lost_keys(value)
    if lost:
        raise ValueError(
            f"Unable to save {value!r}: {lost[0]!r} is a non-string key of a tracked value. Use "
            "strings for keys, or keep the dictionary in an object that is not tracked."
        )
