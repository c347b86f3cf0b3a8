"""Samples of the ops of recurrent layers."""

import numpy as np

from tests.ops.harness import Law, S, f16, f32, f64

_MASK = np.array([[True, True], [False, True], [True, False]])
_NO_MASK = np.zeros((0, 2), np.bool_)
_NO_GRADIENT = np.zeros((0, 0, 0), np.float64)
# The vector-Jacobian product is JAX's own; it has no gradient.
_LAST = Law(grad=False, finite=False, why="has no gradient")
_HALF = Law(grad=False, finite=False, rtol=2e-2, atol=2e-2, why="ten bits of precision")
_ORDER_1 = Law(order2=False, why="its gradient is a vector-Jacobian product without one")

_STATE, _KERNEL, _BIAS = f64(2, 4), f64(4, 16), f64(12)
_SAVED = (f64(3, 2, 4), f64(3, 2, 4), f64(3, 2, 16))
_GRU_SAVED = (f64(3, 2, 4), f64(3, 2, 12), f64(3, 2, 4))

SAMPLES = [
    S("_LSTMSequence", f64(3, 2, 16), _STATE, f64(2, 4), _KERNEL, _NO_MASK),
    S("_LSTMSequence", f64(3, 2, 16), _STATE, f64(2, 4), _KERNEL, _MASK, masked=True),
    S("_LSTMSequence", f64(0, 2, 16), _STATE, f64(2, 4), _KERNEL, _NO_MASK, law=_ORDER_1),
    S("_LSTMSequence", f16(3, 2, 16), f16(2, 4), f16(2, 4), f16(4, 16), _NO_MASK, law=_HALF),
    S("_LSTMSequence", f32(3, 2, 16), f32(2, 4), f32(2, 4), f32(4, 16), _NO_MASK),
    S(
        "_LSTMSequenceGrad",
        *(f64(3, 2, 4), f64(3, 2, 4), f64(3, 2, 16)),
        *(_STATE, f64(2, 4), _KERNEL, _MASK, *_SAVED),
        law=_ORDER_1,
        masked=True,
    ),
    S(
        "_LSTMSequenceGrad",
        *(f64(3, 2, 4), _NO_GRADIENT, _NO_GRADIENT),
        *(_STATE, f64(2, 4), _KERNEL, _NO_MASK, *_SAVED),
        law=_ORDER_1,
    ),
    S(
        "_LSTMSequenceGradVjp",
        [*(f64(3, 2, 4), _NO_GRADIENT, _NO_GRADIENT), _STATE, f64(2, 4), _KERNEL, *_SAVED],
        [f64(3, 2, 16), f64(2, 4), f64(2, 4), f64(4, 16)],
        _NO_MASK,
        law=_LAST,
    ),
    S("_GRUSequence", f64(3, 2, 12), _STATE, f64(4, 12), _BIAS, _NO_MASK),
    S("_GRUSequence", f64(3, 2, 12), _STATE, f64(4, 12), _BIAS, _MASK, masked=True),
    S("_GRUSequence", f64(3, 2, 12), _STATE, f64(4, 12), _BIAS, _NO_MASK, reset_after=False),
    S(
        "_GRUSequence",
        *(f64(3, 2, 12), _STATE, f64(4, 12), _BIAS, _MASK),
        masked=True,
        reset_after=False,
    ),
    S("_GRUSequence", f64(0, 2, 12), _STATE, f64(4, 12), _BIAS, _NO_MASK, law=_ORDER_1),
    S("_GRUSequence", f16(3, 2, 12), f16(2, 4), f16(4, 12), f16(12), _NO_MASK, law=_HALF),
    S(
        "_GRUSequenceGrad",
        *(f64(3, 2, 4), f64(3, 2, 12), f64(3, 2, 4)),
        *(_STATE, f64(4, 12), _BIAS, _MASK, *_GRU_SAVED),
        law=_ORDER_1,
        masked=True,
    ),
    S(
        "_GRUSequenceGrad",
        *(f64(3, 2, 4), _NO_GRADIENT, _NO_GRADIENT),
        *(_STATE, f64(4, 12), _BIAS, _NO_MASK, *_GRU_SAVED),
        law=_ORDER_1,
        reset_after=False,
    ),
    S(
        "_GRUSequenceGradVjp",
        [*(f64(3, 2, 4), _NO_GRADIENT, _NO_GRADIENT), _STATE, f64(4, 12), _BIAS, *_GRU_SAVED],
        [f64(3, 2, 12), f64(2, 4), f64(4, 12), f64(12)],
        _NO_MASK,
        law=_LAST,
    ),
]
