"""Masks that travel with tensors: which steps of a sequence count."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike


def get_mask(x: TensorLike) -> Any:
    """The mask that came with a tensor, or None."""
    # Not `getattr`: tensors explain attributes that they do not have, which takes microseconds.
    try:
        return x.__dict__.get("_keras_mask")
    except AttributeError:
        return None


def any_masks(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a mask came with one of the tensors among arguments."""
    if len(args) == 1 and not kwargs and isinstance(args[0], tf.Tensor):
        return get_mask(args[0]) is not None
    return any(get_mask(leaf) is not None for leaf in tf.nest.flatten((args, kwargs)))


def masks_of(structure: Any) -> Any:
    """The masks of tensors, in the same structure; None if there are none at all."""
    if isinstance(structure, tf.Tensor):
        return get_mask(structure)
    masks = tf.nest.map_structure(get_mask, structure)
    return masks if any(mask is not None for mask in tf.nest.flatten(masks)) else None


def set_mask(x: Any, mask: Any) -> None:
    """Send a mask along with a tensor."""
    x._keras_mask = mask


def set_masks(structure: Any, masks: Any) -> None:
    """Send masks along with the tensors of a structure; a list of masks need not be complete."""
    leaves, flat_masks = tf.nest.flatten(structure), tf.nest.flatten(masks)
    for leaf, mask in zip(leaves, flat_masks):
        if mask is not None and hasattr(leaf, "shape"):
            set_mask(leaf, mask)
