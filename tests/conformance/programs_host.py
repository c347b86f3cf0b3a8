"""Programs that leave the compiler's world: strings, Python calls, sizes that depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.harness import SIZES_BY_ARGUMENT, Made, program


@program(host="py_function")
def py_function(tf: Any) -> Made:
    def f(x):
        y = tf.py_function(lambda t: t * 2.0 + 1.0, [x], tf.float32)
        return y * x

    return f, [([1.0, 2.0],)]


@program(host="numpy_function", gradient=False)
def numpy_function(tf: Any) -> Made:
    def f(x):
        return tf.numpy_function(lambda a: np.sort(a)[::-1].copy(), [x], tf.float32) + 1.0

    return f, [([1.0, 3.0, 2.0],)]


@program(host="strings", gradient=False)
def strings(tf: Any) -> Made:
    def f(x):
        return tf.strings.join(["n=", tf.strings.as_string(x)]), tf.strings.length("abc")

    return f, [(tf.constant([1, 2]),)]


@program(host="strings", gradient=False)
def string_condition(tf: Any) -> Made:
    def f(s):
        if s == "yes":
            return tf.constant(1)
        return tf.constant(0)

    return f, [(tf.constant("yes"),), (tf.constant("no"),)]


@program(host="sizes that depend on values")
def boolean_mask(tf: Any) -> Made:
    def f(x):
        return tf.reduce_sum(tf.boolean_mask(x, x > 1.0) * 2.0)

    return f, [([1.0, 2.0, 3.0],), ([0.0, 0.5],)]


@program(host="sizes that depend on values", gradient=False)
def unique_values(tf: Any) -> Made:
    def f(x):
        values, indices = tf.unique(x)
        return values * 2, indices

    return f, [(tf.constant([3, 1, 3, 2]),)]


@program(host="sizes that depend on values", gradient=False)
def where_indices(tf: Any) -> Made:
    return lambda x: tf.where(x > 1.0), [([1.0, 2.0, 3.0],)]


@program(host="prints")
def prints(tf: Any) -> Made:
    def f(x):
        y = x * 2.0
        tf.print("y is", y, output_stream="file:///dev/null")
        return y + 1.0

    return f, [([1.0, 2.0],)]


@program(host="py_function")
def segments_around_host(tf: Any) -> Made:
    def f(x):
        a = tf.sin(x) * 2.0
        b = tf.numpy_function(lambda t: t + np.float32(1.0), [a], tf.float32)
        b.set_shape([2])
        return tf.stop_gradient(b) * tf.cos(x) + a

    return f, [([0.5, 1.5],)]


@program(host="py_function")
def host_effects_in_order(tf: Any) -> Made:
    v = tf.Variable(1.0)
    seen = []

    def note(value):
        seen.append(float(value))
        return np.float32(len(seen))

    def f(x):
        v.assign_add(x)
        first = tf.numpy_function(note, [v.read_value()], tf.float32)
        v.assign(v * 2.0)
        second = tf.numpy_function(note, [v.read_value()], tf.float32)
        return v.read_value() + 0.0 * (first + second)

    return f, [(1.0,), (2.0,)]


@program(host=SIZES_BY_ARGUMENT, gradient=False)
def range_of_value(tf: Any) -> Made:
    return lambda n: tf.reduce_sum(tf.range(n) * 2), [(tf.constant(5),), (tf.constant(0),)]


@program(host="py_function in a loop", gradient=False)
def host_call_in_loop(tf: Any) -> Made:
    def f(n):
        total = tf.constant(0.0)
        for i in tf.range(n):
            square = tf.numpy_function(lambda k: np.float32(k * k), [i], tf.float32)
            square.set_shape([])
            total += square
        return total

    return f, [(tf.constant(4),)]
