"""Structured tensors that the tests of this folder use."""

from __future__ import annotations

import tapeflow as tf

S = tf.experimental.StructuredTensor
P = tf.experimental.RowPartition
D = tf.experimental.DynamicRaggedShape
C = tf.ragged.constant

SCALAR = S.from_pyval({"a": 1, "b": [1, 2]})
VECTOR = S.from_pyval([{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}])
ROWS = S.from_pyval([[{"a": 1, "b": [1, 2]}], [{"a": 2, "b": [3]}, {"a": 5, "b": []}]])
DEEP = S.from_pyval([[[{"a": 1}], [{"a": 2}, {"a": 3}]], [[{"a": 4}]]])
NESTED = S.from_pyval(
    [{"x": {"y": [{"z": 1}, {"z": 2}]}, "l": "a"}, {"x": {"y": [{"z": 3}]}, "l": "b"}]
)
DOCS = S.from_pyval(
    [
        {"docs": [{"tokens": [1, 2], "mat": [[1, 2]]}, {"tokens": [3], "mat": [[3, 4]]}]},
        {"docs": [{"tokens": [7], "mat": [[5, 6]]}]},
    ]
)
EVEN = S.from_fields({"a": tf.constant([[1, 2], [3, 4]])}, shape=[2, 2])
BARE = S.from_pyval([{}, {}])

ROW_SPEC = P.from_row_lengths([1])._type_spec.__class__
VECTOR_SPEC = S.Spec(
    {"a": tf.TensorSpec([None], tf.int32), "b": tf.RaggedTensorSpec([None, None], tf.int32)},
    D.Spec((), [None], tf.int64),
)
ROWS_SPEC = S.Spec(
    {
        "a": tf.RaggedTensorSpec([None, None], tf.int32),
        "b": tf.RaggedTensorSpec([None, None, None], tf.int32),
    },
    D.Spec((ROW_SPEC(None, None, None, tf.int64),), [None], tf.int64),
)
