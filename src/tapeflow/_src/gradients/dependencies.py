"""Which outputs of a body depend differentiably on which of its inputs."""

from __future__ import annotations

from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.graph.body import Body


def dependencies(body: Body) -> list[int]:
    """Return, for each output, the inputs on which it depends differentiably, as bits."""
    bits: dict[int, int] = {}
    for index, tensor in enumerate(body.inputs):
        if tensor.dtype in DIFFERENTIABLE:
            bits[id(tensor)] = 1 << index
    for node in body.nodes():
        if node.definition.gradient_rule is None:
            continue
        reached = 0
        for tensor in node.inputs:
            reached |= bits.get(id(tensor), 0)
        if reached:
            for tensor in node.outputs:
                if tensor.dtype in DIFFERENTIABLE:
                    bits[id(tensor)] = reached
    return [0 if t is None else bits.get(id(t), 0) for t in body.outputs]
