"""Functional models as configs: the operations, and the calls between them, by names.

`functional_reader` reads them.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Node
from tapeflow._src.keras.saving.serialization import serialize_keras_object


def config_of(model: Any) -> dict[str, Any]:
    """The config of a model: a list of operations with their calls, and the places of tensors."""
    numbers = _numbers(model)
    layers = []
    for operation in model.operations:
        config = serialize_keras_object(operation)
        config["name"] = operation.name
        config["inbound_nodes"] = [
            _node_config(node, numbers)
            for node in operation._inbound_nodes
            if id(node) in numbers and not node.is_input
        ]
        layers.append(config)

    def reference(tensor: KerasTensor) -> list[Any]:
        operation, node_index, tensor_index = tensor._keras_history
        node = operation._inbound_nodes[node_index]
        return [operation.name, numbers.get(id(node), 0), tensor_index]

    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": tf.nest.map_structure(reference, model.input),
        "output_layers": tf.nest.map_structure(reference, model.output),
    }


def _numbers(model: Any) -> dict[int, int]:
    """The numbers of calls among those of their operation that belong to the model."""
    own = {id(step.node) for step in model._tpf_steps}
    numbers: dict[int, int] = {}
    for operation in model.operations:
        nodes = [n for n in operation._inbound_nodes if id(n) in own or n.is_input]
        numbers |= {id(node): number for number, node in enumerate(nodes)}
    return numbers


def _node_config(node: Node, numbers: dict[int, int]) -> dict[str, Any]:
    def written(leaf: Any) -> Any:
        if not isinstance(leaf, KerasTensor):
            return serialize_keras_object(leaf)
        operation, index, tensor_index = leaf._keras_history
        number = numbers.get(id(operation._inbound_nodes[index]), 0)
        return {
            "class_name": "__keras_tensor__",
            "config": {
                "shape": leaf.shape,
                "dtype": leaf.dtype,
                "keras_history": [operation.name, number, tensor_index],
            },
        }

    return {
        "args": [tf.nest.map_structure(written, arg) for arg in node.args],
        "kwargs": {key: tf.nest.map_structure(written, arg) for key, arg in node.kwargs.items()},
    }
