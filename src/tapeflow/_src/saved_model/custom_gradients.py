"""Gradients that a SavedModel has of its own, for operations made by `tf.custom_gradient`.

Such an operation hands on its results and its inputs, and names a gradient; the library says which
function that is. The function takes the gradients of all that is handed on, and what it uses from
outside: variables and constants, or tensors of the graph that the operation is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tapeflow._src.api.structure_protos import decode
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.gradients.custom import CustomPull
from tapeflow._src.gradients.replay import replay
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.deserialize import Importer, Library, results
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.safe_mode import Guard, refusal
from tapeflow._src.ops.array.filling import zeros_like

# A tensor that is known, or the name of one in the graph of the operation.
Source = Any


class OwnGradients:
    """Puts the gradients of a model in their places."""

    def __init__(self, meta: Any, source: Callable[[int], Source], safe_mode: bool) -> None:
        library = meta.graph_def.library
        self._of = {g.registered_op_type: g.gradient_func for g in library.registered_gradients}
        self._functions = {f.signature.name: f for f in library.function}
        self._described = meta.object_graph_def.concrete_functions
        self._source = source
        self._safe_mode = safe_mode

    def mark(self, name: str, operation: Operation, resolve: Callable[[str], Any]) -> None:
        """Let an operation know its gradient."""
        function = self._functions.get(self._of.get(name, ""))
        if function is None:
            return
        described = self._described[function.signature.name]
        places = decode(described.output_signature)
        # Results have no gradient to give: None stands for each of them.
        count = next((i for i, index in enumerate(places) if index is not None), len(places))
        sources = [self._source(number) for number in described.bound_inputs]

        def pull(*gradients: Any) -> list[Any]:
            body = _body(function, self._functions.values(), Guard(self._safe_mode))
            rest = [zeros_like(tensor) for tensor in operation.outputs[count:]]
            bound = [resolve(s) if isinstance(s, str) else s for s in sources]
            results = iter(replay(body, [*gradients, *rest, *bound]))
            return [None if index is None else next(results) for index in places[count:]]

        operation.attrs["_gradient"] = CustomPull(pull, count)


def _body(function: Any, functions: Iterable[Any], guard: Guard) -> Body:
    """Return a function without captures as a graph of its own."""
    graph = FuncGraph(function.signature.name, outer=None)
    with graph.as_default():
        inputs = {
            argument.name: graph.argument(as_dtype(argument.type), dims, argument.name)
            for argument, dims in zip(function.signature.input_arg, _dims(function))
        }
        library = Library(functions, guard=guard)
        with library.entered(function.signature.name):
            done = Importer(graph, library).run(function.node_def, "", inputs)
        graph.outputs = results(function, done, inputs)
    if guard.refused:
        raise refusal(
            guard.refused,
            f"The gradient {function.signature.name!r} of a SavedModel",
            "load it with options=tf.saved_model.LoadOptions(safe_mode=False)",
        )
    return Body(graph)


def _dims(function: Any) -> Sequence[Any]:
    static_shapes = []
    for index, _ in enumerate(function.signature.input_arg):
        shapes = function.arg_attr[index].attr["_output_shapes"].list.shape
        static_shapes.append(shape_from_proto(shapes[0]) if shapes else None)
    return static_shapes
