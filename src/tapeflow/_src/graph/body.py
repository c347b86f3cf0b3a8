"""`Body`: a function in the IR: a graph's inputs, and the outputs that are computed.

A `FuncGraph` only ever grows (its gradient may need more of it), so what runs, and what the
branches and loops of another graph hold, is a graph together with an immutable list of outputs: to
add outputs, create another body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow._src.graph.graph import FuncGraph
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor


class Body:
    """A graph from `inputs` to `outputs`. An output may be None: an undefined value."""

    __slots__ = ("batched", "effects", "graph", "inputs", "outputs", "program")

    def __init__(
        self,
        graph: FuncGraph,
        outputs: tuple[SymbolicTensor | None, ...] | None = None,
        inputs: tuple[SymbolicTensor, ...] | None = None,
        effects: bool = True,
    ) -> None:
        self.graph = graph
        # Whether operations also run for their effects, or for the outputs alone.
        self.effects = effects
        self.inputs = tuple(graph.inputs) if inputs is None else inputs
        self.outputs = tuple(graph.outputs) if outputs is None else outputs
        # Its executor, cached by an op that calls it repeatedly.
        self.program: Any = None
        # Executors for batches of inputs, by batch size.
        self.batched: dict[int, Any] = {}

    @property
    def name(self) -> str:
        return self.graph.name

    def nodes(self) -> list[Operation]:
        """Return the operations that must run, in program order: for an output, or for their
        effect.
        """
        needed = {id(t.op) for t in self.outputs if t is not None}
        effects = self.effects
        selected: list[Operation] = []
        for node in reversed(self.graph.nodes):
            if id(node) in needed or (effects and has_effect(node)):
                selected.append(node)
                for tensor in node.inputs:
                    needed.add(id(tensor.op))
                for other in node.control_inputs:
                    needed.add(id(other))
        selected.reverse()
        return selected

    @property
    def has_effect(self) -> bool:
        """Whether running it has effects."""
        return any(has_effect(node) for node in self.graph.nodes)

    @property
    def changes_state(self) -> bool:
        """Whether running it changes variables or tables."""
        return any(
            node.definition.effect == "writes" or any(b.changes_state for b in bodies_of(node))
            for node in self.graph.nodes
        )

    def __repr__(self) -> str:
        return f"<Body {self.name}: {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def embedded(graph: Any) -> list[tuple[Any, Any]]:
    """Return the tensors with values that a graph embeds as constants, with these constants."""
    return [pair for key, pair in graph._constants.items() if key not in graph._literals]


EFFECTS = frozenset({"writes", "io"})


def bodies_of(node: Operation) -> list[Body]:
    """Return the functions that an operation holds: branches, conditions and loop bodies."""
    bodies: list[Body] = []
    for value in node.attrs.values():
        if type(value) is Body:
            bodies.append(value)
        elif type(value) is tuple and value and type(value[0]) is Body:
            bodies.extend(value)
    return bodies


def has_effect(node: Operation) -> bool:
    """Whether an operation must run even if its results are unused."""
    op = node.definition
    if op.effect in EFFECTS:
        return True
    # Ops that hold functions have lists of inputs and of outputs.
    return op.outputs_are_list and any(body.has_effect for body in bodies_of(node))


def attributes(node: Operation) -> dict[str, Any]:
    """Return the attributes that the op's body takes: those with an underscore are annotations."""
    attrs = node.attrs
    for key in attrs:
        if key[0] == "_":
            return {k: v for k, v in attrs.items() if k[0] != "_"}
    return attrs
