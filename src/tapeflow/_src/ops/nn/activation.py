"""Activation functions, and the ops of their gradients."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, REAL
from tapeflow._src.core.infer import all_same, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import KEEPS_FINITE, KEEPS_WEAK, OWN_SCOPE, TOTAL, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, mul, real_div, sign, sub
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.elementwise import scalar, sigmoid

_RELU = REAL | {dtypes.qint8}
# The constants of SELU, in double precision.
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _constant(xp: ModuleType, value: float, like: Any) -> Any:
    """Return a number of the dtype: NumPy promotes bfloat16 to float32 for Python numbers."""
    if xp.name == "numpy":
        return like.dtype.type(value)  # a tenth of the time of an array
    return xp.full((), value, like.dtype)


def _selu_constants(xp: ModuleType, like: Any) -> tuple[Any, Any]:
    return _constant(xp, _SELU_SCALE, like), _constant(xp, _SELU_SCALE_ALPHA, like)


@op("Relu", infer=same_as("features"), dtypes=_RELU, traits=(KEEPS_FINITE, TOTAL))
def relu(xp, features):
    """Rectified linear unit: `max(features, 0)`."""
    return xp.maximum(features, _constant(xp, 0, features))


@relu.gradient
def _(dz, *, output):
    return relu_grad(dz, output)


@op("ReluGrad", infer=all_same, dtypes=REAL, checked=True, traits=(KEEPS_FINITE, TOTAL_ON_SHAPES))
def relu_grad(xp, gradients, features):
    """Gradient of `relu`: `gradients` where `features` is positive, 0 elsewhere."""
    # A product, as in TensorFlow: 0 × inf is NaN. `where` takes NumPy seven times as long.
    return gradients * (features > 0).astype(gradients.dtype)


@relu_grad.kernel("numpy")
def _(xp, gradients, features):
    product = (features > 0).astype(gradients.dtype)
    product *= gradients
    return product


@relu_grad.gradient
def _(dz, *, features):
    return relu_grad(dz, features), None


@op("Relu6", infer=same_as("features"), dtypes=REAL, traits=(KEEPS_FINITE, OWN_SCOPE, TOTAL))
def relu6(xp, features):
    """Rectified linear unit capped at 6: `min(max(features, 0), 6)`."""
    below = xp.maximum(features, _constant(xp, 0, features))
    return xp.minimum(below, _constant(xp, 6, features))


@relu6.gradient
def _(dz, *, output):
    return relu6_grad(dz, output)


@op("Relu6Grad", infer=all_same, dtypes=REAL, checked=True, traits=(KEEPS_FINITE, TOTAL_ON_SHAPES))
def relu6_grad(xp, gradients, features):
    """Gradient of `relu6`: `gradients` where `features` is between 0 and 6, 0 elsewhere."""
    # A product, as in TensorFlow: 0 × inf is NaN.
    return gradients * ((features > 0) & (features < 6)).astype(gradients.dtype)


@relu6_grad.gradient
def _(dz, *, features):
    return relu6_grad(dz, features), None


@op("LeakyRelu", infer=same_as("features"), dtypes=FLOATING, traits=(KEEPS_WEAK, OWN_SCOPE, TOTAL))
def leaky_relu(xp, features, *, alpha=0.2):
    """Leaky ReLU: `features` where positive, `alpha * features` elsewhere."""
    return xp.where(features > 0, features, _constant(xp, alpha, features) * features)


@leaky_relu.kernel("numpy")
def _(xp, features, *, alpha):
    # `where` takes NumPy ten times as long.
    if not 0 < alpha <= 1:
        return leaky_relu.body(xp, features, alpha=alpha)
    scaled = features * _constant(xp, alpha, features)
    return np.maximum(features, scaled, out=scaled if scaled.ndim else None)


@leaky_relu.gradient
def _(dz, *, features, alpha):
    return leaky_relu_grad(dz, features, alpha=alpha)


@op("LeakyReluGrad", infer=all_same, dtypes=FLOATING, checked=True, traits=(TOTAL_ON_SHAPES,))
def leaky_relu_grad(xp, gradients, features, *, alpha=0.2):
    """Gradient of `leaky_relu`."""
    return xp.where(features > 0, gradients, _constant(xp, alpha, gradients) * gradients)


@leaky_relu_grad.kernel("numpy")
def _(xp, gradients, features, *, alpha):
    if not 0 <= alpha <= 1:
        return leaky_relu_grad.body(xp, gradients, features, alpha=alpha)
    factors = (features > 0).astype(gradients.dtype)
    least = _constant(xp, alpha, gradients)
    factors = np.maximum(factors, least, out=factors if factors.ndim else None)
    factors *= gradients
    return factors


@leaky_relu_grad.gradient
def _(dz, *, features, alpha):
    return leaky_relu_grad(dz, features, alpha=alpha), None


@op("Elu", infer=same_as("features"), dtypes=FLOATING, traits=(KEEPS_FINITE, TOTAL))
def elu(xp, features):
    """Exponential linear unit: `features` where positive, `exp(features) - 1` elsewhere."""
    negative = xp.expm1(xp.minimum(features, _constant(xp, 0, features)))
    return xp.where(features < 0, negative, features)


@elu.kernel("numpy")
def _(xp, features):
    # Below zero the exponential is the larger of both.
    return xp.maximum(features, xp.expm1(xp.minimum(features, _constant(xp, 0, features))))


@elu.gradient
def _(dz, *, output):
    return elu_grad(dz, output)


@op("EluGrad", infer=all_same, dtypes=FLOATING, checked=True, traits=(TOTAL_ON_SHAPES,))
def elu_grad(xp, gradients, outputs):
    """Compute the gradient of `elu`, from its output."""
    return xp.where(outputs < 0, gradients * (outputs + _constant(xp, 1, outputs)), gradients)


@elu_grad.gradient
def _(dz, *, gradients, outputs, needed):
    zero = scalar(0, dz)
    by_output = None
    if needed[1]:
        by_output = select_v2(less(outputs, zero), mul(dz, gradients), zero)
    return elu_grad(dz, outputs), by_output


@op("Selu", infer=same_as("features"), dtypes=FLOATING, traits=(TOTAL,))
def selu(xp, features):
    """Scaled exponential linear unit (SELU)."""
    slope, negative_slope = _selu_constants(xp, features)
    negative = negative_slope * xp.expm1(xp.minimum(features, _constant(xp, 0, features)))
    return xp.where(features < 0, negative, slope * features)


@selu.kernel("numpy")
def _(xp, features):
    slope, negative_slope = _selu_constants(xp, features)
    zero = _constant(xp, 0, features)
    result = xp.expm1(xp.minimum(features, zero))
    result *= negative_slope
    positive = xp.maximum(features, zero)
    positive *= slope
    result += positive
    return result


@selu.gradient
def _(dz, *, output):
    return selu_grad(dz, output)


@op("SeluGrad", infer=all_same, dtypes=FLOATING, checked=True, traits=(TOTAL_ON_SHAPES,))
def selu_grad(xp, gradients, outputs):
    """Compute the gradient of `selu`, from its output."""
    slope, negative_slope = _selu_constants(xp, outputs)
    negative = gradients * (outputs + negative_slope)
    return xp.where(outputs < 0, negative, gradients * slope)


@selu_grad.gradient
def _(dz, *, gradients, outputs, needed):
    zero = scalar(0, dz)
    by_output = None
    if needed[1]:
        by_output = select_v2(less(outputs, zero), mul(dz, gradients), zero)
    return selu_grad(dz, outputs), by_output


@op(
    "Softplus", infer=same_as("features"), dtypes=FLOATING, traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL)
)
def softplus(xp, features):
    """Compute `log(1 + exp(features))`, without overflow."""
    return xp.logaddexp(features, _constant(xp, 0, features))


@softplus.kernel("numpy")
def _(xp, features):
    # NumPy's `logaddexp` calls the C library for each element.
    result = xp.log1p(xp.exp(-xp.abs(features)))
    result += xp.maximum(features, _constant(xp, 0, features))
    return result


@softplus.gradient
def _(dz, *, features):
    return mul(dz, sigmoid(features))


@op("SoftplusGrad", infer=all_same, dtypes=FLOATING, checked=True, traits=(TOTAL_ON_SHAPES,))
def softplus_grad(xp, gradients, features):
    """Compute the gradient of `softplus`."""
    return gradients / (xp.exp(-features) + _constant(xp, 1, features))


@softplus_grad.gradient
def _(dz, *, gradients, features, needed):
    share = sigmoid(features)
    by_features = mul(mul(dz, gradients), mul(share, sub(scalar(1, share), share)))
    return mul(dz, share), by_features


@op(
    "Softsign", infer=same_as("features"), dtypes=FLOATING, traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL)
)
def softsign(xp, features):
    """Compute `features / (1 + |features|)`."""
    return features / (xp.abs(features) + _constant(xp, 1, features))


@softsign.gradient
def _(dz, *, features):
    return softsign_grad(dz, features)


@op("SoftsignGrad", infer=all_same, dtypes=FLOATING, checked=True, traits=(TOTAL_ON_SHAPES,))
def softsign_grad(xp, gradients, features):
    """Compute the gradient of `softsign`."""
    return gradients / xp.square(xp.abs(features) + _constant(xp, 1, features))


@softsign_grad.gradient
def _(dz, *, gradients, features, needed):
    by_features = None
    if needed[1]:
        one = add_v2(scalar(1, features), absolute(features))
        cube = mul(one, mul(one, one))
        slope = real_div(mul(scalar(-2, features), sign(features)), cube)
        by_features = mul(mul(dz, gradients), slope)
    return softsign_grad(dz, features), by_features
