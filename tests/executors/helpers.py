"""Python functions as bodies, run by the interpreter and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.function.tracing import trace
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph


class Traced:
    """The graph of `function` for arguments like these, with the values of its captures."""

    def __init__(self, function: Callable[..., Any], *examples: Any, dims: Any = None) -> None:
        tensors = [tf.convert_to_tensor(e) for e in examples]
        shapes = dims or [t.static_shape for t in tensors]

        def arguments(graph: FuncGraph) -> Any:
            return (
                tuple(
                    graph.argument(t.dtype, d, f"x{i}")
                    for i, (t, d) in enumerate(zip(tensors, shapes, strict=True))
                ),
                {},
            )

        self.graph, _ = trace(function, arguments, "traced")
        self.body = Body(self.graph)
        self.interpreter = Interpreter(self.body)

    def inputs(self, *arguments: Any) -> list[Any]:
        """The arrays of a call: arguments, then captures."""
        arrays = [tf.convert_to_tensor(a)._array for a in arguments]
        return arrays + [outer._array for outer in self.graph.external_captures]

    def interpreted(self, *arguments: Any) -> tuple[Any, ...]:
        return self.interpreter(self.inputs(*arguments))


def same(actual: Any, expected: Any, tolerance: float = 1e-5) -> None:
    """Equal in number, dtypes, shapes, and nearly in values."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert a.dtype == e.dtype and a.shape == e.shape, (a, e)
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)
