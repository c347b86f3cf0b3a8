"""Variables, effects in order, and random numbers."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness import Made, program


@program()
def counter(tf: Any) -> Made:
    v = tf.Variable(0)

    def f(x):
        v.assign_add(1)
        return x * tf.cast(v, tf.float32)

    return f, [(1.0,), (1.0,), (2.0,)]


@program()
def read_write_read(tf: Any) -> Made:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        before = v.read_value()
        v.assign(v * x)
        after = v.read_value()
        v.assign_sub([1.0, 1.0])
        return before, after, v.read_value()

    return f, [(2.0,), (3.0,)]


@program()
def gradient_descent(tf: Any) -> Made:
    w = tf.Variable([1.0, -1.0])

    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - 1.0) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss, w.read_value()

    return f, [([1.0, 2.0],), ([1.0, 2.0],), ([0.5, 0.5],)]


@program()
def momentum(tf: Any) -> Made:
    w, m = tf.Variable(2.0), tf.Variable(0.0, trainable=False)

    def f(x):
        with tf.GradientTape() as tape:
            loss = (w - x) ** 2
        g = tape.gradient(loss, w)
        m.assign(0.9 * m + g)
        w.assign_sub(0.1 * m)
        return w.read_value()

    return f, [(0.0,), (0.0,), (1.0,)]


@program()
def scatter_update(tf: Any) -> Made:
    v = tf.Variable([1.0, 2.0, 3.0])

    def f(x):
        v.scatter_nd_update([[0], [2]], x)
        v.scatter_nd_add([[1]], [10.0])
        return v.read_value()

    return f, [([7.0, 8.0],), ([0.0, 1.0],)]


@program()
def slice_assignment(tf: Any) -> Made:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def f(x):
        v[0, :].assign(x)
        return v * 2.0

    return f, [([5.0, 6.0],)]


@program()
def sparse_gradient(tf: Any) -> Made:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [1, 1]) * x)
        return tf.convert_to_tensor(tape.gradient(loss, table))

    return f, [(2.0,)]


@program()
def variable_argument(tf: Any) -> Made:
    v = tf.Variable(3.0)

    def f(x, variable):
        variable.assign_add(x)
        return variable * 2.0

    return f, [(1.0, v), (2.0, v)]


@program()
def variable_made_once(tf: Any) -> Made:
    held = {}

    def f(x):
        if "v" not in held:
            held["v"] = tf.Variable(5.0)
        return held["v"].assign_add(x) * 1.0

    return f, [(1.0,), (2.0,)]


@program()
def two_variables_swap(tf: Any) -> Made:
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    def f(x):
        old = a.read_value()
        a.assign(b * x)
        b.assign(old)
        return a.read_value(), b.read_value()

    return f, [(1.0,), (10.0,)]


@program()
def control_dependencies(tf: Any) -> Made:
    v = tf.Variable(1.0)

    def f(x):
        with tf.control_dependencies([v.assign_add(x)]):
            return v.read_value() * 2.0

    return f, [(1.0,), (1.0,)]


@program()
def group_of_writes(tf: Any) -> Made:
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def f(x):
        tf.group(v.assign(x), w.assign(x * 2.0))
        return v + w

    return f, [(3.0,)]


@program()
def unused_write_still_happens(tf: Any) -> Made:
    v = tf.Variable(0.0)

    def f(x):
        v.assign(x * 5.0)
        return x

    def g(x):
        y = f(x)
        return y + v

    return g, [(1.0,), (2.0,)]


@program(gradient=False)
def uninitialised_pure_op_is_pruned(tf: Any) -> Made:
    def f(x):
        tf.math.divide(x, 2.0)
        return x + 1.0

    return f, [(1.0,)]


@program()
def stateless_random(tf: Any) -> Made:
    def f(x):
        return x * tf.random.stateless_uniform([3], seed=[1, 2]) + tf.random.stateless_normal(
            [3], seed=[3, 4]
        )

    return f, [([1.0, 2.0, 3.0],)]


@program(gradient=False)
def generator(tf: Any) -> Made:
    g = tf.random.Generator.from_seed(7)

    def f(x):
        return x + g.normal([2]), g.uniform([2])

    return f, [(1.0,), (2.0,)]


@program(gradient=False)
def op_seed_stream(tf: Any) -> Made:
    tf.random.set_seed(3)

    def f(x):
        return x + tf.random.uniform([2], seed=5)

    return f, [(0.0,), (0.0,)]


@program()
def dropout_stateless(tf: Any) -> Made:
    def f(x):
        return tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2])

    return f, [([1.0, 2.0, 3.0, 4.0],)]


@program()
def exponential_average(tf: Any) -> Made:
    average = tf.Variable(0.0, trainable=False)
    step = tf.Variable(0, trainable=False, dtype=tf.int64)

    def f(x):
        step.assign_add(1)
        average.assign(0.9 * average + 0.1 * x)
        correction = 1.0 - 0.9 ** tf.cast(step, tf.float32)
        return average / correction

    return f, [(1.0,), (2.0,), (3.0,)]


@program()
def adam_step(tf: Any) -> Made:
    w = tf.Variable([1.0, 2.0])
    m, v = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    t = tf.Variable(0.0)

    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w - x) ** 2)
        g = tape.gradient(loss, w)
        t.assign_add(1.0)
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.999 * v + 0.001 * g * g)
        w.assign_sub(0.1 * (m / (1.0 - 0.9**t)) / (tf.sqrt(v / (1.0 - 0.999**t)) + 1e-7))
        return w.read_value()

    return f, [(0.0,), (0.0,), (0.0,)]
