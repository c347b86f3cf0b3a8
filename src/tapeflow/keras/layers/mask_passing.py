"""How layers pass masks on from what they receive to what they return.

KerasTensors have masks, too, which stand for those that tensors will have when the model runs.
They only serve to trace `call`, which may need its `mask`: a model passes on the masks of the data
itself, so they are no inputs of the calls that it consists of.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.layers.masks import get_mask, masks_of, set_masks
from tapeflow.keras.operation import infer_stateless
from tapeflow.keras.user_warnings import warn_user


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
    found = layer.compute_mask(inputs, masks)
    if found is not None:
        set_masks(outputs, found)


def pass_on_symbolically(layer: Any, inputs: Any, outputs: Any) -> None:
    """Set the masks of KerasTensors that a layer has returned for `inputs`."""
    if not layer.supports_masking:
        return
    masks = masks_of(inputs)
    if layer._tpf_makes_masks():
        masks = infer_stateless(layer.compute_mask, inputs, masks)
    if masks is not None:
        set_masks(outputs, masks)
