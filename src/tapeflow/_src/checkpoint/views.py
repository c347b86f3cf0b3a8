"""Object graphs to look at: those of objects, and those in checkpoints.

Lists and dicts are shown in wrappers with their items, to distinguish them from plain values.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.checkpoint.bundle import BundleReader
from tapeflow._src.checkpoint.object_graph import ObjectGraph
from tapeflow._src.checkpoint.restoring import StoredNode, stored_graph
from tapeflow._src.core.trackable import CHECKPOINT, children_in, children_of, wrapped


class TrackableView:
    """The objects that hang together with `root`.

    Args:
        root: A trackable object.

    Example:
        >>> module = tf.Module()
        >>> module.v = tf.Variable(1.0)
        >>> list(tf.train.TrackableView(module).children(module))
        ['v']
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: Any = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        """Return the children of an object, by name.

        Args:
            obj: A trackable object.
            save_type: "checkpoint", or "savedmodel" for what a SavedModel holds in addition.
        """
        children = children_of(obj, getattr(save_type, "value", save_type))
        return {name: wrapped(child) for name, child in children.items()}

    def descendants(self) -> list[Any]:
        """Return all objects, the root first."""
        return [wrapped(value) for value in list_objects(self._root)]


class CheckpointView:
    """The objects of a checkpoint, by number; the root is number 0.

    Args:
        save_path: The prefix of a checkpoint.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write("viewed")
        >>> tf.train.CheckpointView(path).children(0)
        {'v': 1}
    """

    def __init__(self, save_path: Any) -> None:
        self._graph = stored_graph(BundleReader(save_path))

    def children(self, node_id: int) -> dict[str, int]:
        """Return the numbers of an object's children, by name.

        Args:
            node_id: The number of the object.
        """
        return {c.local_name: c.node_id for c in self._graph.nodes[node_id].children}

    def descendants(self) -> list[int]:
        """Return the numbers of all objects, the root first."""
        seen = {0: None}
        waiting = [0]
        while waiting:
            for number in self.children(waiting.pop(0)).values():
                if number not in seen:
                    seen[number] = None
                    waiting.append(number)
        return list(seen)

    def match(self, obj: Any) -> dict[int, Any]:
        """Return the objects below `obj` (or it alone) that stand in the checkpoint, by number.

        Args:
            obj: A trackable object, or a `TrackableView` of one.
        """
        return {number: wrapped(value) for number, value in self._matched(obj).items()}

    def _matched(self, obj: Any) -> dict[int, Any]:
        matches = {0: _root_of(obj)}
        waiting = [0]
        while waiting:
            number = waiting.pop(0)
            children = children_in(matches[number], StoredNode(self._graph.nodes, number))
            for name, child in self.children(number).items():
                if name in children and child not in matches:
                    matches[child] = children[name]
                    waiting.append(child)
        return matches

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Return the matches, the nodes only in the checkpoint, and the objects not in it.

        Args:
            obj: A trackable object, or a `TrackableView` of one.
        """
        matched = self._matched(obj)
        matched_ids = {id(value) for value in matched.values()}
        only_stored = [number for number in self.descendants() if number not in matched]
        only_here = [wrapped(v) for v in list_objects(_root_of(obj)) if id(v) not in matched_ids]
        return {n: wrapped(v) for n, v in matched.items()}, only_stored, only_here


def list_objects(root_trackable: Any) -> list[Any]:
    """Return all objects that are reachable from the root, which comes first."""
    return [node.value for node in ObjectGraph(root_trackable, strict=False).nodes]


def _root_of(obj: Any) -> Any:
    return obj.root if isinstance(obj, TrackableView) else obj
