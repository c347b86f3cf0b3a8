"""Element-wise comparisons: from two tensors to booleans."""

from __future__ import annotations

from tapeflow.core import dtypes
from tapeflow.core.dtypes import NUMERIC, REAL
from tapeflow.core.errors import InvalidArgumentError, fmt_shape
from tapeflow.core.infer import broadcast_bool, broadcast_shape
from tapeflow.core.registry import InferError, op
from tapeflow.core.spec import Spec

_EQUALITY = NUMERIC | dtypes.QUANTIZED | {dtypes.bool, dtypes.string}


@op("Less", infer=broadcast_bool, dtypes=REAL, grad=None)
def less(xp, x, y):
    """`x < y`, element by element."""
    return xp.less(x, y)


@op("LessEqual", infer=broadcast_bool, dtypes=REAL, grad=None)
def less_equal(xp, x, y):
    """`x <= y`, element by element."""
    return xp.less_equal(x, y)


@op("Greater", infer=broadcast_bool, dtypes=REAL, grad=None)
def greater(xp, x, y):
    """`x > y`, element by element."""
    return xp.greater(x, y)


@op("GreaterEqual", infer=broadcast_bool, dtypes=REAL, grad=None)
def greater_equal(xp, x, y):
    """`x >= y`, element by element."""
    return xp.greater_equal(x, y)


def _broadcasts(x, y, incompatible_shape_error):
    """Whether the shapes fit; an error if they do not and that was asked for."""
    try:
        broadcast_shape(x.shape, y.shape)
    except InferError:
        if incompatible_shape_error:
            raise InvalidArgumentError(
                None, None, f"Incompatible shapes: {fmt_shape(x.shape)} vs. {fmt_shape(y.shape)}"
            ) from None
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
    # Sizes not known yet may turn out not to fit, and then the result is a scalar.
    known = shape is not None and None not in (*x.shape, *y.shape)
    return Spec(shape if known else None, dtypes.bool)


@op("Equal", infer=_infer_equality, dtypes=_EQUALITY, grad=None)
def equal(xp, x, y, *, incompatible_shape_error=True):
    """`x == y`, element by element; shapes that do not fit are unequal, if that is no error."""
    if not _broadcasts(x, y, incompatible_shape_error):
        return xp.asarray(False)
    return xp.asarray(xp.equal(x, y), dtype=bool)


@op("NotEqual", infer=_infer_equality, dtypes=_EQUALITY, grad=None)
def not_equal(xp, x, y, *, incompatible_shape_error=True):
    """`x != y`, element by element; shapes that do not fit are unequal, if that is no error."""
    if not _broadcasts(x, y, incompatible_shape_error):
        return xp.asarray(True)
    return xp.asarray(xp.not_equal(x, y), dtype=bool)
