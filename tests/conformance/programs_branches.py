"""Conditions: `if`, conditional expressions, boolean operators, `tf.cond`, `tf.case`."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness import Made, program


@program()
def if_else(tf: Any) -> Made:
    def f(x):
        if x > 0:
            y = x * 2.0
        else:
            y = -x
        return y

    return f, [(3.0,), (-2.0,), (0.0,)]


@program()
def if_without_else(tf: Any) -> Made:
    def f(x):
        y = x
        if tf.reduce_sum(x) > 1.0:
            y = y * y
        return y

    return f, [([1.0, 2.0],), ([0.1, 0.2],)]


@program()
def elif_chain(tf: Any) -> Made:
    def f(x):
        if x > 10.0:
            return x * 0.1
        elif x > 1.0:
            return x * x
        elif x > 0.0:
            return tf.exp(x)
        else:
            return tf.zeros_like(x)

    return f, [(20.0,), (5.0,), (0.5,), (-1.0,)]


@program()
def early_return(tf: Any) -> Made:
    def f(x):
        if x < 0.0:
            return x * 0.0
        y = tf.sqrt(x)
        if y > 2.0:
            return y
        return y + 1.0

    return f, [(-1.0,), (16.0,), (1.0,)]


@program()
def nested_if(tf: Any) -> Made:
    def f(x, y):
        if x > 0.0:
            if y > 0.0:
                z = x * y
            else:
                z = x - y
        else:
            z = y
            if y > 5.0:
                z = z + x
        return z

    return f, [(1.0, 2.0), (1.0, -2.0), (-1.0, 2.0), (-1.0, 6.0)]


@program()
def conditional_expression(tf: Any) -> Made:
    def f(x):
        return x * 2.0 if x > 1.0 else x / 2.0

    return f, [(2.0,), (1.0,)]


@program()
def and_or_not(tf: Any) -> Made:
    def f(x):
        if x > 0.0 and not x > 10.0 or x < -100.0:
            return x + 1.0
        return x - 1.0

    return f, [(5.0,), (11.0,), (-101.0,), (-5.0,)]


@program()
def chained_comparison(tf: Any) -> Made:
    def f(x):
        if 0.0 < x < 1.0:
            return x * 10.0
        return x

    return f, [(0.5,), (2.0,), (-1.0,)]


@program()
def equality(tf: Any) -> Made:
    def f(x, y):
        if x == y:
            return x + y
        if x != 2.0 * y:
            return x - y
        return x * y

    return f, [(1.0, 1.0), (2.0, 1.0), (5.0, 1.0)]


@program()
def several_results(tf: Any) -> Made:
    def f(x):
        if x > 0.0:
            a, b, c = x, x * 2.0, tf.constant(1)
        else:
            a, b, c = -x, x * 3.0, tf.constant(2)
        return {"a": a, "b": (b, c)}

    return f, [(1.0,), (-1.0,)]


@program()
def python_condition(tf: Any) -> Made:
    flag = True

    def f(x):
        if flag:
            return x + 1.0
        raise RuntimeError("never")

    return f, [(1.0,)]


@program()
def undefined_in_one_branch(tf: Any) -> Made:
    def f(x):
        if x > 0.0:
            y = x
            z = y * 2.0
            x = z
        return x

    return f, [(1.0,), (-1.0,)]


@program()
def cond_function(tf: Any) -> Made:
    def f(x):
        return tf.cond(x > 1.0, lambda: x * x, lambda: x + 10.0)

    return f, [(2.0,), (0.5,)]


@program()
def cond_structures(tf: Any) -> Made:
    def f(x):
        result = tf.cond(
            tf.reduce_all(x > 0.0),
            lambda: {"s": tf.reduce_sum(x), "v": [x, 2.0 * x]},
            lambda: {"s": tf.reduce_max(x), "v": [x * 3.0, x]},
        )
        return result["s"] * result["v"][0] + result["v"][1]

    return f, [([1.0, 2.0],), ([-1.0, 2.0],)]


@program()
def case_function(tf: Any) -> Made:
    def f(x):
        return tf.case([(x > 10.0, lambda: x * 0.5), (x > 5.0, lambda: x * x)], default=lambda: -x)

    return f, [(11.0,), (6.0,), (1.0,)]


@program()
def switch_case_function(tf: Any) -> Made:
    def f(i, x):
        return tf.switch_case(
            i, {0: lambda: x, 1: lambda: x * x, 2: lambda: x * x * x}, default=lambda: -x
        )

    return f, [
        (tf.constant(0), 3.0),
        (tf.constant(1), 3.0),
        (tf.constant(2), 3.0),
        (tf.constant(7), 3.0),
    ]


@program()
def branch_writes_variable(tf: Any) -> Made:
    v = tf.Variable(1.0)

    def f(x):
        if x > 0.0:
            v.assign_add(x)
        else:
            v.assign(x * 2.0)
        return v.read_value()

    return f, [(1.0,), (-3.0,), (2.0,)]


@program()
def branch_reads_variable(tf: Any) -> Made:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        if tf.reduce_sum(x) > 0.0:
            return x * v
        return x + v

    return f, [([1.0, 2.0],), ([-1.0, -2.0],)]


@program()
def branch_captures_outer(tf: Any) -> Made:
    k = tf.constant([3.0, 4.0])

    def f(x):
        y = tf.exp(x)
        return tf.cond(x > 0.0, lambda: y * k, lambda: k - y)

    return f, [(0.5,), (-0.5,)]


@program()
def condition_on_int(tf: Any) -> Made:
    def f(x, n):
        if n % 2 == 0:
            return x * 2.0
        return x * 3.0

    return f, [(1.5, tf.constant(4)), (1.5, tf.constant(5))]


@program()
def where_gradient(tf: Any) -> Made:
    def f(x):
        return tf.where(x > 0.0, tf.sqrt(tf.maximum(x, 1e-6)), x)

    return f, [([4.0, -1.0, 9.0],)]


@program()
def cond_of_functions(tf: Any) -> Made:
    def double(x):
        return x * 2.0

    def shrink(x):
        if x > 5.0:
            return x / 10.0
        return x - 1.0

    def f(x):
        if x > 3.0:
            return shrink(x)
        return double(x)

    return f, [(4.0,), (8.0,), (1.0,)]


@program(gradient=False)
def any_and_all(tf: Any) -> Made:
    def f(x):
        if tf.reduce_any(x > 2) and tf.reduce_all(x > 0):
            return tf.constant(1)
        return tf.constant(0)

    return f, [(tf.constant([1, 3]),), (tf.constant([-1, 3]),), (tf.constant([1, 1]),)]


@program()
def assert_statement(tf: Any) -> Made:
    def f(x):
        assert x > 0.0, "x must be positive"
        return x * 2.0

    def g(x):
        tf.debugging.assert_greater(x, 0.0)
        return f(x + 1.0)

    return g, [(1.0,)]


@program(host="sizes that depend on values")
def different_shapes_in_branches(tf: Any) -> Made:
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            y = x
        else:
            y = tf.concat([x, x], 0)
        return tf.reduce_sum(y * y)

    return f, [([1.0, 2.0],), ([-1.0, 0.5],)]
