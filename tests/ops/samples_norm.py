"""Samples of batch normalization."""

import numpy as np

from tests.ops.harness import Law, S, f16, f32, positive

_NONE = np.zeros(0, np.float32)
# The statistics are float32 whatever the input, too coarse for finite differences; and the
# gradient leaves the statistics' own outputs out, as TF does.
_LAW = Law(finite=False, grad=False, rtol=1e-4, atol=1e-4, why="float32 statistics")

SAMPLES = [
    S("FusedBatchNormV3", f32(2, 3, 4, 5), positive(5), f32(5), _NONE, _NONE, law=_LAW),
    S("FusedBatchNormV3", f16(2, 3, 4, 3), positive(3), f32(3), _NONE, _NONE, law=_LAW),
    S(
        "FusedBatchNormV3",
        f32(2, 3, 4, 5),
        positive(3),
        f32(3),
        f32(3),
        positive(3),
        law=_LAW,
        is_training=False,
        data_format="NCHW",
    ),
    S(
        "FusedBatchNormV3",
        f32(2, 3, 4, 5),
        positive(5),
        f32(5),
        f32(5),
        positive(5),
        law=_LAW,
        exponential_avg_factor=0.1,
    ),
    S(
        "FusedBatchNormGradV3",
        f32(2, 3, 4, 5),
        f32(2, 3, 4, 5),
        positive(5),
        f32(5),
        positive(5),
        _NONE,
        law=_LAW,
    ),
    S(
        "FusedBatchNormGradV3",
        f32(2, 3, 4, 5),
        f32(2, 3, 4, 5),
        positive(5),
        f32(5),
        positive(5),
        _NONE,
        law=_LAW,
        is_training=False,
    ),
    S("_FusedBatchNormRelu", f32(2, 3, 4, 5), positive(5), f32(5), _NONE, _NONE, law=_LAW),
    S("_FusedBatchNormRelu", f16(2, 3, 4, 3), positive(3), f32(3), _NONE, _NONE, law=_LAW),
    S(
        "_FusedBatchNormRelu",
        f32(2, 3, 4, 5),
        positive(3),
        f32(3),
        f32(3),
        positive(3),
        law=_LAW,
        exponential_avg_factor=0.1,
        data_format="NCHW",
    ),
    S(
        "_FusedBatchNormAddRelu",
        f32(2, 3, 4, 5),
        positive(5),
        f32(5),
        _NONE,
        _NONE,
        f32(2, 3, 4, 5),
        law=_LAW,
    ),
    S(
        "_FusedBatchNormAddRelu",
        f32(1, 3, 4, 5),
        positive(3),
        f32(3),
        f32(3),
        positive(3),
        f32(4, 3, 4, 5),
        law=_LAW,
        exponential_avg_factor=0.1,
        data_format="NCHW",
    ),
    S(
        "_FusedBatchNormReluGrad",
        f32(2, 3, 4, 5),
        f32(2, 3, 4, 5),
        positive(5),
        f32(5),
        positive(5),
        f32(2, 3, 4, 5),
        law=_LAW,
    ),
    S(
        "_FusedBatchNormReluGrad",
        f32(2, 3, 4, 5),
        f32(2, 3, 4, 5),
        positive(3),
        f32(3),
        positive(3),
        f32(2, 3, 4, 5),
        law=_LAW,
        data_format="NCHW",
    ),
]
