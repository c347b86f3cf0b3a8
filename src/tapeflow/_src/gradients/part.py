"""The gradient of a part of a graph: of a branch or of the body of a loop.

It is traced into a graph of its own, which refers to values of the part. Those are not there when
it runs: each has to come in as an input, and whoever holds the part says how (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.traits import SHAPE_ONLY
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.graph import written_down
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import token_of
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.common import fill, shape_of, zeros_like

# A value known while tracing with at most so many elements is written out again.
_CONSTANT_SIZE = 1024


class PartGradient(FuncGraph):
    """The gradient of `body`, to which tensors of that are given as inputs when they are used.

    What it takes from elsewhere, values that belong to no graph, it captures.
    """

    def __init__(self, body: Body) -> None:
        super().__init__(f"gradient_of_{body.graph.name}", outer=body.graph)
        self.body = body
        # By the identity of the part's tensor: what stands for it here.
        self._fetched: dict[int, SymbolicTensor] = {}

    def own(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """`tensor` as a tensor of this graph; what belongs to the part is fetched."""
        if isinstance(tensor, SymbolicTensor) and tensor.op.graph is self.body.graph:
            return self._fetch(tensor._origin)
        return super().own(tensor, name)

    def capture(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """The input that stands for a tensor from outside, which the part itself may take in."""
        if isinstance(tensor, SymbolicTensor):
            return self._fetch(self.body.graph.own(tensor))
        return super().capture(tensor, name)

    def _fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        found = self._fetched.get(id(tensor))
        if found is None:
            with self.as_default(), dispatch.use_recorders(()):
                static = tensor._static
                if tensor.op.type == "Const":
                    found = self.constant(tensor.op.attrs["value"], tensor.dtype)
                elif static is not None and _is_small(static) and self._is_literal(tensor):
                    found = self.constant(static, tensor.dtype)
                elif _asks_one_shape(tensor.op) and self._at_hand(tensor.op.inputs[0]):
                    here = self._fetch(tensor.op.inputs[0])
                    found = tensor.op.definition(here, **attributes(tensor.op))
                else:
                    found = self.fetch(tensor)
            self._fetched[id(tensor)] = found
        return found

    def _is_literal(self, tensor: SymbolicTensor) -> bool:
        """Whether a value that is known may be written out: nobody differentiates by it.

        What the part was given may be a constant outside, by which gradients are taken again.
        """
        if tensor.dtype not in DIFFERENTIABLE:
            return True
        if tensor.op.type == "Placeholder":
            return False
        return all(self._is_literal(t) for t in tensor.op.inputs)

    def _at_hand(self, tensor: SymbolicTensor) -> bool:
        """Whether nothing more has to be kept for having a tensor of the part here."""
        return id(tensor) in self._fetched

    def fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """What stands here for a tensor of the part."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say where {tensor!r} comes from."
        )

    def taken_from_outside(self, tensor: SymbolicTensor) -> Any:
        """The tensor that an input of the part stands for which came after the part was made."""
        for outer, inner in self.body.graph.captures.values():
            if inner is tensor:
                return outer
        return None

    def pulled(
        self, seeds: Iterable[tuple[SymbolicTensor, Any]], sources: Sequence[SymbolicTensor]
    ) -> list[Any]:
        """The gradients of `sources` from those of other tensors of the part."""
        ledger = written_down(self.body.graph, sources)
        tokens = [token_of(t) for t in sources]
        with self.as_default(), dispatch.use_recorders(()):
            start = [(token_of(target), gradient) for target, gradient in seeds]
            found = backpropagate(ledger, start, set(tokens), consume=True)
        ledger.clear()
        return [found.get(token) for token in tokens]


def _is_small(static: Any) -> bool:
    return getattr(static, "size", _CONSTANT_SIZE + 1) <= _CONSTANT_SIZE and not hasattr(
        static, "value_dtype"
    )


def zeros_for(tensor: Any, dtype: dtypes.DType) -> Any:
    """The gradient of a tensor on which nothing depends. That of a variable has its value's dtype.

    dtype: of the gradients that the tensor has elsewhere.
    """
    if tensor.dtype is dtypes.variant:
        return zeros_like(tensor)
    return fill(shape_of(tensor), dispatch.convert(0, dtype))


def dependencies(body: Body) -> list[int]:
    """For each output, the inputs on which it depends differentiably, as bits."""
    bits: dict[int, int] = {}
    for place, tensor in enumerate(body.inputs):
        if tensor.dtype in DIFFERENTIABLE:
            bits[id(tensor)] = 1 << place
    for node in body.nodes():
        if node.definition.gradient_rule is None:
            continue
        found = 0
        for tensor in node.inputs:
            found |= bits.get(id(tensor), 0)
        if found:
            for tensor in node.outputs:
                if tensor.dtype in DIFFERENTIABLE:
                    bits[id(tensor)] = found
    return [0 if t is None else bits.get(id(t), 0) for t in body.outputs]


def _asks_one_shape(node: Operation) -> bool:
    """Whether an operation is computed again, rather than kept, where its one input is at hand."""
    return SHAPE_ONLY in node.definition.traits and node.definition.kinds == ("Free",)
