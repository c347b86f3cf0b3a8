"""Straight-line programs: shapes, dtypes, reductions, layers, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.harness import SIZES_BY_ARGUMENT, Made, program

MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@program()
def polynomial(tf: Any) -> Made:
    return lambda x: 3.0 * x**3 - 2.0 * x + 1.0, [([1.0, -2.0, 0.5],)]


@program()
def log_sum_exp(tf: Any) -> Made:
    return lambda x: tf.reduce_logsumexp(x, axis=1), [(MATRIX,)]


@program()
def softmax_cross_entropy(tf: Any) -> Made:
    labels = tf.constant([2, 0])

    def f(x):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)

    return f, [(MATRIX,)]


@program()
def dense_layer(tf: Any) -> Made:
    w, b = tf.Variable([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]), tf.Variable([0.1, 0.2])
    return lambda x: tf.nn.relu(x @ w + b), [(MATRIX,)]


@program()
def layer_norm_by_hand(tf: Any) -> Made:
    def f(x):
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    return f, [(MATRIX,)]


@program()
def attention(tf: Any) -> Made:
    def f(q, k, v):
        scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
        return tf.matmul(tf.nn.softmax(scores), v)

    return f, [(MATRIX, MATRIX, MATRIX)]


@program()
def convolution_layer(tf: Any) -> Made:
    filters = tf.Variable(np.linspace(-1, 1, 3 * 3 * 2 * 4).reshape(3, 3, 2, 4).astype("float32"))

    def f(x):
        x = tf.nn.conv2d(x, filters, strides=2, padding="SAME")
        return tf.nn.max_pool2d(tf.nn.relu(x), 2, 1, "VALID")

    return f, [(np.linspace(-1, 1, 2 * 8 * 8 * 2).reshape(2, 8, 8, 2).astype("float32"),)]


@program()
def depthwise_and_transpose(tf: Any) -> Made:
    depthwise = tf.constant(np.linspace(-1, 1, 3 * 3 * 2).reshape(3, 3, 2, 1).astype("float32"))
    back = tf.constant(np.linspace(-1, 1, 2 * 2 * 3 * 2).reshape(2, 2, 3, 2).astype("float32"))

    def f(x):
        x = tf.nn.depthwise_conv2d(x, depthwise, [1, 1, 1, 1], "SAME")
        return tf.nn.conv2d_transpose(x, back, [1, 8, 8, 3], 2, "SAME")

    return f, [(np.linspace(-1, 1, 4 * 4 * 2).reshape(1, 4, 4, 2).astype("float32"),)]


@program()
def batch_norm_training(tf: Any) -> Made:
    def f(x):
        return tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=tf.constant([1.0, 2.0]),
            offset=tf.constant([0.5, -0.5]),
            mean=tf.constant([]),
            variance=tf.constant([]),
        ).y

    return f, [(np.linspace(-1, 2, 2 * 3 * 3 * 2).reshape(2, 3, 3, 2).astype("float32"),)]


@program()
def broadcasting(tf: Any) -> Made:
    return lambda x, y: x[:, tf.newaxis] * y + tf.reduce_max(y), [([1.0, 2.0], [3.0, 4.0, 5.0])]


@program()
def slices_and_steps(tf: Any) -> Made:
    return lambda x: (x[0, 1:], x[..., ::-1], x[-1], x[:, 0:3:2]), [(MATRIX,)]


@program(host=SIZES_BY_ARGUMENT)
def slice_at_tensor(tf: Any) -> Made:
    return lambda x, i: (x[i], x[:, i:], x[i, i + 1]), [(MATRIX, tf.constant(1))]


@program()
def gather_rows(tf: Any) -> Made:
    return lambda x, i: tf.gather(x, i, axis=1), [(MATRIX, tf.constant([2, 0, 0]))]


@program()
def gather_nd_points(tf: Any) -> Made:
    return lambda x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]), [(MATRIX,)]


@program()
def scatter_add(tf: Any) -> Made:
    def f(x, u):
        return tf.tensor_scatter_nd_add(x, [[0], [1], [0]], u)

    return f, [([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])]


@program()
def segment_sums(tf: Any) -> Made:
    ids = tf.constant([0, 1, 0])
    return lambda x: tf.math.unsorted_segment_sum(x, ids, 2), [([1.0, 2.0, 3.0],)]


@program()
def reshape_unknown(tf: Any) -> Made:
    return lambda x: tf.reshape(x, [tf.shape(x)[1], -1]) * 2.0, [(MATRIX,)]


@program()
def dynamic_shape_arithmetic(tf: Any) -> Made:
    def f(x):
        n = tf.cast(tf.size(x), tf.float32)
        return tf.reduce_sum(x) / n + tf.cast(tf.rank(x), tf.float32)

    return f, [(MATRIX,), ([1.0],)]


@program()
def concat_stack_split(tf: Any) -> Made:
    def f(x):
        a, b, c = tf.split(x, 3, axis=1)
        return tf.concat([c, a], 1), tf.stack([a, b], 0)

    return f, [(MATRIX,)]


@program()
def transpose_and_einsum(tf: Any) -> Made:
    return lambda x: tf.einsum("ij,kj->ik", x, x) + tf.transpose(x)[:2, :2], [(MATRIX,)]


@program()
def cumulative(tf: Any) -> Made:
    def f(x):
        return tf.cumsum(x, axis=1, reverse=True), tf.math.cumprod(x, axis=0, exclusive=True)

    return f, [(MATRIX,)]


@program()
def sorting(tf: Any) -> Made:
    def f(x):
        values, indices = tf.math.top_k(x, 2)
        return values, indices, tf.sort(x, direction="DESCENDING"), tf.argsort(x)

    return f, [([[3.0, 1.0, 2.0], [0.5, 9.0, -1.0]],)]


@program()
def norms(tf: Any) -> Made:
    return lambda x: (tf.norm(x), tf.linalg.l2_normalize(x, axis=1)), [(MATRIX,)]


@program()
def linear_algebra(tf: Any) -> Made:
    def f(x):
        a = tf.matmul(x, x, transpose_b=True) + tf.eye(2)
        return tf.linalg.solve(a, x), tf.linalg.det(a), tf.linalg.cholesky(a)

    return f, [(MATRIX,)]


@program()
def clipping(tf: Any) -> Made:
    def f(x):
        clipped, norm = tf.clip_by_global_norm([x, x * 2.0], 1.0)
        return tf.clip_by_value(x, 1.5, 4.5), clipped[1], norm

    return f, [(MATRIX,)]


@program()
def special_functions(tf: Any) -> Made:
    return lambda x: tf.math.lgamma(x) + tf.math.erf(x) + tf.math.log1p(x) + tf.nn.gelu(x), [
        ([0.5, 1.5, 2.5],)
    ]


@program()
def float64_exact(tf: Any) -> Made:
    def f(x):
        return x * 1.0000000001 + tf.cast(2**40 + 1, tf.float64)

    return f, [(np.array([1.0, 3.0]),)]


@program(gradient=False)
def int64_exact(tf: Any) -> Made:
    return lambda x: x * 3 + tf.constant(2**40 + 1, tf.int64), [
        (tf.constant([2**41 + 7, -5], tf.int64),)
    ]


@program(gradient=False)
def integer_division(tf: Any) -> Made:
    return lambda x, y: (x // y, x % y, tf.truncatediv(x, y)), [
        (tf.constant([7, -7, 7]), tf.constant([2, 2, -2]))
    ]


@program(gradient=False)
def unsigned_wrap(tf: Any) -> Made:
    return lambda x: x + tf.constant(250, tf.uint8), [(tf.constant([1, 10], tf.uint8),)]


@program()
def half_precision(tf: Any) -> Made:
    return lambda x: tf.cast(tf.cast(x, tf.float16) * 3.0, tf.float32), [([1.0, 0.3333],)]


@program()
def bfloat16_sum(tf: Any) -> Made:
    return lambda x: tf.cast(tf.reduce_sum(tf.cast(x, tf.bfloat16)), tf.float32), [
        ([1.0, 2.0, 3.5],)
    ]


@program(gradient=False)
def complex_numbers(tf: Any) -> Made:
    def f(x):
        z = tf.complex(x, 2.0 * x)
        return tf.math.real(z * tf.math.conj(z)), tf.abs(z), tf.math.angle(z)

    return f, [([1.0, 2.0],)]


@program(gradient=False)
def bit_operations(tf: Any) -> Made:
    return lambda x: (x & 6, x | 1, x ^ 3, ~x, tf.bitwise.left_shift(x, 2)), [
        (tf.constant([5, 7, 8]),)
    ]


@program()
def one_hot_and_mask(tf: Any) -> Made:
    def f(x):
        mask = tf.sequence_mask([1, 3], 3, dtype=tf.float32)
        return x * mask + tf.one_hot([0, 2], 3)

    return f, [(MATRIX,)]


@program()
def pad_and_tile(tf: Any) -> Made:
    return lambda x: (tf.pad(x, [[1, 0], [0, 2]], "REFLECT"), tf.tile(x, [2, 1])), [(MATRIX,)]


@program()
def roll_and_reverse(tf: Any) -> Made:
    return lambda x: (tf.roll(x, 1, 1), tf.reverse(x, [0])), [(MATRIX,)]


@program()
def embedding(tf: Any) -> Made:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def f(x):
        return tf.nn.embedding_lookup(table, [2, 0, 2]) * x

    return f, [(2.0,)]


@program()
def stop_gradient_part(tf: Any) -> Made:
    return lambda x: x * tf.stop_gradient(x) + x, [([1.0, 2.0],)]


@program()
def unused_and_constant_results(tf: Any) -> Made:
    return lambda x, y: (x * 2.0, tf.constant([1.0, 2.0])), [(1.0, 2.0)]


@program()
def empty_tensors(tf: Any) -> Made:
    def f(x):
        return tf.reduce_sum(x[:0]), tf.concat([x[:0], x], 0), tf.zeros([0, 3]) + 1.0

    return f, [([1.0, 2.0],)]


@program()
def scalars_stay_scalars(tf: Any) -> Made:
    return lambda x: (x, -x, tf.reduce_sum(x), tf.squeeze([x])), [(1.5,)]


@program()
def nan_and_infinity(tf: Any) -> Made:
    return lambda x: (tf.math.is_nan(x), tf.math.log(x), 1.0 / x, tf.math.divide_no_nan(x, 0.0)), [
        ([0.0, 1.0, 2.0],)
    ]


@program()
def maximum_ties(tf: Any) -> Made:
    return lambda x, y: (tf.maximum(x, y), tf.reduce_max(x), tf.nn.relu(x - y)), [
        ([1.0, 2.0, 2.0], [1.0, 3.0, 2.0])
    ]
