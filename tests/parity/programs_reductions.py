"""Reductions, products and statistics."""

X = "x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\n"

PROGRAMS = [
    ("sum over axes", X + "[tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_sum(x, [0, -1])]"),
    ("keepdims", X + "tf.reduce_mean(x, axis=1, keepdims=True)"),
    ("mean of ints", "tf.reduce_mean([1, 2, 4])"),
    ("sum of int8 wraps", "tf.reduce_sum(tf.constant([100, 100], tf.int8))"),
    (
        "empty reductions",
        "x = tf.zeros([0])\n"
        "[f(x) for f in (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_mean)]",
    ),
    ("no axes", X + "tf.reduce_sum(x, axis=[])"),
    ("axis out of range", X + "tf.reduce_sum(x, axis=2)"),
    ("axis twice", X + "tf.reduce_sum(x, axis=[0, 0])"),
    (
        "logical reductions",
        "x = tf.constant([[True, False]])\n[tf.reduce_any(x), tf.reduce_all(x, 0)]",
    ),
    ("any of ints", "tf.reduce_any([1, 0])"),
    ("logsumexp", X + "[tf.reduce_logsumexp(x, 1), tf.reduce_logsumexp([1000.0, 1000.0])]"),
    ("logsumexp of minus infinity", "tf.reduce_logsumexp([-float('inf'), -float('inf')])"),
    ("variance and deviation", X + "[tf.math.reduce_variance(x), tf.math.reduce_std(x, axis=0)]"),
    ("max with NaN", "tf.reduce_max([1.0, float('nan')])"),
    ("argmax", X + "[tf.argmax(x), tf.argmin(x, 1, output_type=tf.int32), tf.argmax([1, 1])]"),
    ("argmax of empty", "tf.argmax(tf.zeros([0]))"),
    (
        "cumulative sums",
        "[tf.cumsum([1, 2, 3]), tf.cumsum([1, 2, 3], exclusive=True, reverse=True)]",
    ),
    ("cumulative products", "tf.math.cumprod([[1.0, 2.0], [3.0, 4.0]], axis=1)"),
    ("norms", X + "[tf.norm(x), tf.norm(x, ord=1, axis=1), tf.norm(x, ord=np.inf, axis=0)]"),
    ("segment sums", "tf.math.segment_sum([1, 2, 3], [0, 0, 2])"),
    ("unsorted segment sums", "tf.math.unsorted_segment_max([1.0, 2.0], [2, 0], 3)"),
    (
        "bincount",
        "[tf.math.bincount([1, 1, 3]), tf.math.bincount([1], weights=[2.0], minlength=3)]",
    ),
    ("count nonzero", "tf.math.count_nonzero([[0, 1], [2, 3]], axis=0)"),
    ("confusion matrix", "tf.math.confusion_matrix([0, 1, 1], [0, 1, 0])"),
    ("tensordot", X + "[tf.tensordot(x, x, [[1], [1]]), tf.tensordot(x, x, 2)]"),
    (
        "einsum",
        X + "[tf.einsum('ij,kj->ik', x, x), tf.einsum('ij->', x), tf.einsum('...j->...', x)]",
    ),
    ("bad einsum", X + "tf.einsum('ij,kl->im', x, x)"),
    ("matmul flags", X + "[tf.matmul(x, x, transpose_b=True), tf.matmul(x, x, adjoint_a=True)]"),
    (
        "determinant and inverse",
        "x = [[2.0, 1.0], [1.0, 3.0]]\n[tf.linalg.det(x), tf.linalg.inv(x)]",
    ),
    ("inverse of a singular matrix", "tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]])"),
    ("solve", "tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])"),
    ("cholesky", "tf.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]])"),
    ("trace and diagonals", "[tf.linalg.trace([[1, 2], [3, 4]]), tf.linalg.diag([1, 2], k=1)]"),
    ("moments", X + "tuple(tf.nn.moments(x, axes=[0]))"),
    (
        "cross entropies",
        "tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], [[1.0, 2.0], [3.0, 0.5]])",
    ),
    ("sigmoid cross entropy", "tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], [-50.0, 0.3])"),
    ("l2 normalize", "tf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1)"),
    ("pooling", "tf.nn.max_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, 'VALID')"),
    (
        "convolution",
        "tf.nn.conv2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, 'SAME')",
    ),
    (
        "convolution of the wrong depth",
        "tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 1, 1]), 1, 'SAME')",
    ),
    ("in top k", "tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.1, 0.9]], 1)"),
]
