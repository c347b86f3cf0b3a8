"""Checks: ops that return their input, or raise."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.registry import Bool, InferError, ManyFree, op
from tapeflow._src.core.traits import SPEAKS


# Checks run even if their results are unused: failing is an effect.
@op(
    "CheckNumerics",
    infer=same_as("tensor"),
    dtypes=FLOATING,
    effect="io",
    traits=(SPEAKS,),
    batch=on_values,
)
def check_numerics(xp, tensor, *, message):
    """Return `tensor`; raise if it contains NaN or infinity."""
    xp.require(xp.all(xp.isfinite(tensor)), lambda: _nonfinite_kinds(tensor, message, signed=False))
    return tensor


@check_numerics.gradient
def _(dz, *, message):
    return check_numerics(dz, message=_in_gradient(message))


@op(
    "CheckNumericsV2",
    infer=same_as("tensor"),
    dtypes=FLOATING,
    effect="io",
    traits=(SPEAKS,),
    batch=on_values,
)
def check_numerics_v2(xp, tensor, *, message):
    """Like `CheckNumerics`; the message includes the sign of infinities."""
    xp.require(xp.all(xp.isfinite(tensor)), lambda: _nonfinite_kinds(tensor, message, signed=True))
    return tensor


@check_numerics_v2.gradient
def _(dz, *, message):
    return check_numerics_v2(dz, message=_in_gradient(message))


def _in_gradient(message: str) -> str:
    return f"The gradient contains NaN or Inf (checked by tf.debugging.check_numerics). {message}"


def _nonfinite_kinds(tensor: Any, message: str, *, signed: bool) -> str:
    infinite = np.isinf(tensor)
    kinds = []
    if signed:
        kinds += ["-Inf"] if np.any(infinite & (tensor < 0)) else []
        kinds += ["+Inf"] if np.any(infinite & (tensor > 0)) else []
    elif np.any(infinite):
        kinds.append("Inf")
    if np.any(np.isnan(tensor)):
        kinds.append("NaN")
    words = " and ".join(kinds) if len(kinds) < 3 else f"{kinds[0]}, {kinds[1]}, and {kinds[2]}"
    return f"{message} : Tensor had {words} values"


@op("Assert", outputs=(), effect="io", grad=None, checked=True, traits=(SPEAKS,))
def assert_op(xp, condition: Bool, data: ManyFree, *, summarize=3):
    """Raise an error with the values of `data` unless the condition holds."""
    xp.require(condition, lambda: f"assertion failed: {_summary(data, summarize)}")
    return ()


@assert_op.infer
def _(condition, data, *, summarize):
    if condition.shape:
        raise InferError(f"In[0] should be a scalar: {fmt_shape(condition.shape)}")
    return ()


def _summary(data: Any, summarize: int) -> str:
    texts = []
    for array in data:
        flat = array.reshape(-1).tolist()
        shown = flat if summarize < 0 else flat[:summarize]
        words = [v.decode(errors="replace") if isinstance(v, bytes) else str(v) for v in shown]
        texts.append("[" + " ".join(words) + ("..." if len(shown) < len(flat) else "") + "]")
    return " ".join(texts)
