"""Which operations of a graph XLA can run, and why it cannot run the others.

Compiled code is specialised to shapes, so whatever follows from shapes and constants alone is known
at compile time. Inputs that determine shapes (`Static`) must be of that sort; strings, printing and
results whose shape depends on values stay with the interpreter. This file knows nothing of JAX.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.dtypes import string as string_dtype
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.traits import LENGTH_ONLY, SHAPE_ONLY
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.lists import compiled as _compiled_lists  # noqa: F401  registers kernels

# Ops whose results follow from the shapes of tensors and the lengths of lists.
_STATIC_FROM_SHAPES = frozenset({SHAPE_ONLY, LENGTH_ONLY})
_HANDLE_KINDS = frozenset({"Resource", "Variant"})
STATIC = frozenset({"Static", "StaticT"})
# Compiled code is not specialised to a value of these.
_NEVER_CONSTANT = frozenset({resource_dtype, string_dtype, variant_dtype})


NOTHING: Mapping[int, str] = MappingProxyType({})


class Refusal(NamedTuple):
    """An operation that XLA cannot run."""

    node: Operation
    reason: str
    # Whether it runs on the host whatever is known of its inputs.
    host: bool = False

    def __str__(self) -> str:
        return f"{self.node.name} ({self.node.type}): {self.reason}"


class Analysis:
    """The analysis of a body before it is compiled: `refusals` holds what XLA cannot run.

    known: inputs whose value follows from shapes and constants. refused: operations, by identity,
    that failed to compile, and why. exact: operations, by identity, that failed to compile
    because they need the values of all inputs that decide shapes.
    """

    def __init__(
        self,
        body: Body,
        static: Iterable[SymbolicTensor] = (),
        refused: Mapping[int, str] = NOTHING,
        exact: Collection[int] = (),
    ) -> None:
        self.refusals: list[Refusal] = []
        self._exact = exact
        self._refused = refused
        self._static = {id(t) for t in static}
        for node in body.nodes():
            self._look_at(node)

    def knows(self, tensor: SymbolicTensor) -> bool:
        """Whether the value of `tensor` follows from shapes and constants."""
        return id(tensor) in self._static or _is_constant(tensor)

    def _look_at(self, node: Operation) -> None:
        inner = bodies_of(node)
        if id(node) in self._refused:
            self.refusals.append(Refusal(node, self._refused[id(node)]))
        elif inner and not node.definition.host:
            self._look_into(node, inner)
        elif node.definition.traits & _STATIC_FROM_SHAPES or self._can_be_computed(node):
            self._static.update(map(id, node.outputs))
        else:
            reason = self._reason(node)
            if reason is not None:
                self.refusals.append(Refusal(node, reason, bool(node.definition.host)))

    def _can_be_computed(self, node: Operation) -> bool:
        """Whether the results follow from known values."""
        if node.definition.effect is not None or node.definition.is_argument:
            return False
        if any(t.dtype is variant_dtype for t in chain(node.inputs, node.outputs)):
            return False
        return all(map(self.knows, node.inputs))

    def _reason(self, node: Operation) -> str | None:
        op = node.definition
        if op.host:
            return op.host
        computed = () if id(node) in self._exact else op.computed
        for operand, kind, name in zip(node.operands, op.kinds, op.input_names, strict=True):
            if kind in STATIC and name not in computed and not self.knows(operand):
                return f"{name} must be known when it is compiled, and is computed from values"
        if any(
            t.dtype is string_dtype and not self.knows(t) for t in (*node.inputs, *node.outputs)
        ):
            return "strings"
        if not _HANDLE_KINDS.isdisjoint(op.kinds) and "jax" not in op.kernels:
            return "it has no form for compiled code"
        return None

    def _look_into(self, node: Operation, bodies: list[Body]) -> None:
        """Check branches and loops: they are compiled if everything in them can be."""
        operands = node.inputs if node.definition.is_loop else node.inputs[1:]
        unchanged = [True] * len(operands)
        if node.definition.is_loop:
            body = node.attrs["body"]
            unchanged = [out is before for out, before in zip(body.outputs, body.inputs)]
        analyses = []
        for inner in bodies:
            static = [
                tensor
                for tensor, operand, same in zip(inner.inputs, operands, unchanged)
                if same and self.knows(operand)
            ]
            analysis = Analysis(inner, static, self._refused, self._exact)
            if analysis.refusals:
                on_host = any(refusal.host for refusal in analysis.refusals)
                reason = f"it contains {analysis.refusals[0]}"
                self.refusals.append(Refusal(node, reason, on_host))
                return
            analyses.append(analysis)
        if node.definition.is_loop:
            known_after = [same and self.knows(t) for t, same in zip(operands, unchanged)]
        else:
            # Not certain: the branches may compute different values.
            results = zip(*(inner.outputs for inner in bodies), strict=True)
            known_after = [
                all(t is not None and analysis.knows(t) for analysis, t in zip(analyses, values))
                for values in results
            ]
        self._static.update(id(t) for t, static in zip(node.outputs, known_after) if static)


def _is_constant(tensor: Any) -> bool:
    return tensor.static_value is not None and hasattr(tensor.static_value, "tobytes")


def cannot(body: Body) -> list[Refusal]:
    """Return the operations of `body` that XLA cannot run, and why."""
    return Analysis(body).refusals


def compile_time_constants(body: Body, exact: Collection[int] = ()) -> tuple[int, ...] | None:
    """Return the positions of the inputs that decide shapes, so that the rest compiles.

    None if no values of inputs suffice, or if there are operations of the host: these take data,
    and compiling for each value of that would cost far more than running them. No position can
    be left out. `exact` is as in `Analysis`.
    """
    if any(refusal.host for refusal in cannot(body)):
        return None
    candidates = [i for i, t in enumerate(body.inputs) if t.dtype not in _NEVER_CONSTANT]

    def suffices(positions: Iterable[int]) -> bool:
        static = [body.inputs[i] for i in positions]
        return not Analysis(body, static, exact=exact).refusals

    if not suffices(candidates):
        return None
    for i in tuple(candidates):
        others = [each for each in candidates if each != i]
        if suffices(others):
            candidates = others
    return tuple(candidates)
