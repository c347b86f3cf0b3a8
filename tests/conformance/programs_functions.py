"""Functions: nesting, closures, methods, structures, custom gradients, derivatives inside."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

from tests.conformance.harness import Made, program


@program()
def inner_function(tf: Any) -> Made:
    @tf.function
    def square(x):
        return x * x

    return lambda x: square(x) + square(x + 1.0), [(2.0,)]


@program()
def inner_function_with_branch(tf: Any) -> Made:
    @tf.function
    def clip(x):
        if x > 1.0:
            return tf.ones_like(x)
        return x

    return lambda x: clip(x) * 3.0 + clip(x * 2.0), [(2.0,), (0.3,), (0.7,)]


@program()
def closure_over_tensor(tf: Any) -> Made:
    k = tf.constant([2.0, 3.0])

    def outer(x):
        y = x * k

        def inner(z):
            return y + z

        return inner(x)

    return outer, [([1.0, 1.0],)]


@program()
def closure_over_large_tensor(tf: Any) -> Made:
    k = tf.range(1000, dtype=tf.float32)
    return lambda x: tf.reduce_sum(k * x), [(2.0,)]


@program()
def keywords_and_defaults(tf: Any) -> Made:
    def g(x, scale=2.0, *, offset=1.0):
        return x * scale + offset

    return lambda x: g(x) + g(x, 3.0) + g(x, offset=5.0) + g(scale=0.5, x=x), [(1.0,)]


@program()
def star_arguments(tf: Any) -> Made:
    def g(*xs, **named):
        return tf.add_n(list(xs)) + named["last"]

    return lambda x, y: g(x, y, x, last=y), [(1.0, 2.0)]


@program()
def partial_application(tf: Any) -> Made:
    def g(a, b, c):
        return a * b + c

    return functools.partial(g, c=10.0), [(2.0, 3.0)]


@program()
def method_of_object(tf: Any) -> Made:
    class Scale:
        def __init__(self) -> None:
            self.k = tf.Variable(4.0)

        def apply(self, x):
            if x > 0.0:
                return x * self.k
            return x

    return Scale().apply, [(2.0,), (-2.0,)]


@program()
def callable_object(tf: Any) -> Made:
    class Add:
        def __call__(self, x):
            total = x
            for _ in tf.range(3):
                total = total + x
            return total

    add = Add()
    return lambda x: add(x), [(2.0,)]


@program()
def lambda_in_function(tf: Any) -> Made:
    def f(x):
        g = lambda y: y * y if y > 0.0 else y  # noqa: E731
        return g(x) + g(-x)

    return f, [(2.0,), (-3.0,)]


@program()
def nested_structures(tf: Any) -> Made:
    Pair = namedtuple("Pair", "a b")

    def f(x):
        return {"pair": Pair(x, [x * 2.0, (x * 3.0,)]), "none": None}

    return f, [(1.5,)]


@program()
def structured_argument(tf: Any) -> Made:
    def f(x, y):
        return x["a"] * y + x["b"][0]

    def g(x, y):
        return f({"a": x, "b": [y, x]}, y)

    return g, [(2.0, 3.0)]


@program()
def tape_inside(tf: Any) -> Made:
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x)

    return f, [([1.0, 2.0],)]


@program()
def second_order_inside(tf: Any) -> Made:
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x) * x
            dy = inner.gradient(y, x)
        return outer.gradient(dy, x)

    return f, [(0.7,)]


@program()
def persistent_tape_inside(tf: Any) -> Made:
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)

    return f, [(3.0,)]


@program()
def jacobian_inside(tf: Any) -> Made:
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([x[0] * x[1], x[0] ** 2, tf.sin(x[1])])
        return tape.jacobian(y, x)

    return f, [([1.0, 2.0],)]


@program()
def gradient_penalty(tf: Any) -> Made:
    w = tf.Variable([[0.5], [-0.5]])

    def f(x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                score = tf.reduce_sum(tf.tanh(x @ w))
            slope = inner.gradient(score, x)
            penalty = tf.reduce_sum((tf.norm(slope, axis=1) - 1.0) ** 2)
        return outer.gradient(penalty, w)

    return f, [([[1.0, 2.0], [0.3, -0.4]],)]


@program()
def gradient_through_branch_inside(tf: Any) -> Made:
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 1.0:
                y = x**3
            else:
                y = 5.0 * x
        return tape.gradient(y, x)

    return f, [(2.0,), (0.5,)]


@program()
def gradient_through_loop_inside(tf: Any) -> Made:
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = y * x + tf.sin(y)
        return tape.gradient(y, x)

    return f, [(0.5, tf.constant(3)), (0.5, tf.constant(0))]


@program()
def second_order_through_loop(tf: Any) -> Made:
    def f(x, n):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                for _ in tf.range(n):
                    y = y * x
            dy = inner.gradient(y, x)
        return outer.gradient(dy, x)

    return f, [(1.5, tf.constant(3))]


@program()
def custom_gradient(tf: Any) -> Made:
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: tf.clip_by_value(dy, -0.5, 0.5)

    return lambda x: clipped(x) * 3.0 + clipped(x * x), [([1.0, -2.0],)]


@program()
def custom_gradient_with_variable(tf: Any) -> Made:
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * 100.0, [dy * 7.0 for _ in variables]

        return x * v, grad

    def f(x):
        with tf.GradientTape() as tape:
            y = scaled(x)
        return y, tape.gradient(y, v)

    return f, [(2.0,)]


@program()
def custom_gradient_in_inner_function(tf: Any) -> Made:
    @tf.custom_gradient
    def straight_through(x):
        return tf.round(x), lambda dy: dy

    @tf.function
    def inner(x):
        return straight_through(x) * x

    return lambda x: inner(x) + 1.0, [([0.6, 1.4],)]


@program()
def recomputed(tf: Any) -> Made:
    @tf.recompute_grad
    def block(x):
        return tf.sin(x) * tf.exp(x)

    return lambda x: block(x) * 2.0, [([0.1, 0.2],)]


@program()
def gradient_override_none(tf: Any) -> Made:
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = x * 2.0
        gx, gy = tape.gradient(z, [x, y], unconnected_gradients="zero")
        return gx + 0.0, gy

    return f, [(1.0, 2.0)]


@program()
def forward_mode(tf: Any) -> Made:
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = tf.sin(x) * x
        return accumulator.jvp(y)

    return f, [([0.5, 1.5],)]


@program()
def gradients_function(tf: Any) -> Made:
    @tf.function
    def g(x):
        return tf.gradients(x**3, x)[0]

    return lambda x: g(x) * 1.0, [(2.0,)]


@program()
def module_with_state(tf: Any) -> Made:
    class Dense(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            self.b = tf.Variable([0.5, -0.5])

        @tf.function
        def __call__(self, x):
            return tf.nn.relu(x @ self.w + self.b)

    dense = Dense()
    return lambda x: dense(x) * 2.0, [([[1.0, -1.0]],)]


@program()
def recursion_in_python(tf: Any) -> Made:
    def power(x, n):
        return tf.ones_like(x) if n == 0 else x * power(x, n - 1)

    return lambda x: power(x, 4), [(1.5,)]


@program()
def generator_of_layers(tf: Any) -> Made:
    weights = [tf.Variable(float(i + 1)) for i in range(3)]

    def f(x):
        for w in weights:
            x = tf.tanh(w * x)
        return x

    return f, [(0.3,)]


@program()
def none_and_python_results(tf: Any) -> Made:
    return lambda x: (x * 1.0, None, 3, 2.5, True), [(1.0,)]


@program()
def augmented_assignments(tf: Any) -> Made:
    def f(x):
        y = x
        y += 1.0
        y *= x
        y -= 0.5
        y /= 2.0
        y **= 2.0
        return y

    return f, [([1.0, 2.0],)]


@program()
def map_and_filter(tf: Any) -> Made:
    def f(x):
        parts = list(map(lambda i: x * float(i), filter(lambda i: i % 2, range(5))))
        return tf.add_n(parts)

    return f, [([1.0, 2.0],)]


@program()
def sorted_and_reversed(tf: Any) -> Made:
    def f(x):
        total = x
        for i in reversed(sorted([3, 1, 2])):
            total = total * 2.0 + float(i)
        return total

    return f, [(1.0,)]


@program()
def dictionary_in_loop(tf: Any) -> Made:
    def f(x):
        state = {"a": x, "b": x * 2.0}
        for _ in range(3):
            state["a"] = state["a"] + state["b"]
        return state

    return f, [(1.0,)]


@program()
def attribute_state(tf: Any) -> Made:
    class Box:
        pass

    def f(x):
        box = Box()
        box.value = x
        if x > 0.0:
            box.value = box.value * 2.0
        return box.value

    return f, [(1.0,), (-1.0,)]
