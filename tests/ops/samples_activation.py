"""Samples of activations, softmax and cross entropies."""

import numpy as np

from tests.ops.harness import S, bf16, f16, f32, f64, i32

_LABELS = np.array([0, 3, 1], np.int32)
_PROBABILITIES = np.array(
    [[0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]], np.float32
)

SAMPLES = [
    S("Relu", f32(3, 4)),
    S("Relu", i32(5)),
    S("ReluGrad", f32(4), f32(4)),
    S("Relu6", f32(3, 4, low=-3, high=9)),
    S("Relu6Grad", f32(6), f32(6, low=-3, high=9)),
    S("LeakyRelu", f32(3, 4), alpha=0.3),
    S("LeakyRelu", f16(3)),
    S("LeakyReluGrad", f32(4), f32(4), alpha=0.1),
    S("LeakyRelu", f32()),
    S("LeakyRelu", f32(3), alpha=2.0),
    S("LeakyReluGrad", f32(), f32()),
    S("LeakyReluGrad", f32(4), f32(4), alpha=-1.0),
    S("Elu", f32(3, 4)),
    S("EluGrad", f32(4), f32(4, low=-0.9)),
    S("Selu", f64(3, 4)),
    S("SeluGrad", f32(4), f32(4, low=-1.5)),
    S("Softplus", f32(3, 4)),
    S("Softplus", np.array([-200.0, 200.0, 0.0], np.float32)),
    S("SoftplusGrad", f32(4), f32(4)),
    S("Softsign", f32(3, 4)),
    S("SoftsignGrad", f32(4), f32(4)),
    *(
        S(name, bf16(5))
        for name in ("Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign")
    ),
    *(
        S(f"{name}Grad", bf16(5), bf16(5))
        for name in ("Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign")
    ),
    S("Softmax", bf16(2, 5)),
    S("LogSoftmax", bf16(2, 5)),
    S("L2Loss", bf16(2, 3)),
    S("BiasAdd", bf16(2, 3), bf16(3)),
    S("BiasAddGrad", bf16(2, 3)),
    S("SoftmaxCrossEntropyWithLogits", bf16(3, 4), _PROBABILITIES.astype("bfloat16")),
    S("SparseSoftmaxCrossEntropyWithLogits", bf16(3, 4), _LABELS),
    S("BiasAdd", f32(2, 3), f32(3)),
    S("BiasAdd", i32(2, 3, 4), i32(3), data_format="NCHW"),
    S("BiasAdd", f32(2, 3, 4, 5), f32(3), data_format="NCHW"),
    S("BiasAddGrad", f32(2, 3, 4)),
    S("BiasAddGrad", f32(2, 3, 4), data_format="NCHW"),
    S("L2Loss", f32(2, 3)),
    S("Softmax", f32(3, 4)),
    S("Softmax", f32(2, 3, 4)),
    S("Softmax", f16(2, 5)),
    S("Softmax", f32(0, 4)),
    S("LogSoftmax", f32(3, 4)),
    S("LogSoftmax", f64(5)),
    S("SoftmaxCrossEntropyWithLogits", f32(3, 4), _PROBABILITIES),
    S("SoftmaxCrossEntropyWithLogits", f32(3, 4), _PROBABILITIES[:1]),
    S("SparseSoftmaxCrossEntropyWithLogits", f32(3, 4), _LABELS),
    S("SparseSoftmaxCrossEntropyWithLogits", f32(3, 4), _LABELS.astype(np.int64)),
]
