"""`tf.compat`: text, bytes and sizes, as TensorFlow 2.21 converts them."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize("value", ["é", b"\xc3\xa9"])
def test_text_and_bytes(value: Any) -> None:
    assert tf.compat.as_text(value) == tf.compat.as_str(value) == "é"
    assert tf.compat.as_str_any(value) == "é"
    assert tf.compat.as_bytes(value) == b"\xc3\xa9"


def test_other_encodings() -> None:
    assert tf.compat.as_str(b"\xe9", "latin1") == "é"
    assert tf.compat.as_bytes("é", "latin1") == b"\xe9"
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_text(b"\xff")
    assert tf.compat.as_bytes(bytearray(b"ab")) == b"ab"


@pytest.mark.parametrize("convert", [tf.compat.as_text, tf.compat.as_bytes, tf.compat.as_str])
@pytest.mark.parametrize("value", [3, None])
def test_neither_text_nor_bytes(convert: Any, value: Any) -> None:
    with pytest.raises(TypeError, match=f"Expected binary or unicode string, got {value}"):
        convert(value)
    assert tf.compat.as_str_any(value) == str(value)


def test_paths() -> None:
    assert tf.compat.path_to_str(pathlib.Path("a") / "b") == str(pathlib.Path("a/b"))
    assert tf.compat.path_to_str("a") == "a"
    assert tf.compat.path_to_str(3) == 3


def test_types() -> None:
    assert isinstance(np.int8(1), tf.compat.integral_types)
    assert isinstance(1.0, tf.compat.real_types)
    assert isinstance(np.complex64(1), tf.compat.complex_types)
    assert isinstance(b"", tf.compat.bytes_or_text_types)
    assert not isinstance(1.0, tf.compat.integral_types)


def test_sizes() -> None:
    shape = tf.TensorShape([2, None])
    assert tf.compat.dimension_value(shape[0]) == 2
    assert tf.compat.dimension_value(tf.compat.dimension_at_index(shape, 0)) == 2
    assert tf.compat.dimension_at_index(shape, 1).value is None
    assert tf.compat.dimension_at_index(tf.TensorShape(None), 7).value is None


def test_a_horizon_decides_what_is_forward_compatible() -> None:
    assert tf.compat.forward_compatible(2019, 1, 1)
    assert not tf.compat.forward_compatible(9999, 1, 1)
    with tf.compat.forward_compatibility_horizon(2018, 8, 1):
        assert tf.compat.forward_compatible(2018, 7, 1)
        assert not tf.compat.forward_compatible(2018, 8, 1)
    assert tf.compat.forward_compatible(2018, 8, 1)


def test_specs_without_sizes_keep_their_ranks() -> None:
    relaxed = [
        spec._with_tensor_ranks_only()
        for spec in (
            tf.TensorSpec([2, 3], tf.int32, "x"),
            tf.TensorSpec(None),
            tf.SparseTensorSpec([2, 3]),
            tf.RaggedTensorSpec([2, None, 4], ragged_rank=1),
        )
    ]
    assert relaxed == [
        tf.TensorSpec([None, None], tf.int32, "x"),
        tf.TensorSpec(None),
        tf.SparseTensorSpec([None, None]),
        tf.RaggedTensorSpec([None, None, None], ragged_rank=1),
    ]
