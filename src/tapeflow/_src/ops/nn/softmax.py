"""Softmax over the last axis, and the cross entropies computed from logits."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import in_first_axis, on_values
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import (
    broadcast_shape,
    merge_shape,
    require_rank,
    require_rank_at_least,
)
from tapeflow._src.core.registry import Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import KEEPS_FINITE, NOT_ELEMENTWISE, ROWS, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.common import reshape, static_ints, sum_
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, sub
from tapeflow._src.ops.math.elementwise import exp


def _infer_rows(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    require_rank_at_least(specs[0], 1, "logits")
    return Spec(specs[0].shape, specs[0].dtype)


def _wide(xp: ModuleType, x: Any) -> Any:
    """Widen half precision to single: the sums of exponentials need it."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


_highest = np.maximum.reduce
# For few columns NumPy's maximum is several times faster along the columns of the transpose.
_FEW_COLUMNS = 32


def _highest_of_rows(rows: np.ndarray) -> Any:
    """Return the largest element of each row, along the last axis, as a column."""
    if rows.ndim == 2 and rows.shape[1] <= _FEW_COLUMNS <= len(rows):
        return _highest(np.ascontiguousarray(rows.T), axis=0)[:, None]
    return _highest(rows, axis=-1, keepdims=True)


@op(
    "Softmax",
    infer=_infer_rows,
    dtypes=FLOATING,
    checked=True,
    traits=(KEEPS_FINITE, TOTAL_ON_SHAPES),
    ragged_scope="RaggedSoftmax",
    batch=on_values,
)
def softmax(xp, logits):
    """Compute the exponentials along the last axis, normalised by their sum."""
    wide = _wide(xp, logits)
    powers = xp.exp(wide - xp.max(wide, axis=-1, keepdims=True, initial=-xp.inf))
    return (powers / xp.sum(powers, axis=-1, keepdims=True)).astype(logits.dtype)


@softmax.kernel("numpy")
def _(xp, logits):
    # The generic body in place.
    wide = _wide(xp, logits)
    if not wide.size:
        return wide.astype(logits.dtype)
    powers = wide - _highest_of_rows(wide)
    np.exp(powers, out=powers)
    powers /= np.add.reduce(powers, axis=-1, keepdims=True)
    return powers.astype(logits.dtype, copy=False)


@softmax.gradient
def _(dz, *, output):
    weighted = sum_(mul(dz, output), static_ints((-1,)), keep_dims=True)
    return mul(sub(dz, weighted), output)


@op(
    "LogSoftmax",
    infer=_infer_rows,
    dtypes=FLOATING,
    checked=True,
    traits=(ROWS, TOTAL_ON_SHAPES),
    batch=on_values,
)
def log_softmax(xp, logits):
    """Compute the logarithm of `softmax`, computed directly."""
    wide = _wide(xp, logits)
    shifted = wide - xp.max(wide, axis=-1, keepdims=True, initial=-xp.inf)
    total = xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))
    return (shifted - total).astype(logits.dtype)


@log_softmax.kernel("numpy")
def _(xp, logits):
    # The generic body in place.
    wide = _wide(xp, logits)
    if not wide.size:
        return wide.astype(logits.dtype)
    shifted = wide - _highest_of_rows(wide)
    total = np.add.reduce(np.exp(shifted), axis=-1, keepdims=True)
    shifted -= np.log(total, out=total)
    return shifted.astype(logits.dtype, copy=False)


@log_softmax.gradient
def _(dz, *, output):
    return sub(dz, mul(exp(output), sum_(dz, static_ints((-1,)), keep_dims=True)))


# -- cross entropies ---------------------------------------------------------------------------


@op(
    "SoftmaxCrossEntropyWithLogits",
    dtypes=FLOATING,
    outputs=("loss", "backprop"),
    checked=True,
    traits=(NOT_ELEMENTWISE,),
    batch=in_first_axis,
)
def softmax_cross_entropy_with_logits(xp, features, labels):
    """Compute the cross entropy of each row of logits with its row of probabilities, and its
    gradient.
    """
    wide, targets = _wide(xp, features), _wide(xp, labels)
    shifted = wide - xp.max(wide, axis=-1, keepdims=True, initial=-xp.inf)
    powers = xp.exp(shifted)
    total = xp.sum(powers, axis=-1, keepdims=True)
    loss = xp.sum(targets * (xp.log(total) - shifted), axis=-1)
    backprop = powers / total - targets
    return loss.astype(features.dtype), backprop.astype(features.dtype)


@softmax_cross_entropy_with_logits.infer
def _(features, labels):
    shape = broadcast_shape(features.shape, labels.shape)
    if shape is not None and len(shape) != 2:
        raise InferError(
            f"logits and labels must be beyond 1-dimensional matrices, got logits "
            f"{fmt_shape(features.shape)} and labels {fmt_shape(labels.shape)}"
        )
    rows = (None,) if shape is None else shape[:1]
    return Spec(rows, features.dtype), Spec(shape, features.dtype)


softmax_cross_entropy_with_logits.broadcasts = True


@softmax_cross_entropy_with_logits.gradient
def _(dloss=None, dbackprop=None, *, features, labels, backprop, needed):
    by_features = by_labels = None
    if needed[0]:
        by_features = _by_features(dloss, dbackprop, features, backprop)
    if needed[1]:
        parts = [] if dloss is None else [mul(_as_column(dloss), neg(log_softmax(features)))]
        parts += [] if dbackprop is None else [neg(dbackprop)]
        by_labels = add_v2(*parts) if len(parts) == 2 else parts[0]
    return by_features, by_labels


def _by_features(dloss: Any, dbackprop: Any, features: Any, backprop: Any) -> Any:
    """Return the gradient w.r.t. the logits, of the loss and of its gradient output.

    Only higher orders use the latter, so one of the two is mostly None.
    """
    of_loss = None if dloss is None else mul(_as_column(dloss), backprop)
    if dbackprop is None:
        return of_loss
    probabilities = softmax(features)
    inner = sum_(mul(dbackprop, probabilities), static_ints((-1,)), keep_dims=True)
    of_backprop = mul(sub(dbackprop, inner), probabilities)
    return of_backprop if of_loss is None else add_v2(of_loss, of_backprop)


def _as_column(vector: Any) -> Any:
    return reshape(vector, static_ints((-1, 1)))


def _bad_label(labels: Any, classes: int) -> str:
    bad = labels[(labels < 0) | (labels >= classes)]
    return (
        f"Received a label value of {int(bad[0])} which is outside the valid range of "
        f"[0, {classes}).  Label values: {' '.join(map(str, labels[:16].tolist()))}"
    )


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    dtypes=FLOATING,
    outputs=("loss", "backprop"),
    checked=True,
    batch=in_first_axis,
)
def sparse_softmax_cross_entropy_with_logits(xp, features, labels: Index):
    """Compute the cross entropy of each row of logits with a class, and its gradient."""
    classes = features.shape[1]
    xp.require(xp.all((labels >= 0) & (labels < classes)), lambda: _bad_label(labels, classes))
    wide = _wide(xp, features)
    shifted = wide - xp.max(wide, axis=-1, keepdims=True, initial=-xp.inf)
    powers = xp.exp(shifted)
    total = xp.sum(powers, axis=-1, keepdims=True)
    at = xp.clip(labels, 0, max(classes - 1, 0))[:, None]
    chosen = xp.take_along_axis(shifted, at, axis=-1) if classes else shifted[:, :1]
    loss = (xp.log(total) - chosen)[:, 0]
    backprop = powers / total - (xp.arange(classes, dtype=labels.dtype) == labels[:, None])
    return loss.astype(features.dtype), backprop.astype(features.dtype)


@sparse_softmax_cross_entropy_with_logits.kernel("numpy")
def _(xp, features, labels):
    # The generic body with half the passes: classes are looked up, not compared.
    classes = features.shape[1]
    # As unsigned, a negative label is very large.
    if labels.size and _highest(labels.view(f"u{labels.itemsize}")) >= classes:
        xp.require(False, _bad_label(labels, classes))
    chosen = np.arange(0, features.size, classes)
    chosen += labels
    wide = _wide(xp, features)
    shifted = wide - _highest_of_rows(wide)
    share = np.exp(shifted)
    total = np.add.reduce(share, axis=1, keepdims=True)
    loss = np.log(total[:, 0])
    loss -= shifted.reshape(-1).take(chosen)
    share /= total
    share.reshape(-1)[chosen] -= 1
    return loss.astype(features.dtype, copy=False), share.astype(features.dtype, copy=False)


@sparse_softmax_cross_entropy_with_logits.infer
def _(features, labels):
    require_rank(features, 2, "logits")
    require_rank(labels, 1, "labels")
    rows: Any = (None,)
    if features.shape is not None:
        rows = features.shape[:1]
        if features.shape[1] == 0:
            raise InferError(
                f"Must have at least one class, but got logits shape {fmt_shape(features.shape)}"
            )
    rows = merge_shape(rows, labels.shape, "there must be one label per row of logits")
    shape = features.shape if features.shape is None else (*rows, features.shape[1])
    return Spec(rows, features.dtype), Spec(shape, features.dtype)


@sparse_softmax_cross_entropy_with_logits.gradient
def _(dloss=None, dbackprop=None, *, features, backprop):
    return _by_features(dloss, dbackprop, features, backprop), None
