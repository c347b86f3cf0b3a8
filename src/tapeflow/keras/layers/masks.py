"""Masks that travel with tensors: which steps of a sequence count."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


class _Used:
    """Whether any tensor has ever been given a mask: most programs never ask for one."""

    ever = False


used = _Used()


def get_mask(x: Any) -> Any:
    """The mask that came with a tensor, or None."""
    return getattr(x, "_keras_mask", None) if used.ever else None


def masks_of(structure: Any) -> Any:
    """The masks of tensors, in the same structure; None if there are none at all."""
    if not used.ever:
        return None
    found = tf.nest.map_structure(get_mask, structure)
    return found if any(mask is not None for mask in tf.nest.flatten(found)) else None


def set_mask(x: Any, mask: Any) -> None:
    """Send a mask along with a tensor."""
    used.ever = True
    x._keras_mask = mask


def set_masks(structure: Any, masks: Any) -> None:
    """Send masks along with the tensors of a structure; a list of masks need not be complete."""
    leaves, found = tf.nest.flatten(structure), tf.nest.flatten(masks)
    for leaf, mask in zip(leaves, found):
        if mask is not None and hasattr(leaf, "shape"):
            set_mask(leaf, mask)
