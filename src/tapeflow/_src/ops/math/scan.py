"""Cumulative sums, products and log-sum-exps along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import along_axis
from tapeflow._src.core.dtypes import FLOATING, NUMERIC
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import OWN_SCOPE, TOTAL_ON_SHAPES
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, neg, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, greater
from tapeflow._src.ops.math.elementwise import exp, log, scalar
from tapeflow._src.ops.math.logical import logical_and


def accumulator(dtype: Any) -> Any:
    """Return the NumPy dtype in which many values of `dtype` are accumulated."""
    # Of the 16-bit types only the floats are narrower than what is computed in.
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else dtype


def as_type(array: Any, dtype: DTypeLike) -> Any:
    """Return `array` in that dtype, unchanged if it has it."""
    return array if array.dtype == dtype else array.astype(dtype)


def _infer_scan(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    x, axis = specs
    if axis.shape not in (None, ()):
        raise InferError(f"ScanOp: axis must be a scalar, not {fmt_shape(axis.shape)}")
    if x.shape is not None and axis.value is not None:
        rank, at = len(x.shape), int(axis.value)
        if not -rank <= at < rank:
            raise InferError(
                f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {at}"
            )
    return Spec(x.shape, x.dtype)


def _scan(
    xp: ModuleType,
    fold: Callable[[Any, int], Any],
    first: Any,
    x: Any,
    axis: Any,
    attrs: tuple[bool, bool],
) -> Any:
    """Scan with `fold` along the axis; `exclusive` starts from `first` and drops the last."""
    exclusive, reverse = attrs
    at = int(axis) % x.ndim
    wide = as_type(x, accumulator(x.dtype))
    if reverse:
        wide = xp.flip(wide, at)
    if exclusive and wide.shape[at]:
        head = xp.full((*wide.shape[:at], 1, *wide.shape[at + 1 :]), first, dtype=wide.dtype)
        last = (slice(None),) * at + (slice(0, -1),)
        wide = xp.concatenate([head, wide[last]], axis=at)
    result = fold(wide, at)
    if reverse:
        result = xp.flip(result, at)
    return as_type(result, x.dtype)


@op(
    "Cumsum",
    infer=_infer_scan,
    dtypes=NUMERIC,
    checked=True,
    outputs=("out",),
    traits=(OWN_SCOPE, TOTAL_ON_SHAPES),
    ragged_scope="RaggedCumSum",
    batch=along_axis,
)
def cumsum(xp, x, axis: Static, *, exclusive=False, reverse=False):
    """Compute the cumulative sums along `axis`."""

    def fold(x: Any, at: int) -> Any:
        return xp.cumsum(x, axis=at, dtype=x.dtype)

    return _scan(xp, fold, 0, x, axis, (exclusive, reverse))


@cumsum.gradient
def _(dz, *, axis, exclusive, reverse):
    return cumsum(dz, axis, exclusive=exclusive, reverse=not reverse)


@op(
    "Cumprod",
    infer=_infer_scan,
    dtypes=NUMERIC,
    checked=True,
    outputs=("out",),
    traits=(OWN_SCOPE,),
    batch=along_axis,
)
def cumprod(xp, x, axis: Static, *, exclusive=False, reverse=False):
    """Compute the cumulative products along `axis`."""

    def fold(x: Any, at: int) -> Any:
        return xp.cumprod(x, axis=at, dtype=x.dtype)

    return _scan(xp, fold, 1, x, axis, (exclusive, reverse))


@cumprod.gradient
def _(dz, *, x, axis, out, exclusive, reverse):
    def later(products: Any) -> Any:
        """Return the sums over all the products that contain an element."""
        weighted = mul(dz, conj_of(products))
        return cumsum(weighted, axis, exclusive=exclusive, reverse=not reverse)

    one = scalar(1, x)
    zero = equal(x, scalar(0, x))
    direct = real_div(later(out), conj_of(select_v2(zero, one, x)))
    if x.static_value is not None and x.static_value.all():
        return direct
    # The products without the first zero are those in which it stands as a one. From there on all
    # others have a zero left, so that `direct` is right for them (TF is content with it for all).
    zeros = cumsum(cast(zero, DstT=dtypes.int32), axis, reverse=reverse)
    first = logical_and(zero, equal(zeros, 1))
    without = cumprod(select_v2(first, one, x), axis, exclusive=exclusive, reverse=reverse)
    return select_v2(first, later(without), direct)


@op(
    "CumulativeLogsumexp",
    infer=_infer_scan,
    dtypes=FLOATING,
    checked=True,
    outputs=("out",),
    traits=(OWN_SCOPE,),
    batch=along_axis,
)
def cumulative_logsumexp(xp, x, axis: Static, *, exclusive=False, reverse=False):
    """Compute the logarithms of the cumulative sums of the exponentials along `axis`."""
    fold = xp.groups.cumulative_logsumexp
    return _scan(xp, fold, -math.inf, x, axis, (exclusive, reverse))


@cumulative_logsumexp.gradient
def _(dz, *, x, axis, out, exclusive, reverse):
    # The logarithm of zero is finite here: infinities would cause NaN at the second order.
    lowest, one = scalar(float(dz.dtype.min), dz), scalar(1, dz)

    def share(weights: Any) -> Any:
        """Return the share of the positive `weights`, in logarithms: exponentials overflow."""
        present = greater(weights, scalar(0, dz))
        logs = select_v2(present, log(select_v2(present, weights, one)), lowest)
        total = cumulative_logsumexp(sub(logs, out), axis, exclusive=exclusive, reverse=not reverse)
        return exp(add_v2(total, x))

    return sub(share(dz), share(neg(dz)))
