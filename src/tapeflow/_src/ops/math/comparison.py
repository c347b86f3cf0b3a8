"""Element-wise comparisons: from two tensors to booleans."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, on_aligned, on_values
from tapeflow._src.core.dtypes import NUMERIC, REAL
from tapeflow._src.core.infer import broadcast_bool, broadcast_shape, merge_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import BROADCASTS, ELEMENTWISE, PROMOTES, TOTAL_ON_SHAPES
from tapeflow._src.kernels.strings.packed import equal_strings

_EQUALITY = NUMERIC | dtypes.QUANTIZED | {dtypes.bool, dtypes.string}


@op("Less", infer=broadcast_bool, dtypes=REAL, grad=None, traits=(PROMOTES, TOTAL_ON_SHAPES))
def less(xp, x, y):
    """Compute `x < y`, element-wise."""
    return xp.less(x, y)


@op("LessEqual", infer=broadcast_bool, dtypes=REAL, grad=None, traits=(PROMOTES, TOTAL_ON_SHAPES))
def less_equal(xp, x, y):
    """Compute `x <= y`, element-wise."""
    return xp.less_equal(x, y)


@op("Greater", infer=broadcast_bool, dtypes=REAL, grad=None, traits=(PROMOTES, TOTAL_ON_SHAPES))
def greater(xp, x, y):
    """Compute `x > y`, element-wise."""
    return xp.greater(x, y)


@op(
    "GreaterEqual", infer=broadcast_bool, dtypes=REAL, grad=None, traits=(PROMOTES, TOTAL_ON_SHAPES)
)
def greater_equal(xp, x, y):
    """Compute `x >= y`, element-wise."""
    return xp.greater_equal(x, y)


def _fit(x, y):
    """Whether arrays can be compared element-wise."""
    if x.shape == y.shape or not x.shape or not y.shape:
        return True
    try:
        broadcast_shape(x.shape, y.shape)
    except InferError:
        return False
    return True


def _infer_equality(op, specs, attrs):
    x, y = specs
    if attrs["incompatible_shape_error"]:
        return Spec(broadcast_shape(x.shape, y.shape), dtypes.bool)
    try:
        shape = broadcast_shape(x.shape, y.shape)
    except InferError:
        return Spec((), dtypes.bool)
    return Spec(shape if _will_fit(x.shape, y.shape) else None, dtypes.bool)


def _will_fit(x, y):
    """Whether shapes with unknown sizes are assumed to be compatible.

    An unknown size against one greater than 1 may turn out incompatible, and then the result is a
    scalar; against 1, nothing, or another unknown size it is assumed to be compatible.
    """
    if x is None or y is None:
        return False
    pairs = zip_longest(reversed(x), reversed(y), fillvalue=1)
    return not any((a is None) != (b is None) and 1 not in (a, b) for a, b in pairs)


def _compared(compare, x, y):
    if x.dtype.kind == "V" and x.dtype.fields:
        x, y = x.view(x.dtype[0]), y.view(y.dtype[0])
    result = compare(x, y)
    return result if result.dtype == bool else result.astype(bool)


def _batch_equal(batch: Batch, x: Any, y: Any, **attrs: Any) -> Any:
    """Batch comparisons: incompatible shapes have one result per call, not one per element."""
    try:
        broadcast_shape(x.static_shape, y.static_shape)
    except InferError:
        return NotImplemented
    return on_aligned(batch, x, y, **attrs)


@op(
    "Equal",
    infer=_infer_equality,
    dtypes=_EQUALITY,
    grad=None,
    traits=(BROADCASTS, ELEMENTWISE, PROMOTES, TOTAL_ON_SHAPES),
    batch=_batch_equal,
)
def equal(xp, x, y, *, incompatible_shape_error=True):
    """Compute `x == y`, element-wise; incompatible shapes are unequal, if that is no error."""
    if not incompatible_shape_error and not _fit(x, y):
        return xp.asarray(False)
    return _compared(xp.equal, x, y)


@equal.kernel("packed")
def _(xp, x, y, *, incompatible_shape_error):
    return equal_strings(x, y)


@op(
    "NotEqual",
    infer=_infer_equality,
    dtypes=_EQUALITY,
    grad=None,
    traits=(BROADCASTS, ELEMENTWISE, PROMOTES, TOTAL_ON_SHAPES),
    batch=_batch_equal,
)
def not_equal(xp, x, y, *, incompatible_shape_error=True):
    """Compute `x != y`, element-wise; incompatible shapes are unequal, if that is no error."""
    if not incompatible_shape_error and not _fit(x, y):
        return xp.asarray(True)
    return _compared(xp.not_equal, x, y)


@not_equal.kernel("packed")
def _(xp, x, y, *, incompatible_shape_error):
    equal = equal_strings(x, y)
    return equal if equal is NotImplemented else ~equal


@op(
    "ApproximateEqual",
    dtypes=NUMERIC,
    grad=None,
    checked=True,
    traits=(ELEMENTWISE,),
    batch=on_values,
)
def approximate_equal(xp, x, y, *, tolerance=1e-5):
    """Whether `x` and `y` differ by less than `tolerance`, element by element."""
    return xp.less(xp.abs(xp.subtract(x, y)), tolerance)


@approximate_equal.infer
def _(x, y, *, tolerance):
    return Spec(merge_shape(x.shape, y.shape, "x and y must be of the same shape"), dtypes.bool)
