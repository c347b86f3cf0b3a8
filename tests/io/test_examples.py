"""Examples in functions and over batches; what is parsed is what was put in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf

NUMBERS = st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4), min_size=1, max_size=4)


def serialized(rows: list[list[int]]) -> list[bytes]:
    def feature(row: list[int]) -> Any:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=row))

    return [
        tf.train.Example(
            features=tf.train.Features(feature={"x": feature(row)})
        ).SerializeToString()
        for row in rows
    ]


@given(NUMBERS)
@settings(max_examples=30, deadline=None)
def test_all_ways_to_hold_rows_agree(rows: list[list[int]]) -> None:
    texts = serialized(rows)
    ragged = tf.io.parse_example(texts, {"x": tf.io.RaggedFeature(tf.int64)})["x"]
    sparse = tf.io.parse_example(texts, {"x": tf.io.VarLenFeature(tf.int64)})["x"]
    padded = tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)
    dense = tf.io.parse_example(texts, {"x": padded})["x"]
    assert ragged.to_list() == rows
    assert tf.sparse.to_dense(sparse).numpy().tolist() == dense.numpy().tolist()
    assert dense.numpy().tolist() == ragged.to_tensor().numpy().tolist()
    for text, row in zip(texts, rows, strict=True):
        one = tf.io.parse_single_example(text, {"x": tf.io.RaggedFeature(tf.int64)})["x"]
        assert one.numpy().tolist() == row


@pytest.mark.parametrize("shape", [[], [2], [None]], ids=str)
def test_in_a_function(shape: list[int | None]) -> None:
    features = {"x": tf.io.FixedLenFeature([2], tf.int64), "y": tf.io.VarLenFeature(tf.string)}
    traced = tf.function(
        lambda text: tf.io.parse_example(text, features),
        input_signature=[tf.TensorSpec(shape, tf.string)],
    )
    texts = serialized([[1, 2], [3, 4]])
    parsed = traced(tf.constant(texts if shape else texts[0]))
    assert parsed["x"].numpy().tolist() == ([[1, 2], [3, 4]] if shape else [1, 2])
    assert parsed["y"].values.shape == [0]
    known = traced.get_concrete_function().structured_outputs["x"].shape
    assert known == tf.TensorShape(shape).concatenate([2])


def test_one_example_of_which_no_rank_is_known() -> None:
    features = {"x": tf.io.RaggedFeature(tf.int64)}
    unknown = [tf.TensorSpec(None, tf.string)]
    one = tf.function(lambda x: tf.io.parse_single_example(x, features), input_signature=unknown)
    (text,) = serialized([[1, 2]])
    assert one(tf.constant(text))["x"].numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        one(tf.constant([text]))
    many = tf.function(lambda x: tf.io.parse_example(x, features), input_signature=unknown)
    with pytest.raises(ValueError, match="rank of `serialized`"):
        many(tf.constant([text]))


def test_errors_name_the_example() -> None:
    features = {"x": tf.io.FixedLenFeature([], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: second, Key: x, Index: 1"):
        tf.io.parse_example(serialized([[1], [2, 3]]), features, example_names=["first", "second"])


def test_graphs_with_examples_are_written_and_read() -> None:
    features = {"x": tf.io.FixedLenFeature([2], tf.int64), "y": tf.io.RaggedFeature(tf.float32)}
    traced = tf.function(lambda text: tf.io.parse_example(text, features)["x"])
    concrete = traced.get_concrete_function(tf.TensorSpec([None], tf.string))
    node = next(n for n in concrete.graph.as_graph_def().node if n.op == "ParseExampleV2")
    assert [len(node.attr[a].list.type) for a in ("Tdense", "ragged_value_types")] == [1, 1]
    assert node.attr["dense_shapes"].list.shape[0].dim[0].size == 2


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("{}", b""), ('{"features": {}}', b"\n\x00"), ('{"features": {"feature": {}}}', b"\n\x00")],
)
def test_what_json_does_not_mention_is_not_written(text: str, bytes_: bytes) -> None:
    assert tf.io.decode_json_example(text).numpy() == bytes_
