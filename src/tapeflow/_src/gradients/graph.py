"""The gradient of a graph, as another graph: its operations are recorded and differentiated.

The backward graph is scoped inside the forward one: what it uses of the forward graph it captures,
and the forward graph returns that beside its own outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.infer import element_count
from tapeflow._src.core.traits import SHAPE_ONLY
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.custom import CustomPull
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.naming import named_scope
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.registration import registered
from tapeflow._src.gradients.token import token_of, tokens_of_results
from tapeflow._src.graph.body import attributes, bodies_of
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.common import identity


def recorded_ledger(
    graph: Graph, sources: Sequence[SymbolicTensor], stops: Sequence[Any] = ()
) -> Ledger:
    """Return a ledger of the operations of `graph`, as a tape that watches `sources` records them.

    Non-tensor residuals (shapes) are computed in the graph itself.
    """
    ledger = Ledger(watch_accessed=False, scope_of=named_scope)
    ledger.watched.update(token_of(t) for t in sources if t.dtype in DIFFERENTIABLE)
    stopped = {id(t._origin) for t in stops}
    with graph.as_default(), dispatch.use_recorders(()):
        for node in list(graph.nodes):
            if node.outputs and not (stopped and any(id(t) in stopped for t in node.outputs)):
                _write_down(ledger, node)
    return ledger


def _write_down(ledger: Ledger, node: Operation) -> None:
    gradient: CustomPull | None = node.attrs.get("_gradient")
    if gradient is None and node.notes and "_gradient_op_type" in node.notes:
        if ledger.takes(node.inputs):
            ledger.record_custom(_registered_pull(node), node.inputs, node.outputs)
        return
    if gradient is None:
        ledger.record(node.definition, node.operands, attributes(node), node.outputs)
        return
    results = node.outputs[: gradient.results]
    values, inputs = node.inputs[: gradient.results], node.inputs[gradient.results :]
    tokens_of_results(results)
    if ledger.takes(inputs):
        ledger.record_custom(gradient.pull, inputs, results)
    else:
        for value, result in zip(values, results, strict=True):
            ledger.record(identity, (value,), {}, (result,))


def _registered_pull(node: Operation) -> Callable[..., Any]:
    """Return the pull function of an operation that names a registered gradient."""
    value, kind = (node.notes or {})["_gradient_op_type"]
    gradient = registered(value if kind else value.s.decode())

    def pull(*gradients: Any) -> list[Any]:
        if gradient is None:
            raise LookupError(
                f"No gradient defined for operation {node.name!r} of type {node.type}: register "
                f"one with @tf.RegisterGradient({node.type!r})."
            )
        result = gradient(node, *gradients)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    return pull


class _Compiled(FuncGraph):
    """A backward graph that is compiled as a whole, and needs static sizes.

    Sizes that the forward graph computes would arrive as values, unknown to the compiler. They are
    recomputed here, from the tensors whose sizes they are.
    """

    def __init__(self, name: str, outer: Graph) -> None:
        super().__init__(name, outer=outer, part=True)
        self._sizes: dict[int, SymbolicTensor] = {}

    def capture(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return the input that stands for `tensor`; sizes are recomputed instead."""
        if not isinstance(tensor, SymbolicTensor) or not _is_size_arithmetic(tensor):
            return super().capture(tensor, name)
        cached = self._sizes.get(id(tensor))
        if cached is None:
            op = tensor.op
            with self.as_default(), dispatch.use_recorders(()):
                operands = [self._operand(value) for value in op.operands]
                result = op.definition(*operands, **attributes(op))
            cached = self.adopt(
                result if op.definition.single_output else result[tensor.value_index]
            )
            self._sizes[id(tensor)] = cached
        return cached

    def _operand(self, value: Any) -> Any:
        return tuple(map(self.adopt, value)) if type(value) is tuple else self.adopt(value)


_FEW_ROWS = 64
_STEPS = 8


def _is_size_arithmetic(tensor: SymbolicTensor, steps: int = _STEPS) -> bool:
    """Whether a tensor is a few integers, computed in a few steps from sizes and constants."""
    op = tensor.op
    if SHAPE_ONLY in op.definition.traits:
        return True
    count = element_count(tensor.static_shape)
    if (
        not tensor.dtype.is_integer
        or count is None
        or count > _FEW_ROWS
        or not op.inputs
        or not steps
    ):
        return False
    plain = op.definition.effect is None and not op.definition.host and not bodies_of(op)
    return plain and all(
        t.op.definition.is_constant or _is_size_arithmetic(t, steps - 1) for t in op.inputs
    )


class Backward:
    """The backward graph of a function: from gradients w.r.t. outputs to those w.r.t. inputs.

    `graph` has one argument for each of `seeded`, the forward outputs that have a gradient, then
    captures of the forward graph; `gradients` is the structure of its results: for each of the
    sources a tensor, IndexedSlices, or None. With `compiled` it computes sizes itself.
    """

    def __init__(
        self,
        forward: FuncGraph,
        outputs: Sequence[SymbolicTensor],
        sources: Sequence[SymbolicTensor],
        compiled: bool = False,
    ) -> None:
        self.forward = forward
        self.seeded = [i for i, t in enumerate(outputs) if t.dtype in DIFFERENTIABLE]
        name = f"gradient_of_{forward.name}"
        self.graph = (
            _Compiled(name, forward) if compiled else FuncGraph(name, outer=forward, part=True)
        )
        ledger = recorded_ledger(forward, sources)
        tokens = [token_of(t) for t in sources]
        with self.graph.as_default(), dispatch.use_recorders(()):
            seeds = []
            for i in self.seeded:
                target = outputs[i]
                argument = self.graph.argument(target.dtype, target.static_shape, f"gradient_{i}")
                seeds.append((token_of(target), argument))
            gradients = backpropagate(ledger, seeds, set(tokens), consume=True)
            ledger.clear()
            results = [gradients.get(token) for token in tokens]
            flat = nest.flatten(results, expand_composites=True)
            owned = [None if t is None else self.graph.adopt(t) for t in flat]
            self.gradients = nest.pack_sequence_as(results, owned, expand_composites=True)
        self.graph.outputs = [t for t in owned if t is not None]

    @property
    def intermediates(self) -> list[SymbolicTensor]:
        """The tensors of the forward graph that the backward graph needs."""
        return self.graph.external_captures

    def packed(self, values: Sequence[Any]) -> list[Any]:
        """Pack the results of running the graph as one gradient for each source."""
        remaining = iter(values)
        flat = nest.flatten(self.gradients, expand_composites=True)
        filled = [None if t is None else next(remaining) for t in flat]
        packed: list[Any] = nest.pack_sequence_as(self.gradients, filled, expand_composites=True)
        return packed
