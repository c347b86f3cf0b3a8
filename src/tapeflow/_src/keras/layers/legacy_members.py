"""Members of layers that only Keras 2 has.

They are found where a layer has no attribute of their name: a layer may set one itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.masks import masks_of


class LegacyMembers:
    """Members of layers that Keras 2 has and Keras 3 dropped."""

    # Keras 2 counts a vocabulary that is learned from data among the weights.
    _tpf_adapts_vocabulary = False
    # Of Keras 2: the layer runs eagerly, and so do the steps of its models.
    _tpf_dynamic = False

    if TYPE_CHECKING:
        input_shape: Any
        output_shape: Any
        get_input_at: Any
        get_output_at: Any
        get_input_shape_at: Any
        get_output_shape_at: Any
        inbound_nodes: Any
        outbound_nodes: Any
        stateful: Any
        updates: Any
        add_variable: Any
        add_update: Any
    else:

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # a property that has raised: its own error says more
                return object.__getattribute__(self, name)
            member = _MEMBERS.get(name)
            if member is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return member(self)


def _shape(tensors: Any) -> Any:
    """The shape of one tensor, or the shapes of several."""
    return tensors.shape if isinstance(tensors, KerasTensor) else [t.shape for t in tensors]


def _at(layer: Any, kind: str, index: int) -> Any:
    nodes = layer._inbound_nodes
    if not -len(nodes) <= index < len(nodes):
        raise ValueError(
            f"Layer '{layer.name}' was called {len(nodes)} times on KerasTensors. Received: "
            f"node_index={index}"
        )
    node = nodes[index]
    tensors = node.outputs if kind == "output" or node.is_input else node.input_tensors
    return tensors[0] if len(tensors) == 1 else tensors


def _getter(kind: str, shape: bool) -> Callable[[Any], Callable[[int], Any]]:
    def member(layer: Any) -> Callable[[int], Any]:
        def get(node_index: int) -> Any:
            tensors = _at(layer, kind, node_index)
            return _shape(tensors) if shape else tensors

        return get

    return member


def _mask_getter(kind: str) -> Callable[[Any], Callable[[int], Any]]:
    def member(layer: Any) -> Callable[[int], Any]:
        return lambda node_index: masks_of(_at(layer, kind, node_index))

    return member


def _output_signature(layer: Any) -> Callable[[Any], Any]:
    """The method that infers specs of outputs from specs of inputs."""

    def compute_output_signature(input_signature: Any) -> Any:
        tensors = tf.nest.map_structure(
            lambda spec: KerasTensor(spec.shape, standardize_dtype(spec.dtype)), input_signature
        )
        outputs = layer.compute_output_spec(tensors)
        return tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), outputs)

    return compute_output_signature


_MEMBERS: dict[str, Callable[[Any], Any]] = {
    "input_shape": lambda layer: _shape(_at(layer, "input", 0)),
    "output_shape": lambda layer: _shape(layer.output),
    "get_input_at": _getter("input", shape=False),
    "get_output_at": _getter("output", shape=False),
    "get_input_shape_at": _getter("input", shape=True),
    "get_output_shape_at": _getter("output", shape=True),
    "get_input_mask_at": _mask_getter("input"),
    "get_output_mask_at": _mask_getter("output"),
    "input_mask": lambda layer: masks_of(layer.input),
    "output_mask": lambda layer: masks_of(layer.output),
    "compute_output_signature": _output_signature,
    "dynamic": lambda layer: any(part._tpf_dynamic for part in layer._flatten_layers()),
    "inbound_nodes": lambda layer: layer._inbound_nodes,
    "outbound_nodes": lambda layer: layer._outbound_nodes,
    "stateful": lambda layer: False,
    "updates": lambda layer: [],
    "add_variable": lambda layer: layer.add_weight,
    # Nothing is held back until then.
    "finalize_state": lambda layer: lambda: None,
    # Assignments are made when they are called.
    "add_update": lambda layer: lambda updates: None,
}
