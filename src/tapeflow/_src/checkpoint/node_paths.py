"""Objects of a SavedModel by the names on the way to them, such as `root.layer.kernel`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ROOT = "root"


def node_at(nodes: Any, path: str) -> int:
    """Return the number of the object at a path.

    Raises:
        ValueError: there is none.
    """
    number = find_node(nodes, path)
    if number is None:
        raise ValueError(
            f"The SavedModel has no object {path!r}: expected {ROOT!r}, followed by names of "
            "children, each after a dot."
        )
    return number


def find_node(nodes: Any, path: str) -> int | None:
    """Return the number of the object at a path, or None if there is none."""
    top, _, rest = path.partition(".")
    return _descend(nodes, 0, rest) if top == ROOT else None


def _descend(nodes: Any, number: int, rest: str) -> int | None:
    """Return the object that names lead to; a name may have dots itself."""
    if not rest:
        return number
    for child in nodes[number].children:
        name = child.local_name
        if rest == name or rest.startswith(f"{name}."):
            below = _descend(nodes, child.node_id, rest[len(name) + 1 :])
            if below is not None:
                return below
    return None


def nodes_below(nodes: Any, numbers: Iterable[int]) -> list[int]:
    """Return some objects and all that can be reached from them, in the order of the file."""
    reached, waiting = set(), list(numbers)
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += [child.node_id for child in nodes[number].children]
    return sorted(reached)
