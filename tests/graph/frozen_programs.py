"""A program with variables in branches, cases and nested loops, for the tests of freezing."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf

CALLS = [
    (np.array([1, 0, 7], np.int32), np.array(flag), np.array(count, np.int32))
    for flag in (True, False)
    for count in range(5)
]


def program() -> Any:
    """Return a concrete function of the arguments that `CALLS` holds."""
    v = tf.Variable([1.0, 2.0])
    rows = tf.Variable(np.arange(4000, dtype=np.float32).reshape(-1, 2))
    big = tf.range(2000.0)
    specs = [
        tf.TensorSpec([None], tf.int32, name="ids"),
        tf.TensorSpec([], tf.bool, name="flag"),
        tf.TensorSpec([], tf.int32, name="count"),
    ]

    @tf.function(input_signature=specs)
    def f(ids: Any, flag: Any, count: Any) -> Any:
        y = tf.gather(rows, ids)
        if flag:
            y = y + v
            for i in tf.range(count):
                if i > 1:
                    y = y * v
                else:
                    y = y + 1.0
        else:
            y = y - v
        branches = [lambda: y + 1.0, lambda: y * 2.0, lambda: tf.reduce_sum(big) + y, lambda: y - v]
        z = tf.switch_case(count, branches)
        turn = 0
        while turn < count:
            for j in tf.range(2):
                z = z + tf.cast(j, tf.float32) * v
            if flag:
                tf.debugging.assert_greater(count, turn)
            turn += 1
        return z, tf.reduce_sum(y)

    return f.get_concrete_function()
