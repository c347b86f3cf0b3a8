"""Restoring: the objects of a checkpoint are matched by name with those of the program.

All objects are matched and all values read and checked before the first one changes. What has no
counterpart yet waits with its parent (see `core.trackable`) and is restored when it is assigned. A
`LoadStatus` says what became of it all.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.scopes import init_scope
from tapeflow._src.checkpoint.bundle import BundleReader
from tapeflow._src.checkpoint.messages import parsed
from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY, ObjectGraph
from tapeflow._src.checkpoint.values import (
    Values,
    in_graphs,
    load_in_session,
    read_values,
    restore_all,
)
from tapeflow._src.core import protos
from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.log import logger
from tapeflow._src.core.trackable import (
    Trackable,
    Waiting,
    children_in,
    is_tracked,
    replace_child,
    waiting_room,
)
from tapeflow._src.eager.variable import Variable


def stored_graph(reader: BundleReader) -> Any:
    """Return the object graph of a checkpoint."""
    if OBJECT_GRAPH_KEY not in reader.entries:
        raise ValueError(
            f"{reader.prefix} has no object graph: it was written by name, as TensorFlow 1 did. "
            f"Read it with tf.train.load_checkpoint and assign its variables by hand."
        )
    if reader.dtype(OBJECT_GRAPH_KEY) is not string or reader.shape(OBJECT_GRAPH_KEY):
        raise _data_loss(reader, "is not one string")
    data = reader.read(OBJECT_GRAPH_KEY).item()
    message = parsed(protos.TrackableObjectGraph, data, f"{reader.prefix}: {OBJECT_GRAPH_KEY}")
    count = len(message.nodes)
    if not count:
        raise _data_loss(reader, "has no objects")
    for number, node in enumerate(message.nodes):
        for child in node.children:
            if not 0 <= child.node_id < count:
                raise _data_loss(
                    reader,
                    f"has {count} objects, and number {number} refers to number {child.node_id} as "
                    f"{child.local_name!r}",
                )
    return message


def _data_loss(reader: BundleReader, reason: str) -> DataLossError:
    return DataLossError(
        None, None, f"{reader.prefix}: the object graph {OBJECT_GRAPH_KEY} {reason}."
    )


class StoredNode:
    """An object of a checkpoint as objects of the program see it (`core.trackable`)."""

    __slots__ = ("_nodes", "children", "number")

    def __init__(self, nodes: Any, number: int) -> None:
        self._nodes = nodes
        self.number = number
        self.children = {child.local_name: child.node_id for child in nodes[number].children}

    def child(self, name: str) -> StoredNode:
        """Return the child of that name."""
        return StoredNode(self._nodes, self.children[name])


class Restoration:
    """One checkpoint on its way into objects."""

    def __init__(self, reader: BundleReader) -> None:
        self.reader = reader
        self.objects: dict[int, Any] = {}
        self.expect_partial = False
        # Each object with all its numbers; referenced, so that its address is not reused.
        self._matched: dict[int, Any] = {}
        self.graph = stored_graph(reader)
        # What waits for a session to be restored in.
        self.pending: list[tuple[Variable, Values]] = []

    def start(self, root: Any, attached: dict[str, Any]) -> None:
        """Restore all that can be reached from `root` now."""
        try:
            self._place_all(root, 0, attached)
        except BaseException:
            self.expect_partial = True
            raise

    def place(self, value: Any, node: int) -> Any:
        """Restore `value` and its descendants; return it, or its wrapper."""
        return self._place_all(value, node, {})

    def has(self, value: Any) -> bool:
        """Whether an object is in the checkpoint."""
        return id(value) in self._matched

    def _place_all(self, value: Any, node: int, attached: dict[str, Any]) -> Any:
        matching = _Matching(self)
        # Objects outlive a function that creates them while it is traced, and so do their values.
        with init_scope():
            top = matching.walk(value, node, attached)
            matching.apply()
        self.objects.update(matching.objects)
        self._matched.update((id(bound), bound) for bound in matching.objects.values())
        return value if top is None else top

    # -- unmatched values --------------------------------------------------------------------

    def unused(self) -> list[int]:
        """Return the nodes that no object was matched with."""
        return [number for number in range(len(self.graph.nodes)) if number not in self.objects]

    def path(self, node: int) -> str:
        """Return the path to a node, as text."""
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
                "A tf.train.Checkpoint or an object restored from one is deleted while values of "
                "the checkpoint were never restored; they are listed below. If that is intended, "
                "call `expect_partial()` on the status that restore() returned."
            )
        for number in lost:
            logger.warning(
                "Not restored, no object asked for it: %s",
                self.path(number),
            )


class _Matching:
    """A walk through objects and nodes together, which changes nothing until it is applied."""

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration
        self._nodes = restoration.graph.nodes
        self.objects: dict[int, Any] = {}
        self._restored: list[tuple[Trackable, Values]] = []
        self._replaced: list[tuple[Any, str, Any]] = []
        self._awaited: list[tuple[Waiting, str, int]] = []

    def walk(self, value: Any, node: int, attached: dict[str, Any]) -> Any:
        """Match an object and all below it; returns as `_bind`."""
        top = self._bind(value, node, attached)
        waiting = [] if top is None else [(top, node, attached)]
        while waiting:
            parent, number, more = waiting.pop(0)
            children = {**children_in(parent, StoredNode(self._nodes, number)), **more}
            for reference in self._nodes[number].children:
                name, child = reference.local_name, children.get(reference.local_name)
                if child is None or not is_tracked(child):
                    continue
                bound = self._bind(child, reference.node_id, {})
                if bound is None:
                    continue
                if bound is not child:
                    self._replaced.append((parent, name, bound))
                waiting.append((bound, reference.node_id, {}))
        self._match_slots()
        return top

    def _match_slots(self) -> None:
        """Match what optimizers of Keras 2 keep for variables."""
        for number, value in list(self.objects.items()):
            for slot in self._nodes[number].slot_variables:
                variable = self.objects.get(slot.original_variable_node_id)
                if not isinstance(value, Trackable) or variable is None:
                    continue
                slot_variable = value._tpf_slot(slot.slot_name, variable)
                if slot_variable is not None and 0 <= slot.slot_variable_node_id < len(self._nodes):
                    self._bind(slot_variable, slot.slot_variable_node_id, {})

    def apply(self) -> None:
        """Restore the values, and have the rest waited for."""
        restore_all(self._restored)
        self._restoration.pending += in_graphs(self._restored)
        for parent, name, bound in self._replaced:
            replace_child(parent, name, bound)
        for room, name, node in self._awaited:
            room.add(name, self._restoration, node)

    def _bind(self, value: Any, node: int, attached: dict[str, Any]) -> Any:
        """Match an object with a node; returns it or its wrapper, or None if it was matched."""
        restored = self.objects.get(node, self._restoration.objects.get(node))
        if restored is not None:
            if restored is not value:
                logger.warning(
                    "The checkpoint has one object where the program has two: %s and %s. Only the "
                    "first of them is restored; in the saved program both were the same object.",
                    restored,
                    value,
                )
            return None
        present = {**children_in(value, StoredNode(self._nodes, node)), **attached}
        missing = [c for c in self._nodes[node].children if c.local_name not in present]
        if missing:
            value, room = waiting_room(value)
            if room is not None:
                self._awaited += [(room, c.local_name, c.node_id) for c in missing]
        self.objects[node] = value
        self._read_values(value, self._nodes[node])
        return value

    def _read_values(self, value: Any, node: Any) -> None:
        if not node.attributes or not isinstance(value, Trackable):
            return
        keys = {}
        for attribute in node.attributes:
            base = attribute.checkpoint_key.removesuffix(attribute.name)
            for name in value._serialize_to_tensors():
                if (value._tpf_checkpoint_attribute or name) == attribute.name:
                    keys[name] = base + name
        if keys:
            reader = self._restoration.reader
            self._restored.append((value, read_values(reader, value, keys)))


class LoadStatus:
    """The status of a restoration: which objects and values were matched."""

    def __init__(self, restoration: Restoration, root: Any, attached: dict[str, Any]) -> None:
        self._restoration = restoration
        self._root = root
        self._attached = attached

    def assert_consumed(self) -> LoadStatus:
        """Raise AssertionError unless all of the checkpoint and all objects were matched."""
        restoration = self._restoration
        for number in restoration.unused():
            keys = [a.checkpoint_key for a in restoration.graph.nodes[number].attributes]
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.path(number)}, with the values "
                f"{keys}: no object of the program has this path. Give the objects the names that "
                f"they were saved under (tf.train.list_variables(path) lists them), or accept "
                f"the difference: status.expect_partial()."
            )
        for number, value in restoration.objects.items():
            node = restoration.graph.nodes[number]
            if node.attributes and not _has_values(value):
                raise AssertionError(
                    f"{value!r} has no place for values of the checkpoint (unused, not restored): "
                    f"{[a.name for a in node.attributes]}"
                )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raise AssertionError unless all objects that have values were matched."""
        lost = [v for v in self._objects() if _has_values(v) and not self._restoration.has(v)]
        if lost:
            shown = lost[:10]
            raise AssertionError(
                f"{len(lost)} Python objects have no value in the checkpoint (unmatched): the "
                f"program differs from the one that saved it. The first {len(shown)}: {shown}. "
                f"tf.train.list_variables(path) lists what the checkpoint has; "
                f"status.expect_partial() accepts the difference."
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raise AssertionError unless something besides the root was matched."""
        if len(self._restoration.objects) <= 1 and len(self._objects()) > 1:
            raise AssertionError(
                "Nothing but the root object matches the checkpoint: it was saved by another "
                "program, or with other attribute names. Objects without a saved value: "
                f"{self._objects()[1:]}"
            )
        return self

    def expect_partial(self) -> LoadStatus:
        """Silence warnings about unused values of the checkpoint."""
        self._restoration.expect_partial = True
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restore the variables of a graph in a session, and initialize those without a value.

        Other values are restored at once, and nothing is left to do for them.
        """
        waiting = [v for v in self._objects() if isinstance(v, Variable) and v._declared]
        matched = {id(variable) for variable, _ in self._restoration.pending}
        initializers = [v.initializer for v in waiting if id(v) not in matched]
        if initializers:
            chosen = session_for(session, "initialize variables", "initialize_or_restore")
            chosen.run(initializers)
        self.run_restore_ops(session)

    def run_restore_ops(self, session: Any = None) -> None:
        """Restore the variables of a graph in a session; other values are restored at once."""
        load_in_session(self._restoration.pending, session)

    def _objects(self) -> list[Any]:
        graph = ObjectGraph(self._root, self._attached, strict=False)
        return [node.value for node in graph.nodes]


def _has_values(value: Any) -> bool:
    return isinstance(value, Trackable) and bool(value._serialize_to_tensors())


class InitializationOnlyStatus:
    """The status when there was no checkpoint to restore."""

    _REFUSAL = (
        "save_path is None (no checkpoint): there is nothing to restore, and nothing to assert."
    )

    def assert_consumed(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def assert_existing_objects_matched(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def assert_nontrivial_match(self) -> Any:
        raise AssertionError(self._REFUSAL)

    def expect_partial(self) -> InitializationOnlyStatus:
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do nothing: variables are initialised on creation."""

    def run_restore_ops(self, session: Any = None) -> Any:
        raise AssertionError(self._REFUSAL)
