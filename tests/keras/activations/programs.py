"""The activations at many values, with their options, in several dtypes, with gradients."""

from __future__ import annotations

CALLS = {
    "celu": ["", ", 0.5"],
    "elu": ["", ", 0.3"],
    "exponential": [""],
    "gelu": ["", ", True"],
    "glu": ["", ", 0"],
    "hard_shrink": ["", ", 1.0"],
    "hard_sigmoid": [""],
    "hard_silu": [""],
    "hard_tanh": [""],
    "leaky_relu": ["", ", 0.1"],
    "linear": [""],
    "log_sigmoid": [""],
    "log_softmax": ["", ", 0"],
    "mish": [""],
    "relu": [
        "",
        ", negative_slope=0.5",
        ", max_value=2.0",
        ", max_value=6",
        ", threshold=1.0",
        ", negative_slope=0.5, max_value=2.0, threshold=0.5",
        ", negative_slope=0.5, threshold=1.0",
    ],
    "relu6": [""],
    "selu": [""],
    "sigmoid": [""],
    "silu": [""],
    "soft_shrink": ["", ", 1.0"],
    "softmax": ["", ", axis=0"],
    "softplus": [""],
    "softsign": [""],
    "sparse_plus": [""],
    "sparse_sigmoid": [""],
    "sparsemax": ["", ", 0"],
    "squareplus": ["", ", 1"],
    "tanh": [""],
    "tanh_shrink": [""],
    "threshold": [", 0.5, 9.0"],
}

VALUES = """
x = tf.constant([[-8.0, -3.5, -1.5, -1.0, -0.6, -0.25], [0.2, 0.4, 0.75, 1.5, 2.5, 7.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = k.activations.{name}(x{options})
weights = tf.reshape(tf.range(tf.cast(tf.size(y), tf.float32)), tf.shape(y))
result = [y, tape.gradient(y, x, weights)]
"""
DTYPES = """
result = []
for dtype in {dtypes}:
    try:
        result.append(k.activations.{name}(tf.cast([[1.0, -2.0], [2.0, 3.0]], dtype){options}))
    except Exception:
        result.append("error")
"""


def dtypes(name: str) -> tuple[str, ...]:
    # Keras' hard sigmoid refuses float64.
    wide = () if name.startswith("hard_si") else ("float64",)
    return ("float16", "bfloat16", "int32", *wide)


PROGRAMS = {
    **{
        f"{name}(x{options})": VALUES.format(name=name, options=options)
        for name, several in CALLS.items()
        for options in several
    },
    **{
        f"dtypes of {name}": DTYPES.format(name=name, options=several[0], dtypes=dtypes(name))
        for name, several in CALLS.items()
    },
    **{
        f"config of {name}": f"k.activations.serialize(k.activations.{name})"
        for name in (*CALLS, "swish", "hard_swish")
    },
    "numbers": "[k.activations.relu([-1, 2]), k.activations.tanh(1), k.activations.linear([1, 2])]",
    "a vector": "k.activations.softmax(tf.constant([1.0, 2.0]))",
    "unknown": "k.activations.get('foo')",
    "no activation": "k.activations.get(3)",
    "odd": "k.activations.glu(tf.ones([3]))",
}
