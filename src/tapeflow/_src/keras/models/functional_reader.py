"""Configs as functional models: the operations are created, and called as they were."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.saving.deserialization import (
    creating,
    fail,
    located,
    member,
    read_object,
    shown,
)
from tapeflow._src.keras.saving.registry import OPERATION, VALUE

# The name that Keras 2 writes where the argument of a call is no tensor.
_CONSTANT = "_CONSTANT_VALUE"
# An output of a call: the name of the operation, the number of its call, that of the output.
Source = tuple[str, int, int]


def from_config(cls: Any, config: dict[str, Any], custom_objects: Any, **kwargs: Any) -> Any:
    """The model that has this config; `kwargs` are further arguments of the class."""
    reader = _Reader()
    for number, each in enumerate(member(config, "layers", list, tuple)):
        with located(f".layers[{number}]"):
            reader.add(each, custom_objects)
    reader.call_all()
    ends = []
    for key in ("input_layers", "output_layers"):
        references = member(config, key, list, tuple, dict)
        with located(f".{key}"):
            ends.append(reader.ends(references))
    return cls(
        inputs=ends[0],
        outputs=ends[1],
        name=config.get("name"),
        trainable=config.get("trainable", True),
        **kwargs,
    )


class _Call:
    """A call that is still to be made: arguments in which KerasTensors name their sources."""

    def __init__(self, operation: Any, name: str, number: int, place: str) -> None:
        self.operation = operation
        self.name = name
        self.number = number
        self.place = place
        self.args: Any = ()
        self.kwargs: Any = {}

    def sources(self) -> list[Source]:
        leaves = tf.nest.flatten((self.args, self.kwargs))
        return [leaf._saved_history for leaf in leaves if isinstance(leaf, KerasTensor)]


class _Reader:
    """The operations of a config, and the calls of them that were made."""

    def __init__(self) -> None:
        self._outputs: dict[str, list[list[KerasTensor]]] = {}
        # Graphs inside a config of Keras 2: what they are made of counts as their first call.
        self._legacy_models: set[str] = set()
        self._is_legacy = False
        self._calls: list[_Call] = []

    def add(self, config: Any, custom_objects: Any) -> None:
        """Create an operation, and note its calls."""
        name = member(config, "name", str)
        if name in self._outputs:
            raise fail(f"The name '{name}' is used by another operation of the model.")
        operation = read_object(config, OPERATION, custom_objects)
        self._outputs[name] = []
        nodes = member(config, "inbound_nodes", list, tuple)
        if nodes and isinstance(nodes[0], (list, tuple)):
            self._is_legacy = True
            if {"_operations", "_functional"} & operation.__dict__.keys():
                self._legacy_models.add(name)
        if not nodes and operation._inbound_nodes:
            self._outputs[name].append(operation._inbound_nodes[0].outputs)
        for number, node in enumerate(nodes):
            place = f".inbound_nodes[{number}]"
            with located(place):
                call = _Call(operation, name, number, place)
                call.args, call.kwargs = _arguments(node)
                self._calls.append(call)

    def call_all(self) -> None:
        """Make the calls, each as soon as its input tensors exist."""
        ready = deque(self._calls)
        waiting: dict[tuple[str, int], list[_Call]] = defaultdict(list)
        while ready:
            call = ready.popleft()
            missing = self._missing(call)
            if missing is not None:
                waiting[missing].append(call)
                continue
            self._make(call)
            ready.extend(waiting.pop((call.name, call.number), ()))
        if waiting:
            names = sorted({call.name for calls in waiting.values() for call in calls})
            raise fail(
                f"The calls of {names} depend on tensors that no operation of the config returns: "
                f"{sorted(waiting)}."
            )

    def _missing(self, call: _Call) -> tuple[str, int] | None:
        """A call that has to be made before this one."""
        if len(self._outputs[call.name]) < call.number:
            return call.name, call.number - 1
        for name, node, _ in call.sources():
            node -= name in self._legacy_models
            if len(self._outputs.get(name, ())) <= node:
                return name, node
        return None

    def _make(self, call: _Call) -> None:
        def tensor_of(leaf: Any) -> Any:
            return self._tensor(leaf._saved_history) if isinstance(leaf, KerasTensor) else leaf

        cls = type(call.operation)
        own = not cls.__module__.startswith("tapeflow._src.keras.")
        with located(f".layers[{call.name}]{call.place}"), creating(cls, own):
            args, kwargs = tf.nest.map_structure(tensor_of, (call.args, call.kwargs))
            outputs = tf.nest.flatten(call.operation(*args, **kwargs))
            if not all(isinstance(output, KerasTensor) for output in outputs):
                raise fail(f"The call of '{call.name}' takes no tensor of the model.")
        self._outputs[call.name].append(outputs)

    def _tensor(self, source: Any) -> KerasTensor:
        name, node, output = source
        node -= name in self._legacy_models
        calls = self._outputs.get(name, [])
        if not (0 <= node < len(calls) and 0 <= output < len(calls[node])):
            raise fail(f"The model has no output {output} of call {node} of '{name}'.")
        return calls[node][output]

    def ends(self, references: Any) -> Any:
        """The inputs or outputs of the model."""
        tensors = self._tensors(references)
        # Keras 2 writes a list even for one.
        single = self._is_legacy and isinstance(tensors, list) and len(tensors) == 1
        return tensors[0] if single else tensors

    def _tensors(self, references: Any) -> Any:
        if isinstance(references, dict):
            return {key: self._tensors(reference) for key, reference in references.items()}
        if not isinstance(references, (list, tuple)):
            raise fail(f"Expected [name, call, output], but received {shown(references)}.")
        if len(references) == 3 and isinstance(references[0], str):
            return self._tensor(_source(references))
        return type(references)(self._tensors(reference) for reference in references)


def _source(reference: Any) -> Source:
    if not all(isinstance(number, int) for number in reference[1:3]):
        raise fail(f"Expected [name, call, output], but received {shown(reference)}.")
    return reference[0], reference[1], reference[2]


def _arguments(node: Any) -> tuple[Any, Any]:
    """The arguments of a call."""
    if isinstance(node, (list, tuple)):
        return _legacy_arguments(node)
    args = read_object(member(node, "args", list, tuple), VALUE, required=False)
    kwargs = read_object(member(node, "kwargs", dict), VALUE, required=False)
    if not isinstance(kwargs, dict) or not isinstance(args, list):
        raise fail(f"Expected lists and dicts of arguments, but received {shown(node)}.")
    return tuple(args), kwargs


def _legacy_arguments(node: Any) -> tuple[Any, Any]:
    """The arguments of a call in Keras 2: [name, call, output, kwargs], or a list of such."""
    references = [node] if node and isinstance(node[0], str) else node
    inputs: list[Any] = []
    kwargs: Any = {}
    for reference in references:
        if (
            not isinstance(reference, (list, tuple))
            or len(reference) < 3
            or not isinstance(reference[0], str)
        ):
            raise fail(f"Expected [name, call, output, kwargs], but received {shown(reference)}.")
        inputs.append(_legacy_input(reference))
        if len(reference) > 3 and reference[3]:
            kwargs = _with_tensors(read_object(reference[3], VALUE, required=False))
    if not inputs or not isinstance(kwargs, dict):
        raise fail(f"Expected tensors and keyword arguments, but received {shown(node)}.")
    return (inputs[0] if len(inputs) == 1 else inputs,), kwargs


def _legacy_input(reference: Any) -> Any:
    """Return the tensor of a reference, or the constant stored in its stead."""
    if reference[0] == _CONSTANT:
        return read_object(reference[2], VALUE, required=False)
    tensor = KerasTensor((), record_history=False)
    tensor._saved_history = _source(reference)
    return tensor


def _with_tensors(value: Any) -> Any:
    """Keyword arguments of Keras 2, in which a tensor is [name, call, output]."""
    if isinstance(value, dict):
        return {key: _with_tensors(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) == 3 and isinstance(value[0], str) and type(value[1]) is type(value[2]) is int:
        return _legacy_input(value)
    return [_with_tensors(each) for each in value]
