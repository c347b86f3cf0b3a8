"""`get_source_inputs`: from a KerasTensor back to the inputs it is computed from."""

from __future__ import annotations

from typing import Any


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> Any:
    """Return the list of input tensors that `tensor` is computed from.

    Args:
        layer: Keras 2's argument: the layer that made the tensor, which the tensor knows itself.
        node_index: which call of the layer made it.
    """
    history = getattr(tensor, "_keras_history", None)
    if history is None:
        return [tensor]
    if layer is None or node_index is None:
        layer, node_index = history.operation, history.node_index
    found: list[Any] = []
    pending, seen = [layer._inbound_nodes[node_index]], set()
    while pending:
        node = pending.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.is_input:
            found += node.outputs
        pending[:0] = node.parent_nodes
    return found
