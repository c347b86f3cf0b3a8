"""`get_source_inputs`: from a KerasTensor back to the inputs it is computed from."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import TensorLike


def get_source_inputs(tensor: TensorLike, layer: Any = None, node_index: int | None = None) -> Any:
    """Return the list of input tensors that `tensor` is computed from.

    Args:
        tensor: A KerasTensor.
        layer: Keras 2's argument: the layer that made the tensor, which the tensor knows itself.
        node_index: Which call of the layer made it.

    Returns:
        A list of KerasTensors; `tensor` itself if nothing computed it.

    Example:
        >>> x = keras.Input((3,))
        >>> tf.keras.utils.get_source_inputs(tf.keras.layers.Dense(2)(x))[0] is x
        True
    """
    history = getattr(tensor, "_keras_history", None)
    if history is None:
        return [tensor]
    if layer is None or node_index is None:
        layer, node_index = history.operation, history.node_index
    sources: dict[int, Any] = {}
    pending: list[Any] = []
    seen: set[int] = set()
    node = layer._inbound_nodes[node_index]
    while True:
        if id(node) not in seen:
            seen.add(id(node))
            sources |= {id(x): x for x in node.outputs} if node.is_input else {}
            pending[:0] = node.input_tensors
        # What no call returned is an input, too: a KerasTensor that a program has created.
        while pending and pending[0]._keras_history is None:
            source = pending.pop(0)
            sources.setdefault(id(source), source)
        if not pending:
            return list(sources.values())
        history = pending.pop(0)._keras_history
        node = history.operation._inbound_nodes[history.node_index]
