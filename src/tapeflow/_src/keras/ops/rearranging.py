"""`rearrange`: axes split, joined and reordered by a pattern."""

from __future__ import annotations

import math
import re
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_Groups = list[list[str]]


def _groups(side: str) -> _Groups:
    """The axes of one side of a pattern: `"(h w) c"` is `[["h", "w"], ["c"]]`."""
    return [re.findall(r"\w+", group) for group in re.findall(r"\w+|\(.*?\)", side)]


def _sides(pattern: str, rank: int) -> tuple[_Groups, _Groups]:
    sides = [_groups(side) for side in pattern.split("->")]
    names = [sorted(name for group in side for name in group) for side in sides]
    if len(sides) != 2 or names[0] != names[1] or len(set(names[0])) != len(names[0]):
        raise ValueError(
            f"rearrange: a pattern has the same axes, each once, on both sides of '->'. Received: "
            f"{pattern!r}"
        )
    if len(sides[0]) != rank:
        raise ValueError(
            f"rearrange: the pattern {pattern!r} is for tensors of rank {len(sides[0])}. Received "
            f"a tensor of rank {rank}"
        )
    return sides[0], sides[1]


def _sizes(groups: _Groups, shape: Any, lengths: dict[str, Any]) -> dict[str, Any]:
    """The size of each axis; one of a group may follow from those of the others."""
    sizes = dict(lengths)
    for group, size in zip(groups, shape, strict=True):
        unknown = [name for name in group if name not in sizes]
        if len(unknown) > 1:
            raise ValueError(
                f"rearrange: the sizes of all but one of the axes {group} are needed: pass "
                f"{', '.join(f'{name}=...' for name in unknown[1:])}."
            )
        if unknown:
            known = math.prod(sizes[name] for name in group if name in sizes)
            sizes[unknown[0]] = size // known if known != 1 else size
    return sizes


@declare("Rearrange", family="einops", call=("tensor", "pattern"))
def rearrange(tensor: Any, pattern: str, **axes_lengths: Any) -> Any:
    """Split, join and reorder axes as a pattern says.

    Args:
        tensor: Tensor, or a value that converts to one.
        pattern: The axes before and after `->`, separated by spaces; those in parentheses are one
            axis of the tensor.
        **axes_lengths: Sizes of axes in parentheses; one of each group may be left out.

    Returns:
        A tensor with the same elements.

    Raises:
        ValueError: The two sides differ in their axes, the pattern has another rank than the
            tensor, or sizes are missing.

    Example:
        >>> keras.ops.rearrange(tf.zeros([2, 6, 3]), "n (x y) c -> n c x y", x=2).shape
        TensorShape([2, 3, 2, 3])
    """
    tensor = to_tensor(tensor)
    before, after = _sides(pattern, tensor.shape.rank)
    dynamic = tf.shape(tensor)
    shape = [dynamic[i] if size is None else size for i, size in enumerate(tensor.shape)]
    sizes = _sizes(before, shape, axes_lengths)
    order = [name for group in before for name in group]
    parts = tf.reshape(tensor, [sizes[name] for name in order])
    parts = tf.transpose(parts, [order.index(name) for group in after for name in group])
    return tf.reshape(parts, [math.prod(sizes[name] for name in group) for group in after])
