"""Evenly spaced numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError, Static, StaticT, op
from tapeflow._src.core.spec import Spec

_MAX_COUNT = 2.0**63


@op("Range", dtypes=dtypes.REAL - {dtypes.uint8}, grad=None, display="range")
def range_(xp, start: StaticT, limit: StaticT, delta: StaticT):
    """Return the numbers from `start` up to but excluding `limit`, in steps of `delta`."""
    if start.ndim or limit.ndim or delta.ndim:
        raise InferError("Range takes scalars.")
    if start.dtype.kind in "iu" and delta > 0 and start <= limit:
        first, step = start.item(), delta.item()
        return blocks.counted(first, step, -((first - limit.item()) // step), start.dtype)
    count = _range_count(start, limit, delta)
    return start + np.arange(count).astype(start.dtype) * delta


def _range_count(start: Any, limit: Any, delta: Any) -> int:
    first, last, step = start.item(), limit.item(), delta.item()
    if step == 0:
        raise InferError(f"Requires delta != 0: {step}")
    if (step > 0 and first > last) or (step < 0 and first < last):
        sign = ("<=", ">") if step > 0 else (">=", "<")
        raise InferError(f"Requires start {sign[0]} limit when delta {sign[1]} 0: {first}/{last}")
    if isinstance(step, int):
        return (abs(last - first) + abs(step) - 1) // abs(step)
    # In the precision of the tensors, as TensorFlow counts: (1.1 - 0.1) / 0.1 is 10 in float32.
    with np.errstate(all="ignore"):
        size = abs(float((limit - start) / delta))
    if not size < _MAX_COUNT:
        raise InferError(f"Range from {first} to {last} by {step} has no countable length.")
    return math.ceil(size)


def _require_scalars(**specs: Spec) -> None:
    for name, spec in specs.items():
        if spec.shape:
            raise InferError(f"{name} must be a scalar, not shape {fmt_shape(spec.shape)}")


@range_.infer
def _(start, limit, delta):
    _require_scalars(start=start, limit=limit, delta=delta)
    if start.value is None or limit.value is None or delta.value is None:
        return Spec((None,), start.dtype)
    return Spec((_range_count(start.value, limit.value, delta.value),), start.dtype)


@op("LinSpace", dtypes=dtypes.FLOATING, grad=None, checked=True)
def lin_space(xp, start, stop, num: Static):
    """Return `num` numbers from `start` to `stop`, both included."""
    count = num.item()
    if count == 1:
        return start.reshape((1,))
    step = (stop - start) / np.array(count - 1, start.dtype)
    inner = start + xp.arange(count - 1).astype(start.dtype) * step
    return xp.concatenate([inner, stop.reshape((1,))])


@lin_space.infer
def _(start, stop, num):
    _require_scalars(start=start, stop=stop, num=num)
    if num.value is None:
        return Spec((None,), start.dtype)
    if num.value <= 0:
        raise InferError(f"Requires num > 0: {num.value}")
    return Spec((int(num.value),), start.dtype)
