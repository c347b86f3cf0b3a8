"""Maximum, minimum and clipping."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import REAL
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast, merge_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import EXACT_IN_BATCHES, INHERITS_NUMERICS, PROMOTES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.comparison import greater, greater_equal, less, less_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_or


@op("Maximum", infer=broadcast, dtypes=REAL, traits=(INHERITS_NUMERICS, PROMOTES, TOTAL_ON_SHAPES))
def maximum(xp, x, y):
    """Compute the maximum of `x` and `y`, element-wise; NaN if either is."""
    return xp.maximum(x, y)


@maximum.gradient
def _(dz, *, x, y, needed):
    return _to_the_chosen(dz, greater_equal(x, y), needed)


def _to_the_chosen(dz, first, needed):
    zero = scalar(0, dz)
    return (
        select_v2(first, dz, zero) if needed[0] else None,
        select_v2(first, zero, dz) if needed[1] else None,
    )


@op("Minimum", infer=broadcast, dtypes=REAL, traits=(INHERITS_NUMERICS, PROMOTES, TOTAL_ON_SHAPES))
def minimum(xp, x, y):
    """Compute the minimum of `x` and `y`, element-wise; NaN if either is."""
    return xp.minimum(x, y)


@minimum.gradient
def _(dz, *, x, y, needed):
    return _to_the_chosen(dz, less_equal(x, y), needed)


@op("ClipByValue", dtypes=REAL, checked=True, traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES))
def clip_by_value(xp, t, clip_value_min, clip_value_max):
    """Clip `t` to the bounds."""
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


@clip_by_value.infer
def _(t, clip_value_min, clip_value_max):
    shape = t.shape
    for bound in (clip_value_min, clip_value_max):
        if bound.shape != ():
            try:
                shape = merge_shape(shape, bound.shape)
            except InferError:
                raise InferError(
                    "clip_by_value: each bound must be a scalar or have the shape of the tensor, "
                    f"{fmt_shape(t.shape)}; received clip_value_min of shape "
                    f"{fmt_shape(clip_value_min.shape)} and clip_value_max of shape "
                    f"{fmt_shape(clip_value_max.shape)}"
                ) from None
    return Spec(shape, t.dtype)


clip_by_value.broadcasts = True


@clip_by_value.gradient
def _(dz, *, t, clip_value_min, clip_value_max, needed):
    zero = scalar(0, dz)
    below, above = less(t, clip_value_min), greater(t, clip_value_max)
    return (
        select_v2(logical_or(below, above), zero, dz) if needed[0] else None,
        select_v2(below, dz, zero) if needed[1] else None,
        select_v2(above, dz, zero) if needed[2] else None,
    )


@clip_by_value.batch
def _(batch: Batch, t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    """Bounds are scalars or of the shape of `t`, so those that differ are written out."""
    values = batch.values(t)
    bounds = [
        batch.broadcast(batch.aligned(t, b)[1], *values.static_shape)
        if batch.has(b) or b.static_shape
        else b
        for b in (clip_value_min, clip_value_max)
    ]
    return batch.op(values, *bounds)
