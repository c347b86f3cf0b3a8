"""The gradient of a subgraph: of a branch or of the body of a loop.

It is traced into a graph of its own, which refers to values of the subgraph. These do not exist
when it runs: each comes in as an input, and subclasses define how (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.traits import SHAPE_ONLY
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.graph import recorded_ledger
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import token_of
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.common import fill, shape_of, zeros_like

# A static value of at most this many elements is embedded as a constant.
_CONSTANT_SIZE = 1024


class PartGradient(FuncGraph):
    """The gradient of `body`, whose tensors become inputs when they are used.

    External values, which belong to no graph, are captured.
    """

    def __init__(self, body: Body) -> None:
        super().__init__(f"gradient_of_{body.graph.name}", outer=body.graph)
        self.body = body
        # By the identity of the subgraph's tensor: its stand-in here.
        self._fetched: dict[int, SymbolicTensor] = {}

    def adopt(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return `tensor` as a tensor of this graph; tensors of the subgraph are fetched."""
        if isinstance(tensor, SymbolicTensor) and tensor.op.graph is self.body.graph:
            return self._fetch(tensor._origin)
        return super().adopt(tensor, name)

    def capture(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """Return the input for a tensor from outside, which the subgraph itself may capture."""
        if isinstance(tensor, SymbolicTensor):
            return self._fetch(self.body.graph.adopt(tensor))
        return super().capture(tensor, name)

    def _fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        cached = self._fetched.get(id(tensor))
        if cached is None:
            with self.as_default(), dispatch.use_recorders(()):
                static = tensor.static_value
                if tensor.op.definition.is_constant:
                    cached = self.constant(tensor.op.attrs["value"], tensor.dtype)
                elif static is not None and _is_small(static) and self._is_literal(tensor):
                    cached = self.constant(static, tensor.dtype)
                elif _is_recomputable_shape(tensor.op) and self._is_available(tensor.op.inputs[0]):
                    here = self._fetch(tensor.op.inputs[0])
                    cached = tensor.op.definition(here, **attributes(tensor.op))
                else:
                    cached = self.fetch(tensor)
            self._fetched[id(tensor)] = cached
        return cached

    def _is_literal(self, tensor: SymbolicTensor) -> bool:
        """Whether a static value may be embedded: nothing is differentiated with respect to it.

        Inputs of the subgraph may be constants outside, and sources of a second differentiation.
        """
        if tensor.dtype not in DIFFERENTIABLE:
            return True
        if tensor.op.definition.is_argument:
            return False
        return all(self._is_literal(t) for t in tensor.op.inputs)

    def _is_available(self, tensor: SymbolicTensor) -> bool:
        """Whether a tensor of the subgraph is available without saving more."""
        return id(tensor) in self._fetched

    def fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return the stand-in for a tensor of the subgraph."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say where {tensor!r} comes from."
        )

    def external_source(self, tensor: SymbolicTensor) -> Any:
        """Return the external tensor of an input that was added after the subgraph was traced."""
        for outer, inner in self.body.graph.captures.values():
            if inner is tensor:
                return outer
        return None

    def pulled(
        self, seeds: Iterable[tuple[SymbolicTensor, Any]], sources: Sequence[SymbolicTensor]
    ) -> list[Any]:
        """Compute the gradients w.r.t. `sources` from those of other tensors of the subgraph."""
        ledger = recorded_ledger(self.body.graph, sources)
        tokens = [token_of(t) for t in sources]
        with self.as_default(), dispatch.use_recorders(()):
            start = [(token_of(target), gradient) for target, gradient in seeds]
            gradients = backpropagate(ledger, start, set(tokens), consume=True)
        ledger.clear()
        return [gradients.get(token) for token in tokens]


def _is_small(static: Any) -> bool:
    return getattr(static, "size", _CONSTANT_SIZE + 1) <= _CONSTANT_SIZE and not hasattr(
        static, "value_dtype"
    )


def zeros_for(tensor: Any, dtype: dtypes.DType) -> Any:
    """Return zeros for a tensor on which nothing depends; for a variable, of its value's dtype.

    dtype: that of the tensor's other gradients.
    """
    if tensor.dtype is dtypes.variant:
        return zeros_like(tensor)
    return fill(shape_of(tensor), dispatch.convert(0, dtype))


def _is_recomputable_shape(node: Operation) -> bool:
    """Whether an operation is recomputed rather than saved if its only input is available."""
    return SHAPE_ONLY in node.definition.traits and node.definition.kinds == ("Free",)
