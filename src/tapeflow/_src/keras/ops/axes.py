"""Axes as users write them: counted from the end when negative, one or several."""

from __future__ import annotations

import operator
from typing import Any

import tapeflow as tf


def normalized(axis: Any, rank: int, name: str = "axis") -> int:
    """An axis counted from 0."""
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise ValueError(
            f"`{name}` must be between {-rank} and {rank - 1} for a tensor of rank {rank}. "
            f"Received: {name}={axis}"
        )
    return axis + rank if axis < 0 else axis


def normalized_axes(axis: Any, rank: int, name: str = "axis") -> list[int]:
    """One axis or several, counted from 0."""
    several = axis if isinstance(axis, (list, tuple)) else [axis]
    return [normalized(each, rank, name) for each in several]


def sizes(x: Any) -> list[Any]:
    """The sizes of a tensor: numbers where they are known, scalar tensors elsewhere."""
    static = x.shape.as_list()
    if None not in static:
        return static
    dynamic = tf.shape(x)
    return [dynamic[number] if size is None else size for number, size in enumerate(static)]
