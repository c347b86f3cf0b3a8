"""Reductions over axes, and running ones."""

SAME = """
tf.reduce_sum(x)
tf.reduce_sum(x, 0)
tf.reduce_sum(x, name="r")
tf.reduce_sum(rows)
tf.reduce_sum(tf.compat.v1.placeholder(tf.float32, None))
[tf.reduce_sum(x), tf.reduce_sum(x, 1)]
tf.reduce_mean(x)
tf.reduce_mean(x, 1, name="r")
tf.reduce_max(x)
tf.reduce_max(x, 0, name="r")
tf.reduce_min(x)
tf.reduce_prod(x)
tf.reduce_all(flags)
tf.reduce_any(flags, name="r")
tf.reduce_logsumexp(x)
tf.reduce_logsumexp(x, 1)
tf.reduce_logsumexp(x, 1, keepdims=True)
tf.reduce_logsumexp(x, 1, name="r")
tf.reduce_logsumexp(x, 1, keepdims=True, name="r")
[tf.reduce_logsumexp(x), tf.reduce_logsumexp(x)]
tf.reduce_logsumexp(rows, 0)
tf.math.reduce_euclidean_norm(x)
tf.math.reduce_euclidean_norm(x, 0, name="r")
tf.math.reduce_variance(x)
tf.math.reduce_variance(x, 0)
tf.math.reduce_variance(x, 0, name="r")
tf.math.reduce_variance(z)
tf.math.reduce_std(x)
tf.math.reduce_std(x, 0)
tf.math.reduce_std(x, 0, name="r")
tf.math.reduce_std(z)
[tf.math.reduce_std(x), tf.math.reduce_std(x)]
[tf.math.reduce_variance(x), tf.math.reduce_variance(x)]
tf.math.count_nonzero(x)
tf.math.count_nonzero(x, 0)
tf.math.count_nonzero(x, 0, name="r")
tf.math.count_nonzero(flags)
tf.math.count_nonzero(s)
tf.math.count_nonzero(x, dtype=tf.int32)
[tf.math.count_nonzero(x), tf.math.count_nonzero(x)]
tf.argmax(x)
tf.argmax(x, 1)
tf.argmax(x, 1, name="r")
tf.argmin(x)
tf.argmin(x, 1, name="r")
tf.cumsum(x)
tf.cumsum(x, 1, name="r")
tf.math.cumprod(x)
tf.math.cumprod(x, name="r")
tf.math.cumulative_logsumexp(x)
tf.math.cumulative_logsumexp(x, name="r")
[tf.cumsum(x), tf.cumsum(x)]
tf.reduce_sum([1.0, 2.0])
tf.reduce_logsumexp(tf.compat.v1.placeholder(tf.float32, None))
tf.math.reduce_std(tf.compat.v1.placeholder(tf.float32, None))
tf.math.reduce_variance(rows, 0, keepdims=True)
tf.math.count_nonzero(rows, keepdims=True)
tf.reduce_sum(x, [n[0]])
gradient(lambda a: tf.reduce_max(a), x)
"""

IN_SCOPE = """

"""
