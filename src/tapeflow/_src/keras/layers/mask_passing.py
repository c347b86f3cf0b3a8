"""How layers pass masks on from what they receive to what they return.

KerasTensors have masks, too, which stand for those that tensors will have when the model runs.
They serve to trace `call`, which may need its `mask`: a model passes on the masks of the data
itself, so they are no inputs of the calls that it consists of. One that a program reads and
computes with is connected to the inputs of the model first, by `compute_mask` on KerasTensors.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.masks import get_mask, masks_of, set_mask, set_masks
from tapeflow._src.keras.operation import infer_stateless


def pass_on(layer: Any, inputs: Any, outputs: Any, masks: Any) -> None:
    """Set the masks of what a layer has returned for `inputs` with `masks`."""
    if not layer.supports_masking:
        if masks is not None and any(m is not None for m in tf.nest.flatten(masks)):
            warn_user(
                f"Layer '{layer.name}' ({type(layer).__name__}) received a masked input but does "
                f"not support masking: the mask ends here, and the layers after it treat "
                f"padding as data. A custom layer that keeps masks sets "
                f"`self.supports_masking = True`.",
            )
        return
    if all(get_mask(x) is not None for x in tf.nest.flatten(outputs)):
        return
    output_masks = layer.compute_mask(inputs, masks)
    if output_masks is not None:
        set_masks(outputs, output_masks)


def pass_on_symbolically(layer: Any, inputs: Any, outputs: Any) -> None:
    """Set the masks of KerasTensors that a layer has returned for `inputs`."""
    if not layer.supports_masking:
        return
    masks = masks_of(inputs)
    if layer._tpf_makes_masks():
        masks = infer_stateless(layer.compute_mask, inputs, masks)
    if masks is not None:
        set_masks(outputs, masks)


def connected_mask(tensor: KerasTensor) -> Any:
    """Return the mask of a KerasTensor, computed from the inputs of the call that returned it."""
    mask, history = get_mask(tensor), tensor._keras_history
    if not isinstance(mask, KerasTensor) or mask._keras_history is not None or history is None:
        return mask
    layer = history.operation
    node = layer._inbound_nodes[history.node_index]
    inputs = node.args[0] if node.args else node.kwargs
    masks = tf.nest.map_structure(_connected, inputs)
    computed = layer.compute_mask(inputs, masks) if layer._tpf_makes_masks() else masks
    by_output = tf.nest.flatten(computed)
    if history.tensor_index < len(by_output) and by_output[history.tensor_index] is not None:
        mask = by_output[history.tensor_index]
        set_mask(tensor, mask)
    return mask


def _connected(leaf: Any) -> Any:
    return connected_mask(leaf) if isinstance(leaf, KerasTensor) else None
