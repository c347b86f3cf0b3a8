"""`Operation`: a node of a graph, which is one call of an op."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import Op
from tapeflow._src.core.source import Location
from tapeflow._src.graph.settings import groups_of
from tapeflow._src.graph.tensor import SymbolicTensor

if TYPE_CHECKING:
    from tapeflow._src.graph.graph import Graph

_op_defs = LazyModule("tapeflow._src.graph.op_defs")
_serialize = LazyModule("tapeflow._src.graph.serialize")


class Operation:
    """An op call in a graph.

    Args:
        graph: The graph that it belongs to.
        definition: The op's declaration.
        operands: The inputs as the op declares them: tensors, and tuples of tensors for lists.
        attrs: The attributes.
        name: The name.
        control_inputs: Operations that run before it.
        source: The user's line.
        device: The device.

    `notes` are annotations beside the op's attributes: values with their types, by name.

    Example:
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     total = tf.add(tf.constant(1), 2)
        >>> total.op.type, len(total.op.inputs)
        ('AddV2', 2)
    """

    # Libraries set attributes of their own on operations, in `__dict__`.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "attrs",
        "control_inputs",
        "definition",
        "device",
        "graph",
        "name",
        "notes",
        "operands",
        "outputs",
        "source",
    )

    def __init__(
        self,
        graph: Graph,
        definition: Op,
        operands: tuple[Any, ...],
        attrs: dict[str, Any],
        name: str,
        *,
        control_inputs: Iterable[Operation] = (),
        source: Location | None = None,
        device: str = "",
    ) -> None:
        self.graph = graph
        self.definition = definition
        self.operands = operands
        self.attrs = attrs
        self.name = name
        self.control_inputs = [*control_inputs]
        self.source = source
        self.device = device
        self.notes: dict[str, tuple[Any, str]] | None = None
        self.outputs: tuple[SymbolicTensor, ...] = ()

    @property
    def type(self) -> str:
        """The name of the op."""
        return self.definition.name

    @property
    def inputs(self) -> tuple[SymbolicTensor, ...]:
        """The input tensors, lists flattened."""
        if not self.definition.has_lists:
            return self.operands
        return tuple(chain.from_iterable(v if type(v) is tuple else (v,) for v in self.operands))

    @property
    def _control_outputs(self) -> tuple[Operation, ...]:
        """The operations that wait for this one; libraries traverse graphs with it."""
        return tuple(node for node in self.graph.nodes if self in node.control_inputs)

    @property
    def traceback(self) -> list[Any]:
        """The user's line, as a list of one frame summary."""
        if self.source is None:
            return []
        where = self.source
        return [(where.file, where.line, where.function, where.code())]

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Return the outputs."""
        return self.outputs

    @property
    def node_def(self) -> Any:
        """The operation as a NodeDef message."""
        return _serialize.node_def(self)

    @property
    def op_def(self) -> Any:
        """The op's signature as an OpDef message."""
        return _op_defs.op_def(self.type)

    def colocation_groups(self) -> list[bytes]:
        """Return the colocation groups, including this operation's own."""
        return groups_of(self)

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute, as a GraphDef holds it."""
        return _serialize.attribute(self, name)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it in `session` or in the default one.

        Args:
            feed_dict: Values of placeholders.
            session: The session; the default one by default.
        """
        task = f"execute operation {self.name}"
        session_for(session, task, "run").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)
