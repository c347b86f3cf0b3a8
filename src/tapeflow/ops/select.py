"""Choosing between two tensors, element by element."""

from __future__ import annotations

from tapeflow.core import dispatch
from tapeflow.core.infer import broadcast_shape
from tapeflow.core.registry import Bool, op
from tapeflow.core.spec import Spec


@op("SelectV2")
def select_v2(xp, condition: Bool, t, e):
    """`t` where `condition` holds, `e` elsewhere; all three are broadcast."""
    return xp.where(condition, t, e)


@select_v2.infer
def _(condition, t, e):
    return Spec(broadcast_shape(condition.shape, broadcast_shape(t.shape, e.shape)), t.dtype)


select_v2.broadcasts = True


@select_v2.gradient
def _(dz, *, condition, needed):
    zero = dispatch.convert(0, dz.dtype)
    return (
        None,
        select_v2(condition, dz, zero) if needed[1] else None,
        select_v2(condition, zero, dz) if needed[2] else None,
    )
