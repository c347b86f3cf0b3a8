"""Functions convert what they trace: control flow over tensors, and errors by the user's lines."""

from __future__ import annotations

import pytest

import tapeflow as tf


@tf.function
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def test_control_flow_over_tensors():
    assert [collatz(tf.constant(n)).numpy() for n in (1, 6, 7)] == [0, 8, 16]
    assert collatz.experimental_get_tracing_count() == 1


def test_without_conversion():
    @tf.function(autograph=False)
    def function(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        function(tf.constant(1))


def test_inner_functions_have_options_of_their_own():
    @tf.function(autograph=False)
    def as_it_is(x):
        return tf.cond(x > 0, lambda: positive(x), lambda: x)

    @tf.function
    def positive(x):
        total = tf.constant(0)
        for i in tf.range(x):
            total += i
        return total

    @tf.function
    def outer(x):
        return as_it_is(x) if x < 100 else x

    assert outer(tf.constant(4)).numpy() == 6


def test_methods_are_converted():
    class Model:
        def __init__(self):
            self.limit = 3

        @tf.function
        def clip(self, x):
            if x > self.limit:
                x = tf.constant(self.limit)
            return x

    model = Model()
    assert [model.clip(tf.constant(n)).numpy() for n in (2, 5)] == [2, 3]


def test_errors_tell_the_users_line():
    @tf.function
    def function(x):
        return tf.reshape(x, [7])  # the line that fails

    with pytest.raises(ValueError, match="in user code:") as caught:
        function(tf.zeros([3]))
    assert "the line that fails" in str(caught.value)
    assert "polymorphic" not in str(caught.value)


def test_recursion_through_converted_code_ends():
    @tf.function
    def forever(n):
        if n > 0:
            return forever(n - 1)
        return 1

    with pytest.raises(RecursionError, match="calls itself, with arguments of the same types"):
        forever(tf.constant(3))
    assert forever(3).numpy() == 1
