"""The calls of operations that lead from inputs to outputs, in the order in which they run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.core.input_layer import Input
from tapeflow._src.keras.operation import Node


class Graph:
    """Operations between KerasTensors, sorted by their distance from the outputs."""

    def __init__(self, inputs: list[KerasTensor], outputs: list[KerasTensor]) -> None:
        self._inputs = {id(tensor) for tensor in inputs}
        self._places: dict[int, int] = {}
        order = self._visited(outputs)
        depths, operation_depths = _depths(order, self._inputs)
        for tensor in inputs:
            self._place_input(tensor, depths, operation_depths)
        by_depth: dict[int, list[Any]] = defaultdict(list)
        for operation, depth in operation_depths.values():
            by_depth[depth].append(operation)
        self.operations: list[Any] = []
        for depth in sorted(by_depth, reverse=True):
            self.operations += sorted(by_depth[depth], key=lambda op: self._places[id(op)])
        self.nodes = [n for n, _ in sorted(depths.values(), key=lambda item: -item[1])]
        _check_names(self.operations)

    def _visited(self, outputs: list[KerasTensor]) -> list[Node]:
        """The calls on the way, each after those whose outputs it takes."""
        order: list[Node] = []
        done: set[int] = set()
        waiting: list[tuple[Node, bool]] = []
        for tensor in outputs:
            waiting += self._entered(tensor)
            while waiting:
                node, finished = waiting.pop()
                if finished:
                    order.append(node)
                    continue
                if id(node) in done:
                    continue
                done.add(id(node))
                self._places.setdefault(id(node.operation), len(self._places))
                if node.is_input:
                    continue
                waiting.append((node, True))
                for source in reversed(node.input_tensors):
                    waiting += self._entered(source)
        return order

    def _entered(self, tensor: KerasTensor) -> list[tuple[Node, bool]]:
        """The call that returned a tensor; none if it is outside of the model."""
        if id(tensor) not in self._inputs:
            return [(_node_of(tensor), False)]
        if tensor._keras_history is None:
            return []
        node = _history_node(tensor)
        return [(node, False)] if node.is_input else []

    def _place_input(
        self, tensor: KerasTensor, depths: dict[int, Any], operation_depths: dict[int, Any]
    ) -> None:
        """Count the layer that an input comes from, if it is one that just lets it in."""
        if tensor._keras_history is None:
            return
        node = _history_node(tensor)
        operation = node.operation
        if not node.is_input:
            return
        depth = max(
            (d for n, d in depths.values() if any(t is tensor for t in n.input_tensors)),
            default=-1,
        )
        if id(operation) not in operation_depths:
            self._places.setdefault(id(operation), -1)
            operation_depths[id(operation)] = (operation, depth + 1)


def _history_node(tensor: KerasTensor) -> Node:
    history = tensor._keras_history
    return history.operation._inbound_nodes[history.node_index]


def _node_of(tensor: KerasTensor) -> Node:
    node = None if tensor._keras_history is None else _history_node(tensor)
    if node is None or node.is_input:
        raise ValueError(
            f"Output '{'' if tensor.name is None else tensor.name}' is not connected to `inputs`: "
            f"it is computed from {tensor}, which must be one of them. List all inputs of the "
            f"model: keras.Model(inputs=[a, b], outputs=y)."
        )
    return node


def _depths(
    order: list[Node], inputs: set[int]
) -> tuple[dict[int, tuple[Node, int]], dict[int, tuple[Any, int]]]:
    """How far from the outputs calls and operations are."""
    nodes: dict[int, tuple[Node, int]] = {}
    operations: dict[int, tuple[Any, int]] = {}
    for node in reversed(order):
        depth = nodes.get(id(node), (node, 0))[1]
        depth = max(depth, operations.get(id(node.operation), (None, 0))[1])
        operations[id(node.operation)] = (node.operation, depth)
        nodes[id(node)] = (node, depth)
        for tensor in node.input_tensors:
            if id(tensor) not in inputs:
                parent = _node_of(tensor)
                before = nodes.get(id(parent), (parent, 0))[1]
                nodes[id(parent)] = (parent, max(depth + 1, before))
    return nodes, operations


def _check_names(operations: list[Any]) -> None:
    for name, times in Counter(operation.name for operation in operations).items():
        if times > 1:
            raise ValueError(
                f'The name "{name}" is used {times} times among the layers of the model. Pass '
                f"each layer a `name` of its own."
            )


def between_inputs(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Inputs that come from `Input`, and the outputs that the same calls lead to from there.

    A model may begin with the outputs of layers: an `Input` takes the place of each, and the calls
    between the inputs and the outputs are noted once more, with these.
    """
    flat = tf.nest.flatten(inputs)
    if all(_history_node(tensor).is_input for tensor in flat):
        return inputs, outputs
    copies: dict[int, KerasTensor] = {}
    for tensor in flat:
        if _history_node(tensor).is_input:
            copies[id(tensor)] = tensor
        else:
            copies[id(tensor)] = Input(
                batch_shape=tensor.shape,
                dtype=tensor.dtype,
                sparse=tensor.sparse,
                ragged=tensor.ragged,
                name=f"{tensor.name}CLONE",
            )
    for node in Graph(flat, tf.nest.flatten(outputs)).nodes:
        for tensor in node.outputs:
            copies.setdefault(id(tensor), _like(tensor))
        args, kwargs = node.arguments.fill_in(copies)
        Node(node.operation, args, kwargs, [copies[id(tensor)] for tensor in node.outputs])

    def copy_of(tensor: KerasTensor) -> KerasTensor:
        return copies[id(tensor)]

    return tf.nest.map_structure(copy_of, inputs), tf.nest.map_structure(copy_of, outputs)


def _like(tensor: KerasTensor) -> KerasTensor:
    return KerasTensor(tensor.shape, tensor.dtype, tensor.sparse, tensor.ragged, name=tensor.name)


class Step:
    """One call of an operation in a model."""

    __slots__ = ("node", "operation", "outputs")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.operation = node.operation
        self.outputs = node.outputs

    def run(self, values: dict[int, Any], call: Callable[..., Any] | None) -> None:
        """Call the operation with values for KerasTensors, and add its outputs to them."""
        args, kwargs = self.node.arguments.fill_in(values)
        if call is not None:
            outputs = call(self.operation, *args, **kwargs)
        else:
            outputs = self.operation(*args, **kwargs)
        if len(self.outputs) == 1:
            values[id(self.outputs[0])] = tf.nest.flatten(outputs)[0]
        else:
            for tensor, value in zip(self.outputs, tf.nest.flatten(outputs)):
                values[id(tensor)] = value


def inferred(operation: Any, *args: Any, **kwargs: Any) -> Any:
    """Infers the outputs of an operation for KerasTensors; the call is not recorded."""
    return operation.compute_output_spec(*args, **kwargs)
