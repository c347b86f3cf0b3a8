"""The name scope of a graph in which the gradient of an operation is computed.

Gradients of a tape are computed in `gradient_tape/` plus the scope of the operation; those of
`tf.gradients` in a scope that is named after the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.traits import OWN_SCOPE
from tapeflow._src.gradients.record import Gradients, Pull
from tapeflow._src.graph.names import base_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

# The names of these ops depend on how they were called: operators use lower case.
_NAMES_OF_SCOPES = frozenset(
    {"AvgPool2D", "AvgPool3D", "add", "and", "floordiv", "mod", "mul", "or", "strided_slice", "sub"}
)

ScopeOf = Callable[[Operation], str]


def tape_scope(node: Operation) -> str:
    """Return the scope for the gradient of an operation that a tape recorded."""
    if OWN_SCOPE in node.definition.traits or base_of(node.name) in _NAMES_OF_SCOPES:
        return f"gradient_tape/{node.name}/"
    return f"gradient_tape/{dispatch.state.name_scope}"


def named_scope(node: Operation) -> str:
    """Return the scope for the gradient of an operation of a graph that is differentiated."""
    return f"{node.name}_grad"


def in_scope(
    scope_of: ScopeOf, output: Any, pull: Pull, payload: tuple[Any, ...]
) -> tuple[Pull, tuple[Any, ...]]:
    """Return a record of the call that computed `output`, with its gradient in a name scope."""
    if not isinstance(output, SymbolicTensor):
        return pull, payload
    node = output.op
    source = node.source
    if source is not None:
        source = source._replace(note=source.note or f"gradient of {node.type}")
    return _pull_in_scope, (scope_of(node), source, pull, payload)


def _pull_in_scope(
    payload: Any, gradients: Gradients, needed: list[bool], tokens: Sequence[Any]
) -> Gradients:
    name, source, pull, inner = payload
    state = dispatch.state
    mode = state.mode
    graph = mode.graph
    if graph is None:
        return pull(inner, gradients, needed, tokens)
    outer, line = state.name_scope, mode.source
    # A context manager would take as long as many a gradient.
    state.name_scope = graph.names.scope(outer, name)
    # The line that made the operation says more than that of the call of `tape.gradient`.
    mode.source = source or line
    try:
        return pull(inner, gradients, needed, tokens)
    finally:
        state.name_scope, mode.source = outer, line
