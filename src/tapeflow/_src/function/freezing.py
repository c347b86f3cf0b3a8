"""Freezing: embed the current values of a traced function's variables as constants."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.function_type import POSITIONAL_OR_KEYWORD, FunctionType, as_name
from tapeflow._src.function.signature import ConcreteSignature
from tapeflow._src.function.value_types import from_value
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.graph import FuncGraph

passes = LazyModule("tapeflow._src.passes.freezing", "frozen functions")


def frozen(concrete: ConcreteFunction, lower_control_flow: bool = True) -> ConcreteFunction:
    """Return a function with the values that `concrete` captures as constants.

    It takes the tensors of the arguments one by one, and returns a list. Handles of tables and
    other resources stay captured: they have no value that a graph could hold.

    Args:
        concrete: It is left as it is.
        lower_control_flow: Write branches and loops of the graph's GraphDef as `Switch`, `Merge`
            and frames, instead of `If` and `While` with functions.

    Raises:
        ValueError: the function assigns to a variable.
    """
    graph = concrete.graph
    captured = concrete.captured_inputs
    count = len(concrete.inputs) - len(captured)
    values = [None] * count + [tensor.static_value for tensor in captured]
    body, remaining = passes.freeze(Body(graph), values)
    handles = [captured[index - count] for index in remaining[count:]]
    result = _concrete(body, handles, concrete)
    result.graph.lowers_control_flow = lower_control_flow
    return result


def _concrete(body: Body, handles: list[Any], original: ConcreteFunction) -> ConcreteFunction:
    """Return a function that runs `body`, whose last inputs stand for these handles."""
    graph = body.graph
    count = len(body.inputs) - len(handles)
    arguments = graph.arguments = list(body.inputs[:count])
    inner = body.inputs[count:]
    graph.captures = {id(h): (h, t) for h, t in zip(handles, inner, strict=True)}
    graph.structured_outputs = list(graph.outputs)
    _reopen(graph)
    names = original.signature.flat_names if original.signature is not None else ()
    called = names if len(names) == count else [as_name(t.op.name) for t in arguments]
    types = FunctionType.of(
        [
            (name, POSITIONAL_OR_KEYWORD, TensorSpec(t.shape, t.dtype, name))
            for name, t in zip(called, arguments, strict=True)
        ],
        from_value(graph.structured_outputs),
    )
    graph.structured_input_signature = types.structured()
    return ConcreteFunction(graph, (), ConcreteSignature(types, graph.name))


def _reopen(graph: FuncGraph) -> None:
    """Make a graph that a pass has produced extensible by gradients."""
    graph.finalized = False
    for node in graph.nodes:
        graph.names.unique(node.name)
        for body in bodies_of(node):
            _reopen(body.graph)
