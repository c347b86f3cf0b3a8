"""Programs as users write them: several parts of the language and of the library at once."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
from typing import Any

from tests.conformance.harness import Made, program

Pair = collections.namedtuple("Pair", ["low", "high"])


@program()
def break_inside_try(tf: Any) -> Made:
    def f(x, n):
        for i in tf.range(n):
            try:
                if i == 3:
                    break
                x = x * 2.0
            finally:
                x = x + 1.0
        return x

    return f, [(1.0, tf.constant(2)), (1.0, tf.constant(6))]


@program()
def continue_inside_with(tf: Any) -> Made:
    def f(x, n):
        i = 0
        while i < n:
            with contextlib.nullcontext():
                i += 1
                if i % 2 == 0:
                    continue
                x = x + tf.cast(i, tf.float32) * x
        return x, i

    return f, [(0.5, tf.constant(5))]


@program()
def return_from_endless_loop(tf: Any) -> Made:
    def f(x):
        n = 0
        while True:
            x = x * 1.5
            n += 1
            if x > 10.0:
                return x, n

    return f, [(1.0,), (9.0,), (100.0,)]


@program()
def return_from_inner_loop(tf: Any) -> Made:
    def f(x, limit):
        while True:
            for i in tf.range(4):
                x = x + tf.cast(i, tf.float32)
                if x > limit:
                    return x
            x = x * 1.1

    return f, [(1.0, 5.0), (1.0, 50.0)]


@program(gradient=False)
def binary_search(tf: Any) -> Made:
    def f(x, wanted):
        low, high = 0, len(x) - 1
        while low <= high:
            middle = (low + high) // 2
            if x[middle] == wanted:
                return middle
            elif x[middle] < wanted:
                low = middle + 1
            else:
                high = middle - 1
        return -1

    table = tf.constant([1, 3, 5, 7, 9])
    return f, [(table, tf.constant(7)), (table, tf.constant(4))]


@program()
def early_stopping(tf: Any) -> Made:
    def f(losses):
        best, wait, epoch = tf.constant(float("inf")), 0, 0
        for loss in losses:
            epoch += 1
            if loss < best:
                best, wait = loss, 0
            else:
                wait += 1
                if wait >= 2:
                    break
        return best, epoch

    return f, [([3.0, 2.0, 2.5, 2.6, 1.0],), ([3.0, 2.0, 1.0],)]


@program()
def named_tuple_state(tf: Any) -> Made:
    def f(x):
        pair = Pair(x[0], x[0])
        for item in x:
            if item < pair.low:
                pair = pair._replace(low=item)
            elif item > pair.high:
                pair = pair._replace(high=item)
        return pair.high - pair.low, pair

    return f, [([3.0, 1.0, 4.0, 1.5],)]


@dataclasses.dataclass
class Moments:
    total: Any
    squares: Any

    def add(self, x: Any) -> None:
        self.total = self.total + x
        self.squares = self.squares + x * x

    @property
    def spread(self) -> Any:
        return self.squares - self.total * self.total


@program()
def object_as_accumulator(tf: Any) -> Made:
    def f(x):
        moments = Moments(x * 0.0, x * 0.0)
        for factor in (1.0, 2.0, 3.0):
            moments.add(x * factor if x > 0.0 else x)
        return moments.total, moments.spread

    return f, [(2.0,), (-2.0,)]


@program()
def attributes_in_loop(tf: Any) -> Made:
    def f(x, n):
        moments = Moments(x * 0.0, x)
        for _ in tf.range(n):
            moments.total, moments.squares = moments.squares, moments.total + moments.squares
        return moments.total

    return f, [(1.5, tf.constant(6))]


def positive(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(x: Any, *args: Any) -> Any:
        if x > 0.0:
            return function(x, *args)
        return function(-x, *args)

    return wrapper


@positive
def shrink(x: Any, limit: float) -> Any:
    while x > limit:
        x = x / 2.0
    return x


@program()
def decorated_helpers(tf: Any) -> Made:
    part = functools.partial(shrink, 3.0)
    return lambda x: (shrink(x, 1.5), shrink(x, 4.0), part(1.0) + x), [(9.0,), (-9.0,)]


class Base:
    scale = 2.0

    def step(self, x: Any) -> Any:
        return x * self.scale if x > 1.0 else x + self.scale


class Derived(Base):
    def step(self, x: Any) -> Any:
        y = super().step(x)
        if y > 4.0:
            return y - 1.0
        return super().step(y)


@program()
def methods_and_super(tf: Any) -> Made:
    return lambda x: (Base().step(x), Derived().step(x)), [(0.5,), (1.5,), (3.0,)]


@program()
def state_machine(tf: Any) -> Made:
    state = tf.Variable(0)

    def f(x):
        if state == 0:
            if x > 0.0:
                state.assign(1)
        elif state == 1:
            state.assign(0 if x < 0.0 else 2)
        return x * tf.cast(state, tf.float32)

    return f, [(0.0,), (1.0,), (-1.0,), (1.0,), (1.0,), (5.0,)]


@program()
def gradient_steps_in_loop(tf: Any) -> Made:
    def f(x, n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum((x - 3.0) ** 2)
            x = x - 0.1 * tape.gradient(y, x)
            if y < 0.5:
                break
        return x

    return f, [([0.0, 5.0], tf.constant(20))]


@program()
def third_order_through_loop(tf: Any) -> Made:
    def power(x, n):
        result = tf.ones_like(x)
        while n > 0:
            result = result * x
            n -= 1
        return result

    def f(x, n):
        derivatives = [power]
        for _ in range(2):
            derivatives.append(functools.partial(_derivative, tf, derivatives[-1]))
        return [d(x, n) for d in derivatives]

    return f, [(2.0, tf.constant(5))]


def _derivative(tf: Any, function: Any, x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, n)
    return tape.gradient(y, x)


@program()
def clipped_gradient_in_loop(tf: Any) -> Made:
    @tf.custom_gradient
    def clip(x):
        return x * 10.0, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    def f(x, n):
        for _ in tf.range(n):
            x = clip(x)
        return x

    return f, [(2.0, tf.constant(3))]


@program()
def masked_recurrence(tf: Any) -> Made:
    def f(x, lengths):
        state = tf.zeros([tf.shape(x)[0]])
        outputs = tf.TensorArray(tf.float32, size=x.shape[1])
        for i in tf.range(x.shape[1]):
            state = tf.where(i < lengths, tf.tanh(state + x[:, i]), state)
            outputs = outputs.write(i, state)
        return tf.transpose(outputs.stack()), state

    return f, [([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tf.constant([2, 3]))]


@program()
def bubble_sort(tf: Any) -> Made:
    def f(x):
        n = len(x)
        for i in tf.range(n):
            for j in tf.range(n - i - 1):
                if x[j] > x[j + 1]:
                    swapped = tf.stack([x[j + 1], x[j]])
                    x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], swapped)
        return x

    return f, [([5.0, 2.0, 9.0, 1.0],)]


@program(gradient=False)
def vectorized_branches(tf: Any) -> Made:
    def row(v):
        return tf.cond(tf.reduce_sum(v) > 1.0, lambda: v * v, lambda: -v)

    return lambda x: tf.vectorized_map(row, x), [([[1.0, 2.0], [0.1, 0.2], [3.0, -5.0]],)]


@program()
def repeated_evenly(tf: Any) -> Made:
    return lambda x: tf.repeat(x, 3, axis=1) * tf.repeat(x, 2)[0], [([[1.0, 2.0], [3.0, 4.0]],)]


@program(host="files and queues are the host's")
def queue_in_loop(tf: Any) -> Made:
    queue = tf.queue.FIFOQueue(10, [tf.float32], [[]])

    def f(x):
        for item in x:
            queue.enqueue(item * 2.0)
        return queue.dequeue_many(3)

    return f, [([1.0, 2.0, 3.0],)]


@program(gradient=False)
def integers_against_fractions(tf: Any) -> Made:
    return lambda x: x * 2 > 2.5, [(tf.constant([1, 2]),)]


@program()
def wrong_shape_for_variable(tf: Any) -> Made:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign_add(x)
        return v * 2.0

    return f, [([1.0, 1.0],), ([1.0, 1.0, 1.0],), (1.0,)]


@program(gradient=False)
def failed_shapes(tf: Any) -> Made:
    def f(x, y):
        tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D", 2))])
        return x @ y

    ones = tf.ones
    return f, [(ones([1, 3]), ones([3, 2])), (ones([1, 3]), ones([4, 2]))]
