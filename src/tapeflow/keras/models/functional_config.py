"""Functional models as configs: the operations, and the calls between them, by names."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.keras_tensor import KerasTensor
from tapeflow.keras.operation import Node
from tapeflow.keras.operators import CLASSES
from tapeflow.keras.saving.serialization import deserialize_keras_object, serialize_keras_object

_OPERATORS = "keras.src.ops.numpy"


def config_of(model: Any) -> dict[str, Any]:
    """The config of a model: a list of operations with their calls, and the places of tensors."""
    numbers = _numbers(model)
    layers = []
    for operation in model.operations:
        config = _serialized(operation)
        config["name"] = operation.name
        config["inbound_nodes"] = [
            _node_config(node, numbers)
            for node in operation._inbound_nodes
            if id(node) in numbers and not node.is_input
        ]
        layers.append(config)

    def place(tensor: KerasTensor) -> list[Any]:
        operation, node_index, tensor_index = tensor._keras_history
        node = operation._inbound_nodes[node_index]
        return [operation.name, numbers.get(id(node), 0), tensor_index]

    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": tf.nest.map_structure(place, model.input),
        "output_layers": tf.nest.map_structure(place, model.output),
    }


def _numbers(model: Any) -> dict[int, int]:
    """The numbers of calls among those of their operation that belong to the model."""
    own = {id(step.node) for step in model._steps}
    numbers: dict[int, int] = {}
    for operation in model.operations:
        kept = [n for n in operation._inbound_nodes if id(n) in own or n.is_input]
        numbers |= {id(node): number for number, node in enumerate(kept)}
    return numbers


def _serialized(operation: Any) -> dict[str, Any]:
    if CLASSES.get(type(operation).__name__) is type(operation):
        name = type(operation).__name__
        return {
            "module": _OPERATORS,
            "class_name": name,
            "config": operation.get_config(),
            "registered_name": name,
        }
    return serialize_keras_object(operation)


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


def from_config(cls: Any, config: dict[str, Any], custom_objects: Any) -> Any:
    """The model that has this config: its operations are made, and called as they were."""
    operations: dict[str, Any] = {}
    waiting: list[tuple[Any, dict[str, Any]]] = []
    # The calls that were made so far, in the order in which the config has them.
    made: dict[str, list[list[KerasTensor]]] = {}
    for each in config["layers"]:
        operation = _made(each, custom_objects)
        operations[each["name"]] = operation
        made[each["name"]] = []
        if not each["inbound_nodes"] and operation._inbound_nodes:
            made[each["name"]].append(operation._inbound_nodes[0].outputs)
        waiting += [(each["name"], node) for node in each["inbound_nodes"]]
    while waiting:
        left = [item for item in waiting if not _called(item, operations, made, waiting)]
        if len(left) == len(waiting):
            raise ValueError(
                f"The calls of {[name for name, _ in left]} depend on tensors that no operation of "
                f"the config gives."
            )
        waiting = left

    def tensors(places: Any) -> Any:
        if isinstance(places, dict):
            return {key: tensors(place) for key, place in places.items()}
        if len(places) == 3 and isinstance(places[0], str):
            return made[places[0]][places[1]][places[2]]
        return [tensors(place) for place in places]

    return cls(
        inputs=tensors(config["input_layers"]),
        outputs=tensors(config["output_layers"]),
        name=config.get("name"),
        trainable=config.get("trainable", True),
    )


def _made(config: dict[str, Any], custom_objects: Any) -> Any:
    if config.get("module") == _OPERATORS:
        found = CLASSES.get(config["class_name"])
        if found is None:
            raise ValueError(
                f"The operation {config['class_name']} of the model is not supported. Supported "
                f"are layers, and the operators {sorted(CLASSES)}."
            )
        return found(**config["config"])
    return deserialize_keras_object(config, custom_objects=custom_objects)


def _called(
    item: tuple[str, dict[str, Any]],
    operations: dict[str, Any],
    made: dict[str, list[list[KerasTensor]]],
    waiting: list[Any],
) -> bool:
    """Make a call, if it is the next one of its operation and all that it takes is there."""
    name, config = item
    first = next(other for other in waiting if other[0] == name and not other[1].get("__done__"))
    if first is not item:
        return False
    missing = []

    def tensor_of(leaf: Any) -> Any:
        if not isinstance(leaf, KerasTensor):
            return leaf
        source, node_index, tensor_index = leaf._saved_history
        if len(made[source]) <= node_index:
            missing.append(source)
            return leaf
        return made[source][node_index][tensor_index]

    given = deserialize_keras_object({key: config[key] for key in ("args", "kwargs")})
    args = tf.nest.map_structure(tensor_of, given["args"])
    kwargs = tf.nest.map_structure(tensor_of, given["kwargs"])
    if missing:
        return False
    made[name].append(tf.nest.flatten(operations[name](*args, **kwargs)))
    config["__done__"] = True
    return True
