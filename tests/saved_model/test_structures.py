"""Nested values and specs as messages: what is written is read back."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.api.structure_protos import NotEncodable, can_encode, decode, encode
from tapeflow._src.function.variable_type import VariableSpec

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        7,
        -(2**40),
        1.5,
        "text",
        [],
        (),
        {},
        [1, (2, None), {"a": [False]}],
        tf.TensorShape([2, None]),
        tf.TensorShape(None),
        tf.float32,
        tf.TensorSpec([None, 2], tf.int32, name="x"),
        tf.TensorSpec(None, tf.string),
        tf.RaggedTensorSpec([None, None], tf.float32, 1, tf.int32),
        tf.SparseTensorSpec([2, 3], tf.int64),
        tf.IndexedSlicesSpec([None], tf.float32),
        tf.TensorArraySpec([2], tf.float32),
        VariableSpec([2], tf.float32, True, 0),
    ],
    ids=str,
)
def test_what_is_written_is_read(value: Any) -> None:
    found = decode(encode(value))
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_named_tuples_get_a_class_of_the_same_name() -> None:
    found = decode(encode(Point(1, [2])))
    assert (type(found).__name__, found._asdict()) == ("Point", {"x": 1, "y": [2]})


def test_arrays_and_tensors() -> None:
    assert decode(encode(np.float64(2.5))).tolist() == 2.5
    assert decode(encode(tf.constant([1, 2]))).numpy().tolist() == [1, 2]


@pytest.mark.parametrize("value", [Ellipsis, {1: 2}, {"a": [len]}, b"bytes"], ids=str)
def test_what_cannot_be_written(value: Any) -> None:
    assert not can_encode(value)
    with pytest.raises(NotEncodable, match="cannot be stored in a file"):
        encode(value)


def test_signatures_return_composites(tmp_path: Any) -> None:
    class Rows(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def rows(self, x):
            ragged = tf.RaggedTensor.from_row_splits(x, tf.stack([0, 1, tf.size(x)]))
            return {"rows": ragged, "sum": tf.reduce_sum(x)}

    model = Rows()
    tf.saved_model.save(model, str(tmp_path), signatures=model.rows)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    results = loaded(tf.constant([1.0, 2.0, 3.0]))
    assert results["rows"].to_list() == [[1.0], [2.0, 3.0]]
    assert float(results["sum"]) == 6.0


def test_infos_of_composites_name_their_parts() -> None:
    infos = tf.compat.v1.saved_model
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        info = infos.build_tensor_info(tf.ragged.constant([[1.0], [2.0, 3.0]]) * 2.0)
        assert len(info.composite_tensor.components) == 2
        rows = infos.get_tensor_from_tensor_info(info)
        assert session.run(rows).to_list() == [[2.0], [4.0, 6.0]]
