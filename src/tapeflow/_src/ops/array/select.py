"""Element-wise selection between two tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.batching import Batch, on_values
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast_shape, merge_shape
from tapeflow._src.core.registry import Bool, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import BROADCASTS, EXACT_IN_BATCHES, KEEPS_FINITE, TOTAL_ON_SHAPES


@op("SelectV2", traits=(BROADCASTS, EXACT_IN_BATCHES, KEEPS_FINITE, TOTAL_ON_SHAPES))
def select_v2(xp, condition: Bool, t, e):
    """Return `t` where `condition` holds, `e` elsewhere; all three are broadcast."""
    return xp.where(condition, t, e)


@select_v2.infer
def _(condition, t, e):
    try:
        shape = broadcast_shape(condition.shape, broadcast_shape(t.shape, e.shape))
    except InferError:
        raise InferError(
            f"condition {fmt_shape(condition.shape)}, then {fmt_shape(t.shape)}, and else "
            f"{fmt_shape(e.shape)} must be broadcastable"
        ) from None
    return Spec(shape, t.dtype)


select_v2.broadcasts = True


@select_v2.gradient
def _(dz, *, condition, needed):
    zero = dispatch.convert(0, dz.dtype)
    return (
        None,
        select_v2(condition, dz, zero) if needed[1] else None,
        select_v2(condition, zero, dz) if needed[2] else None,
    )


@op(
    "Select",
    checked=True,
    traits=(EXACT_IN_BATCHES, KEEPS_FINITE, TOTAL_ON_SHAPES),
    graph_inputs={"x": "t", "y": "e"},
)
def select(xp, condition: Bool, x, y):
    """Return `x` where `condition` holds, `y` elsewhere; a vector of conditions selects rows."""
    if condition.ndim == 1 and x.ndim > 1:
        condition = condition.reshape(condition.shape + (1,) * (x.ndim - 1))
    return xp.where(condition, x, y)


@select.infer
def _(condition, x, y):
    shape = merge_shape(x.shape, y.shape, "'then' and 'else' must have the same size")
    if condition.rank is None or condition.rank == 0 or shape is None:
        return Spec(shape, x.dtype)
    if condition.rank == 1 and len(shape) > 1:
        rows = merge_shape(condition.shape, shape[:1], "'cond' must choose between rows of 'then'")
        return Spec((*rows, *shape[1:]), x.dtype)
    shape = merge_shape(shape, condition.shape, "'cond' must be a scalar or of the shape of 'then'")
    return Spec(shape, x.dtype)


@select.gradient
def _(dz, *, condition):
    # Zeros of the shape of `dz`: unlike SelectV2, Select does not broadcast them.
    zeros = select_v2(dispatch.convert(False), dz, dispatch.convert(0, dz.dtype))
    return None, select(condition, dz, zeros), select(condition, zeros, dz)


@select.batch
def _(batch: Batch, condition: Any, x: Any, y: Any) -> Any:
    if condition.static_shape != x.static_shape:
        return NotImplemented
    return on_values(batch, condition, x, y)
