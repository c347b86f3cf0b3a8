"""Loops as functions of their own, which count their iterations and stop at a limit.

Such a function takes the loop variables as they are between two iterations, the count and the
limit, and returns the loop variables and the count. Whoever calls it can go on from there.
"""

from __future__ import annotations

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.spec import Spec
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.graph.nodes import const
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.logical import logical_and

_COUNT = Spec((), dtypes.int64)
_TRUTH = Spec((), dtypes.bool)


def counted_loop(node: Operation) -> Body:
    """Return the function `(*loop variables, count, limit) -> (*loop variables, count)`."""
    cond, body = _condition(node.attrs["cond"]), _iteration(node.attrs["body"])
    graph = FuncGraph(f"{node.name}_loop", None)
    inner = node.attrs["body"]
    arguments = _arguments(graph, inner)
    for argument, tensor, before, after in zip(arguments, node.inputs, inner.inputs, inner.outputs):
        if before is after:
            argument.static_value = tensor.static_value  # type: ignore[misc]
    specs = [Spec(t.static_shape, t.dtype) for t in arguments]
    attrs = {**node.attrs, "cond": cond, "body": body}
    loop = graph.add(node.definition, (tuple(arguments),), attrs, specs, None, node.source)
    return Body(graph, loop.outputs[:-1], tuple(arguments))


def _condition(cond: Body) -> Body:
    """Return the condition that the limit is not reached and `cond` holds."""
    graph = FuncGraph(cond.name, None)
    arguments = _arguments(graph, cond)
    (goes_on,) = _copied(graph, cond, arguments)
    *_, count, limit = arguments
    more = graph.add(less, (count, limit), {}, [_TRUTH]).outputs[0]
    both = graph.add(logical_and, (goes_on, more), {}, [_TRUTH]).outputs[0]
    return Body(graph, (both,), tuple(arguments))


def _iteration(body: Body) -> Body:
    """Return `body`, which counts."""
    graph = FuncGraph(body.name, None)
    arguments = _arguments(graph, body)
    results = _copied(graph, body, arguments)
    *_, count, limit = arguments
    value = np.array(1, np.int64)
    attrs = {"value": value, "dtype": dtypes.int64}
    one = graph.add(const, (), attrs, [Spec((), dtypes.int64, value)]).outputs[0]
    following = graph.add(add_v2, (count, one), {}, [_COUNT]).outputs[0]
    return Body(graph, (*results, following, limit), tuple(arguments))


def _arguments(graph: FuncGraph, body: Body) -> list[SymbolicTensor]:
    """Add the inputs of `body`, the count and the limit as arguments."""
    arguments = []
    for tensor in body.inputs:
        argument = graph.argument(tensor.dtype, tensor.static_shape, tensor.op.name)
        argument.static_value = tensor.static_value  # type: ignore[misc]
        arguments.append(argument)
    return [*arguments, *(graph.argument(dtypes.int64, (), name) for name in ("count", "limit"))]


def _copied(
    graph: FuncGraph, body: Body, arguments: list[SymbolicTensor]
) -> list[SymbolicTensor | None]:
    """Copy the operations of `body`, and return its outputs."""
    copies = {id(old): new for old, new in zip(body.inputs, arguments)}
    for node in body.nodes():
        if node.definition.is_argument:
            continue
        operands = tuple(
            tuple(copies[id(t)] for t in operand) if type(operand) is tuple else copies[id(operand)]
            for operand in node.operands
        )
        specs = [Spec(t.static_shape, t.dtype, t.static_value) for t in node.outputs]
        new = graph.add(node.definition, operands, node.attrs, specs, node.name, node.source)
        copies.update((id(old), tensor) for old, tensor in zip(node.outputs, new.outputs))
    return [None if t is None else copies[id(t)] for t in body.outputs]
