"""Settings that a graph applies to new operations: device, colocation, gradient overrides.

Blocks such as `with graph.colocate_with(op):` apply to the current thread. A graph that does not
use them does not pay for them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import devices, dispatch, protos
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.version import GRAPH_DEF_VERSION
from tapeflow._src.graph.xla_context import XlaContext

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation

_op_defs = LazyModule("tapeflow._src.graph.op_defs")


class _Blocks(threading.local):
    """The blocks that a thread is in."""

    def __init__(self) -> None:
        self.colocation: tuple[Operation, ...] = ()
        self.gradients: dict[str, str] = {}
        self.container = ""
        self.devices: tuple[Callable[[Operation], Any], ...] = ()
        # For a graph that is not being built: the thread knows the device of the one that is.
        self.device = ""

    def apply(self, node: Operation) -> None:
        """Annotate a new operation with the settings of the blocks."""
        notes: dict[str, tuple[Any, str]] = {}
        if self.colocation:
            groups = {group: None for other in self.colocation for group in groups_of(other)}
            notes["_class"] = (sorted(groups), "list(string)")
            node.device = self.colocation[-1].device or node.device
        if node.type in self.gradients:
            notes["_gradient_op_type"] = (self.gradients[node.type], "string")
        if self.container and not node.attrs.get("container", self.container):
            node.attrs = {**node.attrs, "container": self.container}
        for choose in reversed(self.devices):
            chosen = choose(node)
            if chosen:
                outer = devices.parse(node.device)
                node.device = outer.make_merged_spec(devices.parse(chosen)).to_string()
        if notes:
            node.notes = {**(node.notes or {}), **notes}


def groups_of(node: Operation) -> list[bytes]:
    """Return the colocation groups of an operation: explicit ones, or its own."""
    value, kind = (node.notes or {}).get("_class", ((), "list(string)"))
    names = value if kind else value.list.s
    return list(names) or [f"loc:@{node.name}".encode()]


class Settings:
    """The part of `Graph` that holds settings for operations."""

    nodes: list[Operation]
    _collections: dict[Any, list[Any]]

    def __init__(self) -> None:
        self._blocks: _Blocks | None = None
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()
        self._control_flow_context: XlaContext | None = None

    def _get_control_flow_context(self) -> XlaContext | None:
        return self._control_flow_context

    def _writable_blocks(self) -> _Blocks:
        if self._blocks is None:
            self._blocks = _Blocks()
        return self._blocks

    @contextmanager
    def _block(self, **settings: Any) -> Iterator[None]:
        blocks = self._writable_blocks()
        before = {name: getattr(blocks, name) for name in settings}
        for name, value in settings.items():
            setattr(blocks, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(blocks, name, value)

    # -- blocks ------------------------------------------------------------------------------

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Run operations of the block on that device; a function chooses one for each of them.

        Args:
            device_name_or_function: A name, or a function of an operation.
        """
        if callable(device_name_or_function):
            chosen = () if self._blocks is None else self._blocks.devices
            with self._block(devices=(*chosen, device_name_or_function)):
                yield
            return
        being_built = dispatch.current_graph() is self
        holder: Any = dispatch.state if being_built else self._writable_blocks()
        outer, name = holder.device, ""
        if device_name_or_function:
            inner = devices.parse(device_name_or_function)
            name = devices.parse(outer).make_merged_spec(inner).to_string()
        holder.device = name
        try:
            yield
        finally:
            nested = holder.device == name
            if nested:
                holder.device = outer
        if not nested:
            raise RuntimeError(
                "Device scopes must be left in the reverse order of entering them; use `with "
                "tf.device(...)`."
            )

    def _apply_device_functions(self, op: Any) -> None:
        """Set the device of `op`, a stand-in for a new operation, as the blocks choose it."""
        blocks = self._blocks
        if dispatch.current_graph() is self:
            name = dispatch.state.device
        else:
            name = "" if blocks is None else blocks.device
        if name:
            op._set_device_from_string(name)
        for choose in reversed(() if blocks is None else blocks.devices):
            chosen = choose(op)
            if chosen:
                merged = devices.parse(name).make_merged_spec(devices.parse(chosen))
                op._set_device_from_string(name := merged.to_string())

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Place operations of the block where `op` is.

        Args:
            op: An operation or tensor; None removes outer blocks.
            ignore_existing: Whether outer blocks are ignored.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "colocate_with(None) removes the colocation of outer scopes: pass "
                "ignore_existing=True with it."
            )
        node = getattr(op, "op", op)
        before = () if ignore_existing or self._blocks is None else self._blocks.colocation
        with self._block(colocation=before if node is None else (*before, node)):
            yield

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keep variables, queues and tables of the block in a container of that name.

        Args:
            container_name: The name.
        """
        with self._block(container=container_name):
            yield container_name

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Map op names to registered gradients for operations of the block.

        Used when the graph itself is differentiated, by `tf.gradients` or around a call of its
        function; a tape that watches the ops as they are traced uses their own gradients.

        Args:
            op_type_map: A dict from op names to names that `tf.RegisterGradient` registered.
        """
        if not isinstance(op_type_map, dict) or not all(
            isinstance(text, str) for pair in op_type_map.items() for text in pair
        ):
            raise TypeError(
                "op_type_map must be a dict from op types to gradient names, all of them strings, "
                f"received {op_type_map!r}."
            )
        before = {} if self._blocks is None else self._blocks.gradients
        with self._block(gradients={**before, **op_type_map}):
            yield

    def switch_to_thread_local(self) -> None:
        """Do nothing: blocks are always thread-local."""

    # -- sessions ----------------------------------------------------------------------------

    def is_feedable(self, tensor: Any) -> bool:
        """Return whether a session may feed `tensor`.

        Args:
            tensor: A tensor of this graph.
        """
        return id(tensor._origin) not in self._unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Refuse to feed `tensor` in sessions.

        Args:
            tensor: A tensor of this graph.
        """
        self._unfeedable.add(id(tensor._origin))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Return whether a session may fetch it.

        Args:
            tensor_or_op: A tensor or operation of this graph.
        """
        return id(getattr(tensor_or_op, "op", tensor_or_op)) not in self._unfetchable

    def prevent_fetching(self, op: Any) -> None:
        """Refuse to fetch `op` or its outputs in sessions.

        Args:
            op: An operation of this graph.
        """
        self._unfetchable.add(id(op))

    # -- properties --------------------------------------------------------------------------

    @property
    def operations(self) -> list[Operation]:
        """The operations, in program order."""
        return list(self.nodes)

    def num_operations(self) -> int:
        """Return the number of operations."""
        return len(self.nodes)

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    @property
    def graph_def_versions(self) -> Any:
        """The version of the format, as a VersionDef message."""
        return protos.VersionDef(producer=GRAPH_DEF_VERSION)

    def op_def_for_type(self, type: str) -> Any:
        """Return the signature of an op, as an OpDef message.

        Args:
            type: The name of the op.
        """
        definition = _op_defs.op_def(type)
        if definition is None:
            raise RuntimeError(f"Op type not registered {type!r}: it is no op of TensorFlow 2.21.")
        return definition
