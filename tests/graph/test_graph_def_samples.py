"""What must hold for every op: written as a GraphDef and read back, a call gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow._src.core.registry import OPS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.op_defs import signature_of
from tests.graph.roundtrip import imported, parsed, run
from tests.ops.graph_side import TracedCall
from tests.ops.harness import Sample
from tests.ops.running import SAMPLES, as_list, flat, of_each_op, readonly

# Ops of our own: passes make them when a graph is about to run, or layers use another form when
# they are traced for a file. No file has them.
OUR_OWN = frozenset(name for name in OPS if name.startswith("_"))
WRITTEN = [sample for sample in SAMPLES if sample.op not in OUR_OWN]


def traced_sample(sample: Sample, blank: str = "nothing") -> tuple[Any, list[Any]]:
    """The graph of a sample's call, and the arrays it takes."""
    op = OPS[sample.op]
    inputs = [readonly(value) for value in sample.inputs]
    call = TracedCall(op, inputs, blank, lambda *given: as_list(op(*given, **sample.attrs)))
    free = [v for v, k in zip(inputs, op.kinds) if blank == "values" or not k.startswith("Static")]
    return call.concrete.graph, flat(free)


# TensorFlow shows the signatures of all but those that it makes while it compiles.
@pytest.mark.parametrize("name", sorted(set(OPS) - {"XlaLaunch"} - OUR_OWN))
def test_every_op_is_one_of_tensorflows(name: str) -> None:
    op, signature = OPS[name], signature_of(name)
    assert signature is not None
    assert len(op.input_names) == len(signature.inputs)
    lists = [kind.startswith("Many") for kind in op.kinds]
    assert lists == [argument.is_list for argument in signature.inputs]


@of_each_op(WRITTEN, always=1)
def test_a_graph_comes_back(sample: Sample) -> None:
    graph, arrays = traced_sample(sample)
    copy = imported(graph)
    again = [n for n in copy.graph.nodes if n.type == sample.op][-1]
    first = [n for n in graph.nodes if n.type == sample.op][-1]
    assert [(t.dtype, t.shape) for t in again.outputs] == [
        (t.dtype, t.shape) for t in first.outputs
    ]
    again_written = {node.name: node for node in parsed(copy.graph).node}
    assert all(again_written[node.name] == node for node in parsed(graph).node)
    if OPS[sample.op].effect is not None:
        return
    for ours, theirs in zip(run(copy, arrays), run(Body(graph), arrays), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
