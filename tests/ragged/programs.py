"""Expressions on ragged tensors, and what they give."""

from __future__ import annotations

from typing import Any

import tapeflow as tf

C = tf.ragged.constant

VALUES: dict[str, Any] = {
    "a": C([[3, 1, 4], [], [5, 9]]),
    "b": C([[1], [2, 3], [4]]),
    "f": C([[1.5, 2.0, -1.0], [], [3.25]]),
    "n": C([[[1, 2, 3], [4]], [[5], [], [6]], [], [[8, 9], [10]]]),
    "d": tf.RaggedTensor.from_row_splits(tf.constant([[1, 3], [0, 0], [5, 3]]), [0, 2, 2, 3]),
    "g": C([[True, False], [], [True, True]]),
    "s": C([["a", "b"], ["c"]]),
    "t": tf.constant([[1, 2], [3, 4], [5, 6]]),
}

PROGRAMS: list[tuple[str, Any]] = [
    # parts
    ("a[0]", [3, 1, 4]),
    ("a[-1]", [5, 9]),
    ("a[1:]", [[], [5, 9]]),
    ("a[::-1]", [[5, 9], [], [3, 1, 4]]),
    ("a[:, :2]", [[3, 1], [], [5, 9]]),
    ("a[:, -1:]", [[4], [], [9]]),
    ("a[:, ::-1]", [[4, 1, 3], [], [9, 5]]),
    ("a[:, 2:0:-1]", [[4, 1], [], [9]]),
    ("a[..., tf.newaxis]", [[[3], [1], [4]], [], [[5], [9]]]),
    ("n[1]", [[5], [], [6]]),
    ("n[3, 0]", [8, 9]),
    ("n[:, 1:]", [[[4]], [[], [6]], [], [[10]]]),
    ("d[:, :, 0]", [[1, 0], [], [5]]),
    # element by element
    ("a + 1", [[4, 2, 5], [], [6, 10]]),
    ("a + [[10], [20], [30]]", [[13, 11, 14], [], [35, 39]]),
    ("a / 2", [[1.5, 0.5, 2.0], [], [2.5, 4.5]]),
    ("7 // b", [[7], [3, 2], [1]]),
    ("a > 3", [[False, False, True], [], [True, True]]),
    (
        "n * tf.constant([[[1]], [[2]], [[3]], [[4]]])",
        [[[1, 2, 3], [4]], [[10], [], [12]], [], [[32, 36], [40]]],
    ),
    ("d + tf.constant([10, 20])", [[[11, 23], [10, 20]], [], [[15, 23]]]),
    ("tf.where(a > 3, a, -a)", [[-3, -1, 4], [], [5, 9]]),
    ("tf.cast(a, tf.float32)", [[3.0, 1.0, 4.0], [], [5.0, 9.0]]),
    ("tf.math.logical_not(g)", [[False, True], [], [False, False]]),
    ("tf.nn.relu(f)", [[1.5, 2.0, 0.0], [], [3.25]]),
    ("tf.ones_like(a, dtype=tf.float32)", [[1.0, 1.0, 1.0], [], [1.0, 1.0]]),
    ("tf.clip_by_value(a, 2, 4)", [[3, 2, 4], [], [4, 4]]),
    ("tf.strings.upper(s)", [[b"A", b"B"], [b"C"]]),
    # reductions
    ("tf.reduce_sum(a)", 22),
    ("tf.reduce_sum(a, axis=0)", [8, 10, 4]),
    ("tf.reduce_sum(a, axis=1)", [8, 0, 14]),
    ("tf.reduce_sum(a, axis=1, keepdims=True)", [[8], [0], [14]]),
    ("tf.reduce_sum(n, axis=0)", [[14, 11, 3], [14], [6]]),
    ("tf.reduce_sum(n, axis=[1, 2])", [10, 11, 0, 27]),
    ("tf.reduce_max(d, axis=1)", [[1, 3], [-(2**31), -(2**31)], [5, 3]]),
    ("tf.reduce_mean(b, axis=1)", [1.0, 2.5, 4.0]),
    ("tf.reduce_all(g, axis=1)", [False, True, True]),
    ("tf.reduce_any(g, axis=1)", [True, False, True]),
    # joined, repeated, turned round
    ("tf.concat([a, b], axis=0)", [[3, 1, 4], [], [5, 9], [1], [2, 3], [4]]),
    ("tf.concat([a, b], axis=1)", [[3, 1, 4, 1], [2, 3], [5, 9, 4]]),
    ("tf.concat([t, a], axis=1)", [[1, 2, 3, 1, 4], [3, 4], [5, 6, 5, 9]]),
    ("tf.stack([a, b])", [[[3, 1, 4], [], [5, 9]], [[1], [2, 3], [4]]]),
    ("tf.stack([a, b], axis=1)", [[[3, 1, 4], [1]], [[], [2, 3]], [[5, 9], [4]]]),
    ("tf.expand_dims(a, 1)", [[[3, 1, 4]], [[]], [[5, 9]]]),
    ("tf.tile(b, [2, 2])", [[1, 1], [2, 3, 2, 3], [4, 4], [1, 1], [2, 3, 2, 3], [4, 4]]),
    ("tf.reverse(a, [0, 1])", [[9, 5], [], [4, 1, 3]]),
    ("tf.squeeze(tf.expand_dims(a, 1), 1)", [[3, 1, 4], [], [5, 9]]),
    # by number
    ("tf.gather(a, [2, 0])", [[5, 9], [3, 1, 4]]),
    ("tf.gather(t, tf.ragged.constant([[2], [0, 1]]))", [[[5, 6]], [[1, 2], [3, 4]]]),
    ("tf.gather(a, tf.ragged.constant([[2, 0], [], [1]]), batch_dims=1)", [[4, 3], [], [9]]),
    ("tf.gather_nd(a, [[0, 1], [2, 0]])", [1, 5]),
    ("tf.ragged.boolean_mask(a, a > 3)", [[4], [], [5, 9]]),
    ("tf.where(g)", [[0, 0], [2, 0], [2, 1]]),
    (
        "tf.one_hot(b, 3)",
        [[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]],
    ),
    # along rows
    ("tf.cumsum(a, axis=1)", [[3, 4, 8], [], [5, 14]]),
    ("tf.cumsum(a, axis=0)", [[3, 1, 4], [], [8, 10]]),
    ("tf.math.bincount(b, axis=-1)", [[0, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]),
    ("tf.math.unsorted_segment_sum(a, [0, 1, 0], 2)", [[8, 10, 4], []]),
    # as other things
    ("a.to_tensor(-1)", [[3, 1, 4], [-1, -1, -1], [5, 9, -1]]),
    ("a.to_tensor(shape=[None, 2])", [[3, 1], [0, 0], [5, 9]]),
    ("n.merge_dims(1, 2)", [[1, 2, 3, 4], [5, 6], [], [8, 9, 10]]),
    ("n.bounding_shape()", [4, 3, 3]),
    ("tf.size(n)", 9),
    ("tf.reshape(a, [-1])", [3, 1, 4, 5, 9]),
    ("tf.zeros(tf.shape(b), tf.int32)", [[0], [0, 0], [0]]),
    ("tf.ragged.range(b.flat_values)", [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]),
    ("tf.ragged.map_flat_values(tf.square, a)", [[9, 1, 16], [], [25, 81]]),
    ("tf.map_fn(tf.reduce_sum, a, fn_output_signature=tf.int32)", [8, 0, 14]),
]
