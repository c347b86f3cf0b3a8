"""Record graphs that TensorFlow wrote, and what they compute, for `tests/graph/test_foreign.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_graph_defs
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

GOLDEN = Path(__file__).parents[1] / "golden" / "graph_defs.json"
V = tf.Variable([10.0, 20.0], name="v")
COUNT = tf.Variable(3, name="count")
PROGRAMS: dict[str, Callable[..., Any]] = {}


def program(function: Callable[..., Any]) -> None:
    PROGRAMS[function.__name__] = function


@program
def arithmetic(x: Any) -> Any:
    return tf.nn.softmax(x * 2.0 + 1.0), tf.argmax(x), tf.reduce_sum(x, keepdims=True)


@program
def branch(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = x * 2.0
    else:
        y = x - 1.0
    return y


@program
def loop(x: Any) -> Any:
    i = tf.constant(0)
    while i < 4:
        x = x * 1.5 + 1.0
        i += 1
    return x, i


@program
def loop_over_a_tensor(x: Any) -> Any:
    total = tf.constant(0.0)
    for value in x:
        if value < 0.0:
            continue
        total += value
    return total


@program
def calls(x: Any) -> Any:
    @tf.function
    def inner(a: Any) -> Any:
        return a + 1.0, a * 2.0

    first, second = inner(x)
    return inner(first)[1] - second


@program
def gradient(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x) * x)
    return tape.gradient(y, x)


@program
def gradient_of_a_loop(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = tf.sin(y) * x
    return y, tape.gradient(y, x)


@program
def collected(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        array = array.write(i, x * tf.cast(i, tf.float32))
    return array.stack()


@program
def mapped(x: Any) -> Any:
    return tf.map_fn(lambda value: value * value, x), tf.scan(lambda a, b: a + b, x)


@program
def image(x: Any) -> Any:
    pixels = tf.reshape(tf.tile(x, [16]), [1, 4, 4, 2])
    kernel = tf.ones([3, 3, 2, 1]) / 9.0
    smooth = tf.nn.conv2d(pixels, kernel, strides=1, padding="SAME")
    return tf.nn.max_pool2d(tf.nn.relu(smooth), 2, 2, "VALID")


@program
def slices(x: Any) -> Any:
    matrix = tf.reshape(tf.concat([x, x * 2.0, x * 3.0], 0), [3, 2])
    return (
        matrix[1:, ::-1],
        matrix[..., tf.newaxis],
        tf.gather(matrix, [2, 0]),
        tf.transpose(matrix),
    )


@program
def text(x: Any) -> Any:
    return tf.strings.to_number(tf.constant(["1.5", "2"])) + x, tf.constant([["a"], ["bc"]])


@program
def reads_and_writes(x: Any) -> Any:
    before = V + 0.0
    V.assign_add(x)
    COUNT.assign_add(1)
    V.assign(V * 2.0)
    return before, V.read_value(), COUNT.read_value()


@program
def writes_in_a_branch(x: Any) -> Any:
    if x[0] > 0.0:
        COUNT.assign_add(10)
    else:
        V.assign(x)
    return V * 1.0, COUNT + 0


def plain(value: Any) -> dict[str, Any]:
    array = np.asarray(value)
    values = [v.decode() if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]
    return {"dtype": value.dtype.name, "shape": list(array.shape), "values": values}


def reset() -> None:
    V.assign([10.0, 20.0])
    COUNT.assign(3)


def record(function: Callable[..., Any]) -> dict[str, Any]:
    traced = tf.function(function)
    concrete = traced.get_concrete_function(tf.TensorSpec([2], tf.float32))
    handles = {id(variable.handle): variable for variable in (V, COUNT)}
    runs = []
    for x in ([1.0, 2.0], [-3.0, 0.5]):
        reset()
        outputs = tf.nest.flatten(traced(tf.constant(x)))
        runs.append({"x": x, "outputs": [plain(t.numpy()) for t in outputs]})
    reset()
    return {
        "graph": base64.b64encode(concrete.graph.as_graph_def().SerializeToString()).decode(),
        "outputs": [t.name for t in concrete.graph.outputs],
        "variables": {
            inner.name: plain(handles[id(outer)].numpy())
            for outer, inner in concrete.graph.captures
            if id(outer) in handles
        },
        "runs": runs,
    }


def main() -> None:
    records = {name: record(function) for name, function in PROGRAMS.items()}
    lines = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in records.items())
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(records)} graphs -> {GOLDEN}")


if __name__ == "__main__":
    main()
