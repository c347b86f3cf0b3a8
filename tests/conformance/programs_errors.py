"""Programs that fail: the same class of error, whichever way they run."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness import Made, program


@program()
def gather_out_of_range(tf: Any) -> Made:
    return lambda x, i: tf.gather(x, i), [
        ([1.0, 2.0], tf.constant([1])),
        ([1.0, 2.0], tf.constant([2])),
    ]


@program()
def gather_nd_out_of_range(tf: Any) -> Made:
    return lambda x, i: tf.gather_nd(x, i), [([1.0, 2.0], tf.constant([[5]]))]


@program()
def scatter_out_of_range(tf: Any) -> Made:
    return lambda x, i: tf.tensor_scatter_nd_update(x, i, [1.0]), [([1.0, 2.0], tf.constant([[4]]))]


@program()
def tensor_array_out_of_range(tf: Any) -> Made:
    def f(x, i):
        ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(x)
        return ta.read(i)

    return f, [([1.0, 2.0], tf.constant(1)), ([1.0, 2.0], tf.constant(2))]


@program()
def failed_assert(tf: Any) -> Made:
    def f(x):
        tf.debugging.assert_positive(x)
        return x * 2.0

    return f, [([1.0, 2.0],), ([1.0, -2.0],)]


@program()
def failed_assert_in_branch(tf: Any) -> Made:
    def f(x):
        if x > 0.0:
            tf.debugging.assert_less(x, 10.0)
            return x
        return -x

    return f, [(1.0,), (11.0,), (-11.0,)]


@program()
def failed_assert_in_loop(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            tf.debugging.assert_less(i, 3)
            x = x * 2.0
        return x

    return f, [(1.0, tf.constant(2)), (1.0, tf.constant(5))]


@program()
def check_numerics(tf: Any) -> Made:
    return lambda x: tf.debugging.check_numerics(tf.math.log(x), "log"), [
        ([1.0, 2.0],),
        ([1.0, 0.0],),
        ([-1.0, 1.0],),
    ]


@program(gradient=False)
def integer_division_by_zero(tf: Any) -> Made:
    return lambda x, y: x // y, [
        (tf.constant([4, 6]), tf.constant([2, 3])),
        (tf.constant([4, 6]), tf.constant([2, 0])),
    ]


@program(gradient=False)
def integer_modulo_zero(tf: Any) -> Made:
    return lambda x, y: x % y, [(tf.constant(5), tf.constant(0))]


@program()
def matmul_shapes(tf: Any) -> Made:
    return lambda x, y: x @ y, [([[1.0, 2.0]], [[1.0, 2.0]])]


@program()
def add_shapes(tf: Any) -> Made:
    return lambda x, y: x + y, [([1.0, 2.0], [1.0, 2.0, 3.0])]


@program()
def reshape_sizes(tf: Any) -> Made:
    return lambda x: tf.reshape(x, [4, 2]), [([1.0, 2.0, 3.0],)]


@program()
def bad_axis(tf: Any) -> Made:
    return lambda x: tf.reduce_sum(x, axis=3), [([1.0, 2.0],)]


@program()
def concat_shapes(tf: Any) -> Made:
    return lambda x, y: tf.concat([x, y], 0), [([[1.0, 2.0]], [[1.0, 2.0, 3.0]])]


@program()
def ensure_shape(tf: Any) -> Made:
    return lambda x: tf.ensure_shape(x, [3]), [([1.0, 2.0],)]


@program()
def singular_matrix(tf: Any) -> Made:
    return lambda x: tf.linalg.inv(x), [([[1.0, 2.0], [2.0, 4.0]],)]


@program()
def not_positive_definite(tf: Any) -> Made:
    return lambda x: tf.linalg.cholesky(x), [([[1.0, 2.0], [2.0, 1.0]],)]


@program()
def state_survives_an_error(tf: Any) -> Made:
    v = tf.Variable(1.0)

    def f(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x)
        return v + x

    return f, [(1.0,), (-1.0,), (1.0,)]


@program()
def unneeded_error_is_pruned_or_raised(tf: Any) -> Made:
    def f(x):
        y = x * 2.0
        return y

    return f, [(1.0,)]


@program()
def bad_segment_ids(tf: Any) -> Made:
    return lambda x, i: tf.math.segment_sum(x, i), [([1.0, 2.0, 3.0], tf.constant([0, 2, 1]))]


@program()
def python_error(tf: Any) -> Made:
    def f(x):
        raise KeyError("missing")

    return f, [(1.0,)]
