"""Programs on `tf.nn` whose results and gradients must be TensorFlow's.

Each is text that sees `tf`, `np` and what the prelude defines, and ends in the expression that is
compared. Convolutions and pools are in `nn_window_programs.py`, lookups and labels in
`nn_label_programs.py`.
"""

from __future__ import annotations

from tests.parity.nn_label_programs import PROGRAMS as LABELS
from tests.parity.nn_window_programs import PROGRAMS as WINDOWS

PRELUDE = '''
tf.random.set_seed(None)
N = tf.nn
def v(*shape, k=0, low=-2.0, high=2.0, t="float32"):
    """Numbers that depend on the shape and on `k` alone."""
    seed = k + 7 * int(np.prod(shape)) + 131 * len(shape)
    return tf.cast(np.random.default_rng(seed).uniform(low, high, shape), t)
def weights(t):
    places = np.arange(int(np.prod(t.shape)), dtype=np.float64).reshape(t.shape)
    return tf.cast(np.cos(places), t.dtype)
def mark(t):
    """A small tensor itself; of a larger one its dtype, shape and two sums over it."""
    if not isinstance(t, tf.Tensor) or t.shape.num_elements() <= 12 or not t.dtype.is_floating:
        return t
    wide, places = tf.cast(t, "float64"), np.arange(t.shape.num_elements()).reshape(t.shape)
    sums = [tf.reduce_sum(wide * np.cos(places)), tf.reduce_sum(wide * np.sin(1.7 * places))]
    return [t.dtype, t.shape, tf.cast(tf.stack(sums), t.dtype)]
def g(f, *xs):
    """The result of a function and its gradients by its arguments."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    ys = [t for t in tf.nest.flatten(y) if t.dtype.is_floating]
    found = tape.gradient(ys, xs, output_gradients=[weights(t) for t in ys])
    return [mark(t) for t in [*tf.nest.flatten(y), *found]]
def m(*results):
    return [mark(t) for t in tf.nest.flatten(results)]
'''

FLOATS = ("float16", "bfloat16", "float32", "float64")
SMOOTH = ("elu", "selu", "softplus", "softsign", "sigmoid", "tanh", "silu", "gelu")
ACTIVATIONS = ("relu", "relu6", "crelu", "leaky_relu", *SMOOTH, "softmax", "log_softmax")
# TensorFlow rounds constants of these to float32 whatever the dtype.
COARSE = {("leaky_relu", "float64"), ("gelu", "float64")}

ACTIVATION = {
    **{
        f"{a} {t}": f"g(N.{a}, v(3, 5, low=-7, high=7, t='{t}'))"
        for a in ACTIVATIONS
        for t in FLOATS
        if (a, t) not in COARSE
    },
    **{f"{a} of integers": f"N.{a}([[-3, 0, 8]])" for a in ACTIVATIONS},
    **{
        f"{a} of specials": f"N.{a}([[np.inf, -np.inf, np.nan, 0.0, -0.0]])"
        for a in ACTIVATIONS
        if "softmax" not in a
    },
    **{
        f"{a} of extremes": f"g(N.{a}, tf.constant([[-1e4, -90.0, 90.0, 1e4]]))"
        for a in ACTIVATIONS
    },
    "gelu approximated": "g(lambda x: N.gelu(x, approximate=True), v(3, 5))",
    "silu with beta": "g(lambda x, b: N.silu(x, b), v(3, 5), tf.constant(1.5))",
    "leaky relu with alpha": "g(lambda x: N.leaky_relu(x, alpha=0.7), v(3, 5))",
    "crelu along an axis": "g(lambda x: N.crelu(x, axis=0), v(3, 5))",
    "softmax along an axis": "g(lambda x: N.softmax(x, axis=1), v(2, 3, 4))",
    "softmax along a negative axis": "g(lambda x: N.softmax(x, axis=-3), v(2, 3, 4))",
    "log softmax along an axis": "g(lambda x: N.log_softmax(x, axis=0), v(2, 3, 4))",
    "softmax along no axis": "N.softmax(v(2, 3), axis=2)",
    "softmax of strings": "N.softmax(['a'])",
    "softmax of nothing": "N.softmax(tf.zeros([0, 2])), N.softmax(tf.zeros([2, 0]))",
    "log softmax of a scalar": "N.log_softmax(1.0)",
    "crelu of a scalar": "N.crelu(1.0)",
    "leaky relu with no alpha": "N.leaky_relu([1.0], alpha='a')",
}

LOSSES = {
    **{
        f"sigmoid cross entropy {t}": (
            f"g(lambda z, x: N.sigmoid_cross_entropy_with_logits(labels=z, logits=x), "
            f"v(2, 5, low=0, high=1, t='{t}'), v(2, 5, k=1, low=-9, high=9, t='{t}'))"
        )
        for t in FLOATS
    },
    "sigmoid cross entropy of other shapes": (
        "N.sigmoid_cross_entropy_with_logits([1.0], [1.0, 2.0])"
    ),
    "sigmoid cross entropy of a row": "N.sigmoid_cross_entropy_with_logits([[1.0]], [1.0])",
    "sigmoid cross entropy without labels": "N.sigmoid_cross_entropy_with_logits(logits=[1.0])",
    "weighted cross entropy": (
        "g(lambda z, x, w: N.weighted_cross_entropy_with_logits(z, x, w), "
        "v(2, 5, low=0, high=1), v(2, 5, k=1), v(5, low=0.5))"
    ),
    "weighted cross entropy of other shapes": (
        "N.weighted_cross_entropy_with_logits([1.0], [1.0, 2.0], 2.0)"
    ),
    **{
        f"softmax cross entropy {t}": (
            f"g(lambda z, x: N.softmax_cross_entropy_with_logits(z, x), "
            f"N.softmax(v(3, 4, t='{t}')), v(3, 4, k=1, t='{t}'))"
        )
        for t in FLOATS
    },
    "softmax cross entropy along an axis": (
        "g(lambda z, x: N.softmax_cross_entropy_with_logits(z, x, axis=1), "
        "v(2, 3, 4, low=0), v(2, 3, 4, k=1))"
    ),
    "softmax cross entropy of a vector": (
        "g(lambda z, x: N.softmax_cross_entropy_with_logits(z, x), v(4, low=0), v(4, k=1))"
    ),
    "softmax cross entropy that broadcasts": (
        "g(lambda x: N.softmax_cross_entropy_with_logits(v(1, 4, low=0), x), v(3, 4))"
    ),
    "softmax cross entropy of integers": (
        "N.softmax_cross_entropy_with_logits([[0, 1]], [[0.5, 2.0]])"
    ),
    "softmax cross entropy of other shapes": (
        "N.softmax_cross_entropy_with_logits(v(3, 4), v(3, 5))"
    ),
    "softmax cross entropy twice": (
        "x = v(3, 4)\n"
        "with tf.GradientTape() as outer:\n"
        "    outer.watch(x)\n"
        "    with tf.GradientTape() as inner:\n"
        "        inner.watch(x)\n"
        "        y = N.softmax_cross_entropy_with_logits(N.softmax(v(3, 4, k=2)), x)\n"
        "    first = inner.gradient(y, x)\n"
        "mark(outer.gradient(first, x, output_gradients=weights(first)))"
    ),
    **{
        f"sparse softmax cross entropy {t}": (
            f"g(lambda x: N.sparse_softmax_cross_entropy_with_logits([0, 3, 1], x), "
            f"v(3, 4, t='{t}'))"
        )
        for t in FLOATS
    },
    "sparse softmax cross entropy of more axes": (
        "g(lambda x: N.sparse_softmax_cross_entropy_with_logits([[0, 3, 1], [1, 1, 2]], x), "
        "v(2, 3, 4))"
    ),
    "sparse softmax cross entropy of a scalar": (
        "g(lambda x: N.sparse_softmax_cross_entropy_with_logits(2, x), v(4))"
    ),
    "sparse softmax cross entropy of int64": (
        "N.sparse_softmax_cross_entropy_with_logits(np.array([1]), v(1, 3))"
    ),
    "sparse softmax cross entropy of no class": (
        "N.sparse_softmax_cross_entropy_with_logits([4, 0, 1], v(3, 4))"
    ),
    "sparse softmax cross entropy of floats": (
        "N.sparse_softmax_cross_entropy_with_logits([1.0], v(1, 4))"
    ),
    "sparse softmax cross entropy of scalars": (
        "N.sparse_softmax_cross_entropy_with_logits(0, 1.0)"
    ),
    "sparse softmax cross entropy of other shapes": (
        "N.sparse_softmax_cross_entropy_with_logits([0, 1], v(3, 4))"
    ),
    "log poisson loss": "g(lambda z, x: N.log_poisson_loss(z, x), v(3, low=0), v(3, k=1))",
    "log poisson loss, full": (
        "g(lambda x: N.log_poisson_loss([0.0, 0.5, 7.0], x, compute_full_loss=True), v(3))"
    ),
    "log poisson loss of other shapes": "N.log_poisson_loss([1.0], [1.0, 2.0])",
    **{f"l2 loss {t}": f"g(N.l2_loss, v(2, 3, t='{t}'))" for t in FLOATS},
    "average loss": "g(lambda x: N.compute_average_loss(x), v(4))",
    "average loss with weights": (
        "g(lambda x: N.compute_average_loss(x, sample_weight=[1.0, 2.0], global_batch_size=8), "
        "v(2, 3))"
    ),
    "average loss with a column of weights": "N.compute_average_loss([1.0, 2.0], [[1.0], [2.0]])",
    "average loss with one weight": "N.compute_average_loss([1.0, 2.0], 2.0)",
    "average loss with too many weights": "N.compute_average_loss([1.0, 2.0], [1.0, 2.0, 3.0])",
    "average loss of nothing": "N.compute_average_loss(tf.zeros([0]))",
    "average loss of weighted integers": "N.compute_average_loss(tf.constant([1, 2]), [0.5, 0.5])",
    "average loss of a tensor batch size": (
        "N.compute_average_loss([1.0, 2.0], None, tf.constant(4))"
    ),
    "average loss of a scalar": "N.compute_average_loss(2.0)",
    "average loss of integers": "N.compute_average_loss([1, 2])",
    "average loss of a float batch size": "N.compute_average_loss([1.0], global_batch_size=2.5)",
    "average loss of a vector batch size": "N.compute_average_loss([1.0], global_batch_size=[2])",
    "scaled regularization loss": "g(N.scale_regularization_loss, v(2, 3))",
    "zero fraction": "N.zero_fraction([[0.0, 1.0, 0.0]]), N.zero_fraction([0, 1])",
    "zero fraction of nothing": "N.zero_fraction(tf.zeros([0]))",
}

NORMALIZATION = {
    **{f"moments {t}": f"g(lambda x: N.moments(x, [0, 2]), v(2, 3, 4, t='{t}'))" for t in FLOATS},
    "moments kept": "g(lambda x: N.moments(x, 1, keepdims=True), v(2, 3, 4))",
    "moments over nothing": "g(lambda x: N.moments(x, []), v(2, 3))",
    "moments over a negative axis": "g(lambda x: N.moments(x, [-1]), v(2, 3, 4))",
    "moments over no axis": "N.moments(v(2, 3), [5])",
    "moments of integers": "N.moments(tf.constant([[1, 2], [4, 9]]), [0])",
    "moments with a shift": "N.moments(v(2, 3), [0], shift=v(3))",
    "weighted moments": (
        "g(lambda x, w: N.weighted_moments(x, [0, 1], w), v(2, 3, 4), v(2, 3, 1, low=0.5))"
    ),
    "weighted moments kept": (
        "g(lambda x, w: N.weighted_moments(x, [0], w, keepdims=True), v(2, 3), v(2, 3, low=0.5))"
    ),
    "weighted moments float16": (
        "g(lambda x: N.weighted_moments(x, [0], 2.0), v(4, 3, t='float16'))"
    ),
    "weighted moments of a scalar weight": (
        "g(lambda x, w: N.weighted_moments(x, [0], w), v(4, 3), v())"
    ),
    "weighted moments that do not fit": "N.weighted_moments(v(2, 3), [0], [1.0, 2.0])",
    "sufficient statistics": "g(lambda x: N.sufficient_statistics(x, [0, 1])[1:3], v(2, 3, 4))",
    "sufficient statistics with a shift": (
        "g(lambda x, s: N.sufficient_statistics(x, [0], shift=s, keepdims=True), v(4, 3), v())"
    ),
    "sufficient statistics, all four": "N.sufficient_statistics(v(2, 3), [1])",
    "normalize moments": "N.normalize_moments(4.0, v(3), v(3, low=3, high=4), None)",
    "normalize moments with a shift": (
        "g(lambda c, a, b, s: N.normalize_moments(c, a, b, s), "
        "tf.constant(4.0), v(3), v(3, low=3, high=4), v())"
    ),
    "batch normalization": (
        "g(lambda *a: N.batch_normalization(*a, 1e-3), "
        "v(2, 3, 4), v(4), v(4, low=1), v(4, k=1), v(4, k=2))"
    ),
    "batch normalization without scale": (
        "g(lambda x, a, b: N.batch_normalization(x, a, b, None, None, 0.1), "
        "v(2, 4), v(4), v(4, low=1))"
    ),
    "batch normalization float16": (
        "g(lambda x, a, b: N.batch_normalization(x, a, b, None, None, 0.1), "
        "v(2, 4, t='float16'), v(4, t='float16'), v(4, low=1, t='float16'))"
    ),
    "batch norm with global normalization": (
        "N.batch_norm_with_global_normalization("
        "v(2, 4), v(4), v(4, low=1), v(4, k=1), v(4, k=2), 1e-3, True)"
    ),
    "batch norm with global normalization, not scaled": (
        "N.batch_norm_with_global_normalization("
        "v(2, 4), v(4), v(4, low=1), v(4, k=1), v(4, k=2), 1e-3, False)"
    ),
    "fused batch norm": (
        "g(lambda x, s, o: tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[], "
        "variance=[], epsilon=0.01)[:3], v(2, 3, 4, 2), v(2, low=0.5), v(2))"
    ),
    "fused batch norm, channels first": (
        "g(lambda x, s, o: tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=o, mean=v(3), "
        "variance=v(3, low=0.5), is_training=False, data_format='NCHW')[0], "
        "v(2, 3, 4, 2), v(3, low=0.5), v(3))"
    ),
    **{f"l2 normalize {t}": f"g(lambda x: N.l2_normalize(x, 1), v(2, 3, t='{t}'))" for t in FLOATS},
    "l2 normalize everything": "g(N.l2_normalize, v(2, 3))",
    "l2 normalize several axes": "g(lambda x: N.l2_normalize(x, [0, 2]), v(2, 3, 4))",
    "l2 normalize zeros": "g(lambda x: N.l2_normalize(x, 1), tf.zeros([2, 3]))",
    "l2 normalize complex numbers": "N.l2_normalize(tf.complex(v(3), v(3, k=1)))",
    "l2 normalize under other names": (
        "tf.math.l2_normalize([3.0, 4.0]), tf.linalg.l2_normalize([3.0, 4.0])"
    ),
    "l2 normalize integers": "N.l2_normalize([1, 2])",
    "l2 normalize along no axis": "N.l2_normalize([1.0, 2.0], axis=3)",
    "l2 normalize along two names": "N.l2_normalize([1.0, 2.0], axis=0, dim=0)",
    **{f"bias add {t}": f"g(N.bias_add, v(2, 3, t='{t}'), v(3, t='{t}'))" for t in FLOATS},
    "bias add, channels first": "g(lambda x, b: N.bias_add(x, b, 'NCHW'), v(2, 3, 2, 2), v(3))",
    "bias add of five axes": "g(lambda x, b: N.bias_add(x, b, 'NCDHW'), v(1, 3, 2, 2, 1), v(3))",
    "bias add of integers": "N.bias_add([[1, 2]], [3, 4])",
    "bias add of another length": "N.bias_add(v(2, 3), v(2))",
    "bias add to a vector": "N.bias_add(v(3), v(3))",
    "bias add of a matrix": "N.bias_add(v(2, 3), v(2, 3))",
    "bias add in no format": "N.bias_add(v(2, 3), v(3), 'HWCN')",
    **{
        f"lrn {t}": (
            f"g(lambda x: N.lrn(x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75), "
            f"v(1, 2, 2, 5, t='{t}'))"
        )
        for t in ("float32", "float16")
    },
    "lrn, all defaults": "g(N.local_response_normalization, v(1, 1, 2, 7))",
    "lrn of a vector": "N.lrn(v(3))",
    "lrn of float64": "N.lrn(v(1, 1, 1, 3, t='float64'))",
    **{f"isotonic regression {t}": f"g(N.isotonic_regression, v(2, 5, t='{t}'))" for t in FLOATS},
    "isotonic regression, increasing": (
        "g(lambda x: N.isotonic_regression(x, decreasing=False), v(2, 5))"
    ),
    "isotonic regression along an axis": "m(N.isotonic_regression(v(2, 4, 3), axis=1))",
    "isotonic regression of integers": (
        "[N.isotonic_regression(tf.constant([[3, 1, 2, 5]], t)) "
        "for t in ('int8', 'int16', 'int32', 'int64')]"
    ),
    "isotonic regression of a scalar": "N.isotonic_regression(2.0)",
    "isotonic regression of nothing": "N.isotonic_regression(tf.zeros([2, 0]))",
    "isotonic regression along no axis": "N.isotonic_regression(v(2, 3), axis=2)",
    "isotonic regression with NaN": "N.isotonic_regression([1.0, np.nan, 2.0])",
    "isotonic regression of ties": "N.isotonic_regression([[2.0, 2.0, 1.0, 3.0]])",
}

_DROPPED = "tf.random.set_seed(5)\n"
DROPOUT = {
    **{
        f"dropout {t}": _DROPPED + f"g(lambda x: N.dropout(x, 0.4, seed=3), v(2, 5, t='{t}'))"
        for t in FLOATS
    },
    "dropout with a global seed": _DROPPED + "N.dropout(v(2, 5), 0.4), N.dropout(v(2, 5), 0.4)",
    "dropout twice": _DROPPED + "[N.dropout(v(2, 5), 0.4, seed=1) for _ in range(2)]",
    "dropout with noise of a shape": _DROPPED + "N.dropout(v(4, 3), 0.5, [4, 1], seed=1)",
    "dropout with noise of an open shape": _DROPPED + "N.dropout(v(4, 3), 0.5, [None, 1], seed=1)",
    "dropout with noise of a tensor": (
        _DROPPED + "N.dropout(v(4, 3), 0.5, tf.constant([1, 3]), seed=1)"
    ),
    "dropout with noise that does not fit": "N.dropout(v(4, 3), 0.5, [3, 1], seed=1)",
    "dropout of a tensor's rate": _DROPPED + "N.dropout(v(4, 3), tf.constant(0.3), seed=1)",
    "dropout of a rate of another dtype": "N.dropout(v(4, 3), tf.constant(0.3, 'float64'))",
    "dropout of several rates": "N.dropout(v(4, 3), tf.constant([0.3]))",
    "dropout of no rate": "N.dropout(v(4, 3), 'a')",
    "dropout of everything": "N.dropout(v(4, 3), 1.0)",
    "dropout of less than nothing": "N.dropout(v(4, 3), -0.1)",
    "dropout of integers": "N.dropout([1, 2], 0.5)",
    "dropout draws nothing for rate 0": (
        _DROPPED + "N.dropout(v(4, 3), 0), N.dropout(v(4, 3), 0.5, seed=1)"
    ),
    **{
        f"stateless dropout {t}": (
            f"g(lambda x: N.experimental.stateless_dropout(x, 0.4, [1, 2]), v(2, 5, t='{t}'))"
        )
        for t in FLOATS
    },
    "stateless dropout by algorithm": (
        "N.experimental.stateless_dropout(v(2, 5), 0.4, [1, 2], rng_alg='philox')"
    ),
    "stateless dropout with noise of a shape": (
        "N.experimental.stateless_dropout(v(4, 3), 0.4, [1, 2], noise_shape=[4, 1])"
    ),
    "general dropout": (
        "N.experimental.general_dropout(v(2, 3), 0.4, "
        "lambda shape, dtype: tf.reshape(tf.linspace(tf.cast(0.1, dtype), 0.9, 6), shape))"
    ),
}

PROGRAMS: dict[str, str] = {
    f"{family}: {name}": code
    for family, programs in {
        "activation": ACTIVATION,
        "loss": LOSSES,
        "normalization": NORMALIZATION,
        "dropout": DROPOUT,
        **LABELS,
        **WINDOWS,
    }.items()
    for name, code in programs.items()
}
