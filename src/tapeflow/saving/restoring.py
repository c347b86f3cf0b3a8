"""Restoring: the objects of a checkpoint are matched by name with those of the program.

What has no counterpart yet waits with its parent (see `core.trackable`) and is restored when it is
assigned. A `LoadStatus` says what became of it all.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos
from tapeflow.core.errors import InvalidArgumentError, NotFoundError
from tapeflow.core.log import logger
from tapeflow.core.trackable import (
    Trackable,
    children_of,
    is_tracked,
    replace_child,
    waiting_room,
)
from tapeflow.eager.tensor import EagerTensor
from tapeflow.saving.bundle import BundleReader
from tapeflow.saving.object_graph import OBJECT_GRAPH_KEY, ObjectGraph


def stored_graph(reader: BundleReader) -> Any:
    """The object graph of a checkpoint."""
    if OBJECT_GRAPH_KEY not in reader.entries:
        raise ValueError(
            f"{reader.prefix} has no object graph: it was written by name, as TensorFlow 1 did. "
            f"Read it with tf.train.load_checkpoint and assign its variables by hand."
        )
    message = protos.TrackableObjectGraph()
    message.ParseFromString(reader.read(OBJECT_GRAPH_KEY).item())
    return message


class Restoration:
    """One checkpoint on its way into objects."""

    def __init__(self, reader: BundleReader) -> None:
        self._reader = reader
        self.graph = stored_graph(reader)
        self.objects: dict[int, Any] = {}
        self.expect_partial = False
        # Each object with all numbers that it has; kept alive, so that its address stays its own.
        self._matched: dict[int, Any] = {}

    def start(self, root: Any, attached: dict[str, Any]) -> None:
        """Restore all that can be reached from `root` now."""
        self._place_all(root, 0, attached)

    def place(self, value: Any, node: int) -> Any:
        """Restore `value` and what is below it; returns it, or what wraps it from now on."""
        return self._place_all(value, node, {})

    def has(self, value: Any) -> bool:
        """Whether an object was found in the checkpoint."""
        return id(value) in self._matched

    def _place_all(self, value: Any, node: int, attached: dict[str, Any]) -> Any:
        top = self._bind(value, node, attached)
        waiting = [] if top is None else [(top, node, attached)]
        while waiting:
            parent, number, more = waiting.pop(0)
            children = {**children_of(parent), **more}
            for reference in self.graph.nodes[number].children:
                name, child = reference.local_name, children.get(reference.local_name)
                if child is None or not is_tracked(child):
                    continue
                bound = self._bind(child, reference.node_id, {})
                if bound is None:
                    continue
                if bound is not child:
                    replace_child(parent, name, bound)
                waiting.append((bound, reference.node_id, {}))
        return value if top is None else top

    def _bind(self, value: Any, node: int, attached: dict[str, Any]) -> Any:
        """Match an object with a node; returns it or its wrapper, or None if it was matched."""
        known = self.objects.get(node)
        if known is not None:
            if known is not value:
                logger.warning(
                    "Inconsistent references when loading the checkpoint into this object graph. "
                    "For example, in the saved checkpoint object, `model.layer.weight` and "
                    "`model.layer_copy.weight` reference the same variable, while in the current "
                    "object these are two different variables. The referenced variables are: "
                    "(%s and %s).",
                    known,
                    value,
                )
            return None
        present = {**children_of(value), **attached}
        missing = [c for c in self.graph.nodes[node].children if c.local_name not in present]
        if missing:
            value, room = waiting_room(value)
            if room is not None:
                for reference in missing:
                    room.add(reference.local_name, self, reference.node_id)
        self.objects[node] = self._matched[id(value)] = value
        self._restore_values(value, self.graph.nodes[node])
        return value

    def _restore_values(self, value: Any, node: Any) -> None:
        if not node.attributes or not isinstance(value, Trackable):
            return
        wanted = value._serialize_to_tensors()
        found = {}
        for attribute in node.attributes:
            base = attribute.checkpoint_key.removesuffix(attribute.name)
            for name in wanted:
                listed = value._checkpoint_attribute or name
                if listed == attribute.name:
                    found[name] = self._read(base + name, wanted[name])
        if found:
            value._restore_from_tensors(found)

    def _read(self, key: str, like: Any) -> EagerTensor:
        if key not in self._reader.entries:
            near = [name for name in self._reader.entries if name.startswith(key)]
            raise NotFoundError(
                None,
                None,
                f"Key {key} not found in checkpoint {self._reader.prefix}, which has {near}: the "
                f"object was saved in an unknown form, as TensorFlow's iterators are.",
            )
        dtype, stored = getattr(like, "dtype", None), self._reader.dtype(key)
        if dtype is not None and dtype is not stored:
            raise InvalidArgumentError(
                None,
                None,
                f"tensor_name = {key}; expected dtype {dtype.name} does not equal original dtype "
                f"{stored.name}",
            )
        return EagerTensor(self._reader.read(key))

    # -- what is left ------------------------------------------------------------------------

    def unused(self) -> list[int]:
        """The nodes that no object was matched with."""
        return [number for number in range(len(self.graph.nodes)) if number not in self.objects]

    def path(self, node: int) -> str:
        """How a node is reached, as text."""
        paths = {0: "(root)"}
        waiting = [0]
        while waiting and node not in paths:
            number = waiting.pop(0)
            for child in self.graph.nodes[number].children:
                if child.node_id not in paths:
                    paths[child.node_id] = f"{paths[number]}.{child.local_name}"
                    waiting.append(child.node_id)
        return paths.get(node, f"node {node}")

    def __del__(self) -> None:
        if self.expect_partial or not hasattr(self, "graph"):
            return
        lost = [number for number in self.unused() if self.graph.nodes[number].attributes]
        if lost:
            logger.warning(
                "Detecting that an object or model or tf.train.Checkpoint is being deleted with "
                "unrestored values. See the following logs for the specific values in question. "
                "To silence these warnings, use `status.expect_partial()`."
            )
        for number in lost:
            logger.warning(
                "Value in checkpoint could not be found in the restored object: %s",
                self.path(number),
            )


class LoadStatus:
    """What a restoration has and has not found."""

    def __init__(self, restoration: Restoration, root: Any, attached: dict[str, Any]) -> None:
        self._restoration = restoration
        self._root = root
        self._attached = attached

    def assert_consumed(self) -> LoadStatus:
        """AssertionError unless all of the checkpoint and all objects were matched."""
        restoration = self._restoration
        for number in restoration.unused():
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.path(number)}: "
                f"{restoration.graph.nodes[number]}"
            )
        for number, value in restoration.objects.items():
            node = restoration.graph.nodes[number]
            if node.attributes and not _has_values(value):
                raise AssertionError(
                    f"Unused attributes in these objects (the attributes exist in the checkpoint "
                    f"but were not restored): {value!r}: {[a.name for a in node.attributes]}"
                )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """AssertionError unless all objects that have values were matched."""
        lost = [v for v in self._objects() if _has_values(v) and not self._restoration.has(v)]
        if lost:
            shown = lost[:10]
            raise AssertionError(
                f"Found {len(lost)} Python objects that were not bound to checkpointed values, "
                f"likely due to changes in the Python program. Showing {len(shown)} of "
                f"{len(lost)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """AssertionError unless something besides the root was matched."""
        if len(self._restoration.objects) <= 1 and len(self._objects()) > 1:
            raise AssertionError(
                f"Nothing except the root object matched a checkpointed value. Typically this "
                f"means that the checkpoint does not match the Python program. The following "
                f"objects have no matching checkpointed value: {self._objects()[1:]}"
            )
        return self

    def expect_partial(self) -> LoadStatus:
        """Say nothing of values in the checkpoint that were not used."""
        self._restoration.expect_partial = True
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do: values are restored at once."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing is left to do: values are restored at once."""

    def _objects(self) -> list[Any]:
        graph = ObjectGraph(self._root, self._attached, strict=False)
        return [node.value for node in graph.nodes]


def _has_values(value: Any) -> bool:
    return isinstance(value, Trackable) and bool(value._serialize_to_tensors())


class InitializationOnlyStatus:
    """The status when there was no checkpoint to restore."""

    _REFUSAL = "No checkpoint specified (save_path=None); nothing is being restored."

    def assert_consumed(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def assert_existing_objects_matched(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def assert_nontrivial_match(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def expect_partial(self) -> InitializationOnlyStatus:
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing to do: variables have values when they are made."""

    def run_restore_ops(self, session: Any = None) -> Any:
        raise AssertionError(self._REFUSAL)
