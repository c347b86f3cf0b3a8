"""Programs with branches and loops, of a vector `x` of two numbers, written once for both modes.

Each is run eagerly, where Python branches and loops, and in a graph.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf

PROGRAMS: dict[str, Any] = {}
_ZERO = 0


def program(function: Any) -> Any:
    PROGRAMS[function.__name__] = function
    return function


def count_to(n: Any, body: Any, *first: Any) -> Any:
    """The variables after `n` times `body(i, *variables)`."""
    if len(first) == 1:
        loop = tf.while_loop(
            lambda i, v: i < n, lambda i, v: (i + 1, body(i, v)), (tf.constant(_ZERO), first[0])
        )
        return loop[1]
    loop = tf.while_loop(
        lambda i, *v: i < n, lambda i, *v: (i + 1, *body(i, *v)), (tf.constant(_ZERO), *first)
    )
    return loop[1:]


# -- branches ---------------------------------------------------------------------------------


@program
def branch_taken(x: Any) -> Any:
    return tf.cond(x[0] > 0, lambda: x * x, lambda: x - 1.0)


@program
def branch_not_taken(x: Any) -> Any:
    return tf.cond(x[0] > 100, lambda: x * x, lambda: tf.exp(x) * x)


@program
def branch_without_x(x: Any) -> Any:
    return x * tf.cond(x[0] > 100, lambda: x * x, lambda: tf.constant([1.0, 2.0], x.dtype))


@program
def branches_of_two_results(x: Any) -> Any:
    a, b = tf.cond(x[0] > 0, lambda: (tf.sin(x), x * x), lambda: (x, x))
    return a * b


@program
def branch_in_branch(x: Any) -> Any:
    return tf.cond(
        x[0] > 0,
        lambda: tf.cond(x[1] > 100, lambda: x, lambda: tf.sin(x) * x),
        lambda: x * x * x,
    )


@program
def branch_of_unknown_shape(x: Any) -> Any:
    y = tf.boolean_mask(x, x > -10.0)
    return tf.cond(x[0] > 0, lambda: tf.sin(y) * y, lambda: y * y * y)


@program
def switch(x: Any) -> Any:
    index = tf.cast(x[0], tf.int32) + 1
    return tf.switch_case(index, [lambda: x, lambda: x * tf.sin(x), lambda: x * x * x])


@program
def cases(x: Any) -> Any:
    pairs = [(x[0] > 5, lambda: x), (x[1] > 1, lambda: x * tf.exp(x))]
    return tf.case(pairs, default=lambda: x * x)


# -- loops ------------------------------------------------------------------------------------


@program
def power(x: Any) -> Any:
    return count_to(3, lambda i, y: y * x, x)


@program
def iterated(x: Any) -> Any:
    return count_to(4, lambda i, y: tf.sin(y) * 2.0, x)


@program
def dynamic_trip_count(x: Any) -> Any:
    _, y = tf.while_loop(
        lambda i, y: tf.reduce_sum(y) < 9.0, lambda i, y: (i + 1, y * y + x), (tf.constant(0), x)
    )
    return y


@program
def two_variables(x: Any) -> Any:
    return count_to(4, lambda i, a, b: (b, a * b), x, x + 0.3)[1]


@program
def swapped_variables(x: Any) -> Any:
    a, b = count_to(3, lambda i, a, b: (b, a), x, x * x)
    return a * tf.sin(b)


@program
def unused_variable(x: Any) -> Any:
    return count_to(3, lambda i, y, z: (y * 2.0, z * y), x, x)[0]


@program
def index_counts(x: Any) -> Any:
    return count_to(3, lambda i, y: y * tf.cast(i + 1, x.dtype) * x, x)


@program
def no_iterations(x: Any) -> Any:
    return count_to(0, lambda i, y: y * x, x) * x


@program
def limited(x: Any) -> Any:
    (y,) = tf.while_loop(lambda y: True, lambda y: [y * x + 0.1], [x], maximum_iterations=3)
    return y


@program
def read_only_variable(x: Any) -> Any:
    y, z = count_to(3, lambda i, y, z: (y * z, z), x, x * x)
    return y + z


@program
def gathered(x: Any) -> Any:
    return count_to(3, lambda i, y: y * tf.gather(x, [i % 2]), x[:1])


@program
def growing(x: Any) -> Any:
    _, y = tf.while_loop(
        lambda i, y: i < 2,
        lambda i, y: (i + 1, tf.concat([tf.sin(y), y * y], 0)),
        (tf.constant(0), x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )
    return y


# -- one in the other -------------------------------------------------------------------------


@program
def branch_in_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: tf.sin(y) + x)

    return count_to(4, body, x)


@program
def branch_of_unknown_shape_in_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        z = tf.boolean_mask(y, y > -100.0)
        z = tf.cond(tf.equal(i % 2, 0), lambda: z * tf.sin(z), lambda: tf.exp(z))
        return y * tf.reduce_sum(z)

    return count_to(3, body, x * 0.5)


@program
def loop_in_branch(x: Any) -> Any:
    return tf.cond(x[0] > 0, lambda: count_to(3, lambda i, y: y * x, x), lambda: x)


@program
def loop_in_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return count_to(i, lambda j, z: tf.sin(z) * x, y) + y

    return count_to(3, body, x)


@program
def all_in_each_other(x: Any) -> Any:
    def inner(j: Any, z: Any, y: Any) -> Any:
        return tf.cond(tf.equal(j, 1), lambda: z * y, lambda: count_to(2, lambda k, w: w * x, z))

    def body(i: Any, y: Any) -> Any:
        return tf.sin(count_to(2, lambda j, z: inner(j, z, y), y))

    return count_to(2, body, x)


# -- arrays -----------------------------------------------------------------------------------


@program
def array_written(x: Any) -> Any:
    def body(i: Any, y: Any, array: Any) -> Any:
        y = y * x
        return y, array.write(i, tf.sin(y))

    return count_to(3, body, x, tf.TensorArray(x.dtype, 3))[1].stack()


@program
def array_read(x: Any) -> Any:
    array = tf.TensorArray(x.dtype, 2, clear_after_read=False).unstack(x)
    return count_to(2, lambda i, y: y * array.read(i) + tf.sin(array.read(i)), x[0] * 0.0 + 1.5)


@program
def array_written_and_read(x: Any) -> Any:
    array = tf.TensorArray(x.dtype, 4, clear_after_read=False, element_shape=[2]).write(0, x)

    def body(i: Any, array: Any) -> Any:
        return array.write(i + 1, tf.sin(array.read(i)) * x)

    return count_to(3, body, array).stack()


@program
def array_of_dynamic_size(x: Any) -> Any:
    array = tf.TensorArray(x.dtype, 0, dynamic_size=True, infer_shape=False)

    def body(i: Any, array: Any) -> Any:
        return array.write(i, x[: i + 1] * x[0])

    return count_to(2, body, array).concat()


@program
def mapped(x: Any) -> Any:
    return tf.map_fn(lambda e: tf.sin(e) * x[0], x)


@program
def mapped_twice(x: Any) -> Any:
    return tf.map_fn(lambda e: tf.map_fn(lambda f: e * f * f, x), tf.sin(x))


@program
def scanned(x: Any) -> Any:
    return tf.scan(lambda a, e: tf.sin(a) * e + x[1], x, initializer=x[0])


@program
def scanned_backwards(x: Any) -> Any:
    return tf.scan(lambda a, e: a * e, tf.stack([x, x * x, x]), reverse=True)


@program
def folded(x: Any) -> Any:
    left = tf.foldl(lambda a, e: a * e + x[0], x)
    return left * tf.foldr(lambda a, e: tf.sin(a) + e, x, initializer=x[1])
