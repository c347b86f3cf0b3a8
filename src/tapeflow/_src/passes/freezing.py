"""Freezing: captured tensors and the values of variables that a body reads become constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.core.resource import Cell
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.legacy.variables import resource_gather_nd
from tapeflow._src.ops.state.slices import resource_gather
from tapeflow._src.ops.state.variables import current, read_variable, variable_shape
from tapeflow._src.passes import structures
from tapeflow._src.passes.facts import HANDLES
from tapeflow._src.passes.rewriting import Call, LocalPass, Results, Rewrite, Rule, Rules


def freeze(body: Body, values: Sequence[Any]) -> tuple[Body, list[int]]:
    """Return `body` without the inputs whose values become constants, and the remaining ones.

    Args:
        body: It is left as it is.
        values: For each input, the array that stands for it or the cell of the variable whose
            handle it is; None for an argument.

    Raises:
        ValueError: the body does more with one of the variables than read it.
    """
    root = Rewrite(_RULES, body.graph)
    inputs: dict[int, Any] = {}
    cells: dict[int, Any] = {}
    for index, (old, value) in enumerate(zip(body.inputs, values, strict=True)):
        if value is None or old.dtype in HANDLES:
            new = root.input(old)
            new.op.notes = old.op.notes
            inputs[index] = new
            if isinstance(value, Cell):
                cells[id(new)] = value
        else:
            new = root.constant(value, old.dtype, old.op)
        root.of[id(old)] = new
    outputs = root.walk(body)
    used = {id(tensor) for node in root.graph.nodes for tensor in node.inputs}
    for tensor in inputs.values():
        if id(tensor) in used and id(tensor) in cells:
            raise _not_only_read(cells[id(tensor)], root.graph.nodes, tensor)
    remaining = [index for index, tensor in inputs.items() if id(tensor) not in cells]
    return root.finish(outputs, [inputs[index] for index in remaining], body.effects), remaining


def _not_only_read(cell: Any, nodes: Sequence[Operation], handle: Any) -> ValueError:
    takers = [node for node in nodes if any(t is handle for t in node.inputs)]
    writers = ", ".join(f"{node.name!r} ({_writers(node)})" for node in takers)
    return ValueError(
        f"The variable {cell.name!r} cannot become a constant: expected operations that only read "
        f"it, received {writers}. Freeze a function that does not assign to its variables."
    )


def _writers(node: Operation) -> str:
    """Return the ops of a node that change variables, including those of branches and loops."""
    inside = [inner for body in bodies_of(node) for inner in body.graph.nodes]
    written = sorted({n.type for n in inside if n.definition.effect == "writes"})
    return f"{node.type} with {', '.join(written)}" if written else node.type


# -- rules -------------------------------------------------------------------------------------


def _value(at: Rewrite, call: Call) -> Any:
    """Return the value of the variable behind a handle as a constant; None if unknown."""
    cell = call.operands[0].static_value
    if not isinstance(cell, Cell):
        return None
    return at.constant(current(cell), cell.value_dtype, call.node)


def _read(at: Rewrite, call: Call) -> Results | None:
    value = _value(at, call)
    return None if value is None else [value]


def _gather(at: Rewrite, call: Call) -> Results | None:
    value = _value(at, call)
    if value is None:
        return None
    axis = at.constant(np.array(0, np.int32), dtypes.int32, call.node)
    return at.make(gather_v2, (value, call.operands[1], axis), {"batch_dims": 0}, call)


def _gather_nd(at: Rewrite, call: Call) -> Results | None:
    value = _value(at, call)
    return None if value is None else at.make(gather_nd, (value, call.operands[1]), {}, call)


def _shape(at: Rewrite, call: Call) -> Results | None:
    value = _value(at, call)
    if value is None:
        return None
    dtype = dtypes.as_dtype(call.attrs["out_type"])
    return [at.constant(np.array(value.static_value.shape, dtype.np), dtype, call.node)]


_READERS: dict[Op, tuple[Rule, ...]] = {
    read_variable: (_read,),
    resource_gather: (_gather,),
    resource_gather_nd: (_gather_nd,),
    variable_shape: (_shape,),
}


def rules(op: Op) -> tuple[Rule, ...]:
    return _READERS.get(op, ())


_RULES = Rules([LocalPass("freezing", rules)], structures.copy)
