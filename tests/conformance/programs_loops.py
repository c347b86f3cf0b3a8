"""Loops: `while`, `for` over ranges, tensors and Python values, and the functions that loop."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness import SIZES_BY_ARGUMENT, Made, program


@program()
def while_halving(tf: Any) -> Made:
    def f(x):
        while x > 1.0:
            x = x / 2.0
        return x

    return f, [(40.0,), (0.5,), (3.0,)]


@program()
def while_counting(tf: Any) -> Made:
    def f(x, n):
        i = tf.constant(0)
        total = tf.zeros_like(x)
        while i < n:
            total += x * tf.cast(i, tf.float32)
            i += 1
        return total, i

    return f, [([1.0, 2.0], tf.constant(4)), ([1.0, 2.0], tf.constant(0))]


@program()
def for_range_tensor(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            x = x * 1.1 + tf.cast(i, tf.float32)
        return x

    return f, [(1.0, tf.constant(5)), (1.0, tf.constant(0))]


@program()
def for_python_range(tf: Any) -> Made:
    def f(x):
        for i in range(3):
            x = x + float(i) * x
        return x

    return f, [([1.0, 2.0],)]


@program()
def for_over_tensor(tf: Any) -> Made:
    def f(xs):
        total = tf.constant(0.0)
        for x in xs:
            total = total * 0.5 + x * x
        return total

    return f, [([1.0, 2.0, 3.0],)]


@program()
def for_over_rows(tf: Any) -> Made:
    def f(xs):
        best = xs[0]
        for row in xs:
            if tf.reduce_sum(row) > tf.reduce_sum(best):
                best = row
        return best

    return f, [([[1.0, 2.0], [5.0, 1.0], [3.0, 0.0]],)]


@program()
def break_out(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            x = x * 2.0
            if x > 20.0:
                break
        return x, i

    return f, [(1.0, tf.constant(10)), (1.0, tf.constant(2))]


@program()
def continue_past(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            x = x + tf.cast(i, tf.float32) * x
        return x

    return f, [(1.0, tf.constant(6))]


@program()
def return_from_loop(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            x = x * 3.0
            if x > 30.0:
                return x - 1.0
        return x + 1.0

    return f, [(1.0, tf.constant(10)), (1.0, tf.constant(2))]


@program()
def while_true_break(tf: Any) -> Made:
    def f(x):
        steps = tf.constant(0)
        while True:
            x = x * 0.7
            steps += 1
            if x < 1.0:
                break
        return x, steps

    return f, [(10.0,), (0.5,)]


@program()
def nested_loops(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            for j in tf.range(i):
                x = x + 0.1 * tf.cast(i * j, tf.float32) * x
        return x

    return f, [(1.0, tf.constant(4))]


@program()
def loop_in_branch(tf: Any) -> Made:
    def f(x, n):
        if x > 0.0:
            for _ in tf.range(n):
                x = tf.sin(x) + 1.0
        else:
            x = x * 2.0
        return x

    return f, [(1.0, tf.constant(3)), (-1.0, tf.constant(3))]


@program(host="sizes that depend on values")
def growing_tensor(tf: Any) -> Made:
    def f(x, n):
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x[:1] * 2.0], 0)
        return x

    return f, [([1.0, 2.0], tf.constant(3))]


@program()
def while_loop_function(tf: Any) -> Made:
    def f(x):
        i, y = tf.while_loop(
            lambda i, y: i < 5, lambda i, y: (i + 1, y * 1.5 - 0.1), [tf.constant(0), x]
        )
        return y, i

    return f, [([1.0, -2.0],)]


@program()
def maximum_iterations(tf: Any) -> Made:
    def f(x):
        y, _ = tf.while_loop(
            lambda y, z: y < 100.0, lambda y, z: [y * 2.0, z], [x, x], maximum_iterations=3
        )
        return y

    return f, [(1.0,), (60.0,)]


@program()
def while_structures(tf: Any) -> Made:
    def f(x):
        state = {"i": tf.constant(0), "v": (x, x * 0.0)}
        state = tf.while_loop(
            lambda s: s["i"] < 3,
            lambda s: ({"i": s["i"] + 1, "v": (s["v"][0] * 2.0, s["v"][1] + s["v"][0])},),
            [state],
        )[0]
        return state["v"][1]

    return f, [(1.5,)]


@program(host=SIZES_BY_ARGUMENT)
def tensor_array_write_stack(tf: Any) -> Made:
    def f(x, n):
        ta = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, x * tf.cast(i, tf.float32))
        return ta.stack()

    return f, [([1.0, 2.0], tf.constant(3))]


@program(host="sizes that depend on values")
def tensor_array_dynamic(tf: Any) -> Made:
    def f(x):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        i = tf.constant(0)
        while x > 1.0:
            ta = ta.write(i, x)
            x = x / 2.0
            i += 1
        return ta.stack()

    return f, [(10.0,)]


@program()
def tensor_array_unstack_read(tf: Any) -> Made:
    def f(xs):
        ta = tf.TensorArray(tf.float32, size=3).unstack(xs)
        total = tf.constant(0.0)
        for i in tf.range(3):
            total += ta.read(i) * tf.cast(i + 1, tf.float32)
        return total

    return f, [([1.0, 2.0, 3.0],)]


@program()
def map_fn_square(tf: Any) -> Made:
    def f(xs):
        return tf.map_fn(lambda x: x * x + 1.0, xs)

    return f, [([1.0, 2.0, 3.0],)]


@program()
def map_fn_pairs(tf: Any) -> Made:
    def f(xs, ys):
        return tf.map_fn(lambda pair: pair[0] * pair[1], (xs, ys), fn_output_signature=tf.float32)

    return f, [([1.0, 2.0], [3.0, 4.0])]


@program()
def scan_products(tf: Any) -> Made:
    def f(xs):
        return tf.scan(lambda a, x: a * x + 1.0, xs)

    return f, [([1.0, 2.0, 3.0],)]


@program()
def scan_with_initializer(tf: Any) -> Made:
    def f(xs):
        return tf.scan(lambda a, x: a + x, xs, initializer=tf.constant(10.0), reverse=True)

    return f, [([1.0, 2.0, 3.0],)]


@program()
def foldl_and_foldr(tf: Any) -> Made:
    def f(xs):
        return tf.foldl(lambda a, x: a * 2.0 + x, xs), tf.foldr(lambda a, x: a * 2.0 + x, xs)

    return f, [([1.0, 2.0, 3.0],)]


@program()
def vectorized_map_rows(tf: Any) -> Made:
    def f(xs):
        return tf.vectorized_map(lambda x: tf.reduce_sum(x) * x, xs)

    return f, [([[1.0, 2.0], [3.0, 4.0]],)]


@program()
def rnn_by_hand(tf: Any) -> Made:
    w = tf.Variable([[0.5, -0.3], [0.2, 0.1]])

    def f(xs):
        h = tf.zeros([2])
        for x in xs:
            h = tf.tanh(tf.linalg.matvec(w, h) + x)
        return h

    return f, [([[1.0, 2.0], [3.0, 4.0], [0.1, 0.2]],)]


@program()
def newton_square_root(tf: Any) -> Made:
    def f(a):
        x = a
        while tf.abs(x * x - a) > 1e-4:
            x = 0.5 * (x + a / x)
        return x

    return f, [(2.0,), (9.0,)]


@program()
def loop_writes_variable(tf: Any) -> Made:
    v = tf.Variable(0.0)

    def f(x, n):
        for i in tf.range(n):
            v.assign_add(x * tf.cast(i, tf.float32))
        return v.read_value()

    return f, [(1.0, tf.constant(4)), (1.0, tf.constant(2))]


@program()
def enumerate_and_zip(tf: Any) -> Made:
    def f(xs, ys):
        total = 0.0
        for i, (x, y) in enumerate(zip([xs, xs * 2.0], [ys, ys * 3.0])):
            total = total + float(i + 1) * x * y
        return total

    return f, [([1.0, 2.0], [3.0, 4.0])]


@program()
def enumerate_tensor(tf: Any) -> Made:
    def f(xs):
        total = tf.constant(0.0)
        for i, x in enumerate(xs):
            total += tf.cast(i, tf.float32) * x
        return total

    return f, [([1.0, 2.0, 3.0],)]


@program()
def list_append_unrolled(tf: Any) -> Made:
    def f(x):
        parts = []
        for i in range(3):
            parts.append(x * float(i))
        return tf.stack(parts)

    return f, [([1.0, 2.0],)]


@program()
def comprehension(tf: Any) -> Made:
    def f(x):
        return tf.add_n([x * float(i) for i in range(4) if i != 2])

    return f, [([1.0, 2.0],)]


@program()
def loop_variable_after_loop(tf: Any) -> Made:
    def f(n):
        i = tf.constant(-1)
        for i in tf.range(n):
            pass
        return i

    return f, [(tf.constant(5),), (tf.constant(0),)]


@program()
def negative_step_range(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n, 0, -2):
            x = x * tf.cast(i, tf.float32)
        return x

    return f, [(1.0, tf.constant(7))]


@program()
def float_range(tf: Any) -> Made:
    def f(x):
        total = tf.zeros_like(x)
        for step in tf.range(0.0, 1.0, 0.25):
            total += x * step
        return total

    return f, [([1.0, 2.0],)]


@program()
def power_by_squaring(tf: Any) -> Made:
    def f(x, n):
        result = tf.ones_like(x)
        while n > 0:
            if n % 2 == 1:
                result = result * x
            x = x * x
            n = n // 2
        return result

    return f, [(1.5, tf.constant(10)), (2.0, tf.constant(0))]


@program(gradient=False)
def collatz(tf: Any) -> Made:
    def f(n):
        steps = tf.constant(0)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return f, [(tf.constant(27),), (tf.constant(1),)]


@program(gradient=False)
def fibonacci(tf: Any) -> Made:
    def f(n):
        a, b = tf.constant(0, tf.int64), tf.constant(1, tf.int64)
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    return f, [(tf.constant(50),), (tf.constant(90),)]


@program(gradient=False)
def gcd(tf: Any) -> Made:
    def f(a, b):
        while b != 0:
            a, b = b, a % b
        return a

    return f, [(tf.constant(48), tf.constant(36)), (tf.constant(7), tf.constant(0))]
