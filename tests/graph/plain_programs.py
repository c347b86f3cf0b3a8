"""Functions without control flow, whose graphs are written as TensorFlow writes them.

`programs(tf)` defines them with the library given, so that both can trace the same source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def programs(tf: Any) -> dict[str, tuple[Callable[..., Any], list[Any]]]:
    """By name: a function, and specs of its arguments."""
    found: dict[str, tuple[Callable[..., Any], list[Any]]] = {}
    weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    bias = tf.Variable([1.0, 2.0])

    def program(*shapes: Any, dtype: Any = tf.float32) -> Callable[..., None]:
        specs = [s if hasattr(s, "dtype") else tf.TensorSpec(s, dtype) for s in shapes]

        def keep(function: Callable[..., Any]) -> None:
            found[function.__name__] = (function, specs)

        return keep

    @program([2], [2])
    def two_arguments(a: Any, b: Any) -> Any:
        return a + b

    @program([None, 2])
    def dense(x: Any) -> Any:
        return tf.nn.relu(tf.matmul(x, weights) + bias)

    @program([2])
    def variable_first(x: Any) -> Any:
        return weights * x - bias / 2.0, 2.0**bias, -x

    @program([2, 3])
    def reductions(x: Any) -> Any:
        rows = tf.reduce_sum(x, axis=1), tf.reduce_max(x, axis=[0], keepdims=True)
        return tf.reduce_mean(x), rows

    @program([2, 3])
    def python_numbers(x: Any) -> Any:
        return 2 * x + 1 - x / 3.0**x

    @program([4, 3])
    def slices(x: Any) -> Any:
        return x[1:3], x[0], x[..., -1], x[:, tf.newaxis], x[1:, ::2]

    @program([4, 3])
    def reshapes(x: Any) -> Any:
        turned = tf.reshape(x, [3, 4]), tf.transpose(x)
        return turned, tf.expand_dims(x, 0), tf.squeeze(x[None])

    @program([4, 3], [4, 3])
    def joins(x: Any, y: Any) -> Any:
        return tf.concat([x, y], 0), tf.stack([x, y]), tf.unstack(x), tf.split(x, 2)

    @program([2], tf.TensorSpec([], tf.int32))
    def structures(x: Any, n: Any) -> Any:
        return {"a": x, "b": tf.cast(n, tf.float32) * x}

    @program([2, 8, 8, 3], [3, 3, 3, 4])
    def convolution(images: Any, filters: Any) -> Any:
        y = tf.nn.bias_add(tf.nn.conv2d(images, filters, 1, "SAME"), tf.zeros([4]))
        return tf.nn.max_pool2d(y, 2, 2, "VALID")

    @program([5])
    def activations(x: Any) -> Any:
        smooth = tf.nn.softmax(x), tf.nn.log_softmax(x), tf.sigmoid(x), tf.tanh(x)
        return smooth, tf.math.log(tf.exp(x))

    @program([5], dtype=tf.int32)
    def integers(x: Any) -> Any:
        return x // 2, x % 2, x * 3, -x, tf.abs(x), tf.equal(x, 1), x > 2, tf.cast(x, tf.float32)

    @program(tf.TensorSpec([3], tf.bool), [3], [3])
    def choices(c: Any, x: Any, y: Any) -> Any:
        return tf.where(c, x, y), tf.logical_and(c, c), ~c, tf.reduce_any(c)

    @program([6, 4], tf.TensorSpec([3], tf.int32))
    def gathers(p: Any, i: Any) -> Any:
        return tf.gather(p, i), tf.gather(p, i, axis=1), tf.gather_nd(p, i[:, None])

    @program([3])
    def constants(x: Any) -> Any:
        filled = tf.zeros_like(x), tf.ones_like(x), tf.zeros([2, 2]), tf.fill([2], 3.0)
        return filled, tf.range(5), tf.shape(x), tf.size(x), tf.rank(x)

    @program([3])
    def changed_variable(x: Any) -> Any:
        bias.assign_add(x[:2])
        return bias * 2.0

    @program([2, 2])
    def changed_by_constants(x: Any) -> Any:
        bias.assign([1.0, 1.0])
        bias.assign_sub([0.5, 0.5])
        return weights + x

    @program([2])
    def scopes(x: Any) -> Any:
        with tf.name_scope("outer"):
            y = tf.add(x, x, name="sum")
            with tf.name_scope("inner"):
                y = y * 2.0
        return tf.identity(y, name="result")

    @program(tf.TensorSpec([2, 3], tf.float32, name="images"), [3])
    def named_spec(x: Any, y: Any) -> Any:
        return tf.multiply(x, y)

    @program([2], dtype=tf.string)
    def strings(s: Any) -> Any:
        return tf.strings.join([s, s]), tf.strings.length(s), s + "x", tf.strings.upper(s)

    @program([2])
    def passed_through(x: Any) -> Any:
        return x

    @program([2])
    def printed(x: Any) -> Any:
        tf.print("now", x)

    @program([2])
    def constant_results(x: Any) -> Any:
        return 3.0, tf.constant([1, 2])

    return found


def text(tf: Any, function: Callable[..., Any], specs: list[Any]) -> str:
    """The graph of a function, as GraphDefs are printed."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    return str(concrete.graph.as_graph_def())
