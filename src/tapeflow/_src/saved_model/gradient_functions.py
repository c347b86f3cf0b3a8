"""Gradients made by `tf.custom_gradient`, written into a SavedModel (see `own_gradients`).

A gradient is traced once more here, as a function of the gradients that arrive. What it uses of the
graph that it belongs to is bound by name.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from tapeflow._src.api.structure_protos import encode
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.gradients.custom import CustomPull
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.serialize import Library, write_function
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.saved_model.model_functions import stored_inputs

_numbers = count()


class GradientWriter:
    """Adds the gradients that operations of traces have of their own.

    `place` gives the number of the object that a tensor from outside stands for.
    """

    def __init__(
        self, meta: Any, library: Library, place: Callable[[Any, ConcreteFunction], int]
    ) -> None:
        self._meta = meta
        self._library = library
        self._place = place

    def write(self, concrete: ConcreteFunction, definition: Any) -> None:
        """Add those of a trace, whose FunctionDef is written already."""
        nodes = {node.name: node for node in definition.node_def}
        for node in concrete._callee.body.nodes():
            gradient = node.attrs.get("_gradient")
            if gradient is not None:
                kind = f"CustomGradient-{next(_numbers)}"
                nodes[node.name].attr["_gradient_op_type"].s = kind.encode()
                name = f"__inference_internal_grad_fn_{kind.partition('-')[2]}"
                self._gradient(name, node, gradient, concrete, definition)
                self._meta.graph_def.library.registered_gradients.add(
                    gradient_func=name, registered_op_type=kind
                )

    def _gradient(
        self,
        name: str,
        node: Operation,
        gradient: CustomPull,
        concrete: ConcreteFunction,
        definition: Any,
    ) -> None:
        graph = FuncGraph(name, outer=concrete.graph)
        with graph.as_default():
            arriving = [
                graph.argument(t.dtype, t.static_shape, f"result_grads_{i}")
                for i, t in enumerate(node.outputs)
            ]
            pulled = gradient.pull(*arriving[: gradient.results])
            gradients_out = [
                None if g is None else graph.adopt(dispatch.convert(g)) for g in pulled
            ]
            graph.outputs = [g for g in gradients_out if g is not None]
        function = protos.FunctionDef()
        body = Body(graph)
        outputs: Any = body.outputs
        write_function(function, body, outputs, self._library.name_of, add_shapes=True)
        function.signature.name = name
        self._meta.graph_def.library.function.append(function)
        described = self._meta.object_graph_def.concrete_functions[name]
        specs = tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in arriving)
        described.canonicalized_input_signature.CopyFrom(encode(((None, *specs), {})))
        result_specs = [None if g is None else TensorSpec(g.shape, g.dtype) for g in gradients_out]
        described.output_signature.CopyFrom(encode([*[None] * gradient.results, *result_specs]))
        names = _argument_names(concrete, definition)
        for tensor in graph.external_captures:
            if isinstance(tensor, SymbolicTensor):
                described.bound_inputs.append(self._captured(tensor, names, concrete))
            else:
                described.bound_inputs.append(self._place(tensor, concrete))

    def _captured(
        self, tensor: SymbolicTensor, names: dict[int, str], concrete: ConcreteFunction
    ) -> int:
        """Return the number of a new object that stands for a tensor of the trace."""
        nodes = self._meta.object_graph_def.nodes
        stands_for = nodes.add().captured_tensor
        stands_for.name = names.get(id(tensor)) or f"{tensor.op.name}:{tensor.value_index}"
        stands_for.concrete_function = concrete.name
        return len(nodes) - 1


def _argument_names(concrete: ConcreteFunction, definition: Any) -> dict[int, str]:
    """Return the names of the inputs of a trace in its FunctionDef."""
    stored = [argument.name for argument in definition.signature.input_arg]
    return {id(t): f"{name}:0" for t, name in zip(stored_inputs(concrete), stored)}
