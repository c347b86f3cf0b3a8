"""Static shapes of rearranged sparse tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor


def joined(shapes: Sequence[TensorShape], axis: int) -> TensorShape:
    """Return the static shape of a concatenation along an axis.

    Sizes that should agree and do not are left open: the op refuses them when it runs.
    """
    ranks = {shape.rank for shape in shapes}
    if None in ranks or len(ranks) > 1:
        return TensorShape(None)
    columns = [{shape[i] for shape in shapes} - {None} for i in range(len(shapes[0]))]
    sizes = [
        next(iter(sizes_along_axis)) if len(sizes_along_axis) == 1 else None
        for sizes_along_axis in columns
    ]
    along = [shape[axis] for shape in shapes]
    sizes[axis] = None if None in along else sum(size or 0 for size in along)
    return TensorShape(sizes)


def reshaped(shape: TensorShape, requested: Any) -> TensorShape:
    """Return the static shape of a reshape; one size is inferred from the others."""
    static_shape = requested.static_value
    if static_shape is None:
        static_shape = getattr(requested, "_partial", None)
    if static_shape is None:
        return TensorShape(None)
    sizes = [None if n is None or n < 0 else int(n) for n in static_shape]
    if sizes.count(None) == 1 and shape.is_fully_defined():
        others = math.prod(n for n in sizes if n is not None)
        count = shape.num_elements()
        if others and count is not None and count % others == 0:
            sizes[sizes.index(None)] = count // others
    return TensorShape(sizes)


def turned(shape: TensorShape, perm: Any) -> TensorShape:
    """Return the static shape of a transpose, by default with reversed axes."""
    if shape.rank is None:
        return shape
    order = perm.static_value if isinstance(perm, Tensor) else perm
    if perm is None:
        order = range(shape.rank)[::-1]
    if order is None or len(np.shape(order)) != 1 or len(order) != shape.rank:
        return TensorShape([None] * shape.rank)
    return TensorShape([shape[int(axis)] for axis in order])
