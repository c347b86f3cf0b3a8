"""Small graphs to put through passes: how they are traced, and run, and what is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.passes import pipeline
from tapeflow._src.passes.verify import verify

BY_NAME = {one.name: one for one in pipeline.PASSES}


class Traced:
    """A function as a body, with what it takes from outside, and the variables it changes."""

    def __init__(self, function: Callable[..., Any], *specs: Any) -> None:
        graph = FuncGraph("f")
        with graph.as_default():
            arguments = [
                graph.argument(tf.as_dtype(dtype), dims, f"x{i}")
                for i, (dims, dtype) in enumerate(specs)
            ]
            flat = tf.nest.flatten(function(*arguments))
            graph.outputs = [graph.adopt(tf.convert_to_tensor(t)) for t in flat if t is not None]
        self.body = verify(Body(graph))
        self._captured = [tensor.static_value for tensor in graph.external_captures]

    def run(self, body: Body, *arrays: Any) -> tuple[list[Any], list[Any]]:
        """The results, and the values of the variables afterwards, which are then put back."""
        cells = [c for c in self._captured if hasattr(c, "value_dtype")]
        before = [cell.array for cell in cells]
        try:
            results = Interpreter(body)([*map(np.asarray, arrays), *self._captured])
            return list(results), [cell.array.copy() for cell in cells]
        finally:
            for cell, array in zip(cells, before, strict=True):
                cell.array = array

    def after(self, name: str, *arrays: Any) -> Body:
        """The body after one pass, which must not have changed what it computes."""
        return self.same(pipeline.apply(BY_NAME[name], self.body), *arrays)

    def optimized(self, *arrays: Any) -> Body:
        """The body after all passes, likewise."""
        return self.same(pipeline.optimize(self.body), *arrays)

    def same(self, body: Body, *arrays: Any) -> Body:
        """`body`, which must compute and change the same as the traced one."""
        verify(body)
        assert len(body.inputs) == len(self.body.inputs)
        expected, got = self.run(self.body, *arrays), self.run(body, *arrays)
        for want, have in zip((*expected[0], *expected[1]), (*got[0], *got[1]), strict=True):
            assert_same_bits(have, want)
        return body


def assert_same_bits(have: Any, want: Any) -> None:
    """Equal dtype, shape and values, where -0.0 is not 0.0, and every NaN is NaN."""
    assert have.dtype == want.dtype
    assert have.shape == want.shape
    np.testing.assert_array_equal(have, want)
    if have.dtype.kind in "fc":
        for a, b in ((have.real, want.real), (have.imag, want.imag)):
            np.testing.assert_array_equal(np.signbit(a[a == a]), np.signbit(b[b == b]))


def types(body: Body) -> list[str]:
    """The ops that run, in order, without inputs and constants."""
    return [node.type for node in body.nodes() if node.type not in ("Placeholder", "Const")]


def inside(body: Body, place: int = 0) -> list[list[str]]:
    """The ops in each of the bodies of one of the branches or loops."""
    holders = [node for node in body.nodes() if bodies_of(node)]
    return [types(inner) for inner in bodies_of(holders[place])]
