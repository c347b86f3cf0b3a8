"""Messages are TensorFlow's: same bytes, same texts, field by field, without TensorFlow."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.protos.schema import Schema
from tapeflow._src.core.protos.values import (
    shape_from_proto,
    shape_to_proto,
    tensor_from_proto,
    tensor_to_proto,
)
from tests.parity.messages import serialized, variants

ROOT = Path(__file__).parents[2]
RECORDED: dict[str, Any] = json.loads(
    (ROOT / "tests" / "golden" / "messages.json").read_text(encoding="utf-8")
)
STORED = sorted((d for d in dtypes.ALL if d.is_numpy_compatible), key=lambda d: d.name)


def find(name: str) -> Any:
    return protos.schema().find(name)


# -- against what TensorFlow wrote -----------------------------------------------------------


def test_every_message_is_recorded() -> None:
    known = {name for name in protos.schema().names if hasattr(find(name), "DESCRIPTOR")}
    messages = {name for name in known if hasattr(find(name), "SerializeToString")}
    assert messages == RECORDED.keys(), "record them with tests/parity/record_messages.py"


@pytest.mark.parametrize("name", RECORDED)
def test_bytes_are_tensorflows(name: str) -> None:
    theirs = [base64.b64decode(data) for data in RECORDED[name]["bytes"]]
    assert [serialized(message) for message in variants(find(name))] == theirs
    for data in theirs:
        message = find(name).FromString(data)
        message.DiscardUnknownFields()
        assert serialized(message) == data


@pytest.mark.parametrize("name", [n for n in RECORDED if "text" in RECORDED[n]])
def test_texts_are_tensorflows(name: str) -> None:
    assert [str(message) for message in variants(find(name))] == RECORDED[name]["text"]


# -- how they are made -----------------------------------------------------------------------


def test_a_table_becomes_messages() -> None:
    table = """
# A comment.
Node: string name=1, int32* sizes=2, string->Node children=3, .Kind kind=4,
    value(bytes raw=5 | .Pair pair=6), int64? step=7
enum Node.Kind: PLAIN=0, ODD=7
Node.Pair: double a=1, double b=2
"""
    schema = Schema([table])
    node = schema.find("Node")
    message = node(name="n", sizes=[1, -2], kind=7, pair={"a": 0.5}, step=0)
    message.children["c"].name = "child"
    assert node.FromString(message.SerializeToString()) == message
    assert message.WhichOneof("value") == "pair"
    assert message.HasField("step") and not message.children["c"].HasField("step")
    assert schema.find("Node.Kind").Name(7) == "ODD"
    assert node.DESCRIPTOR.full_name == "tensorflow.Node"
    message.raw = b"x"
    assert message.WhichOneof("value") == "raw"


def test_an_unknown_message_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no message 'GraphDeff'"):
        protos.GraphDeff  # noqa: B018


def test_a_class_is_made_once() -> None:
    assert protos.GraphDef is protos.GraphDef
    assert type(protos.GraphDef().node.add()) is protos.NodeDef


def test_classes_of_another_pool_can_be_loaded_beside() -> None:
    """Had ours been in the default pool, a file that defines the same name would be refused."""
    code = (
        "from google.protobuf import descriptor_pb2, descriptor_pool\n"
        "from tapeflow._src.core import protos\n"
        "protos.GraphDef()\n"
        "file = descriptor_pb2.FileDescriptorProto(name='graph.proto', package='tensorflow')\n"
        "file.message_type.add(name='GraphDef')\n"
        "descriptor_pool.Default().Add(file)\n"
        "assert descriptor_pool.Default().FindMessageTypeByName('tensorflow.GraphDef')\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


# -- shapes and tensors ----------------------------------------------------------------------


@pytest.mark.parametrize("dims", [None, (), (3,), (None, 2), (0, None)])
def test_shapes_come_back(dims: Any) -> None:
    assert shape_from_proto(shape_to_proto(dims)) == dims
    assert tf.TensorShape(tf.TensorShape(dims).as_proto()) == tf.TensorShape(dims)


@pytest.mark.parametrize("dtype", STORED, ids=lambda d: d.name)
@pytest.mark.parametrize("values", [1, [], [1], [1, 0, 1], [[1, 1], [0, 1]]], ids=str)
def test_tensors_come_back(dtype: dtypes.DType, values: Any) -> None:
    if dtype is dtypes.string:
        array = np.array(np.array(values).astype(bytes), object)
    elif dtype.is_quantized:
        array = np.array(np.array(values, dtype.np[0]).astype(dtype.np))
    else:
        array = np.array(values).astype(dtype.np)
    back = tensor_from_proto(tensor_to_proto(array, dtype))
    assert back.dtype == array.dtype and back.shape == array.shape
    assert back.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"dtype": 1, "float_val": [3]}, [3.0, 3.0, 3.0]),
        ({"dtype": 1, "float_val": [3, 4]}, [3.0, 4.0, 4.0]),
        ({"dtype": 1}, [0.0, 0.0, 0.0]),
        ({"dtype": 7, "string_val": [b"a"]}, [b"a", b"a", b"a"]),
        ({"dtype": 7}, [b"", b"", b""]),
        ({"dtype": 8, "scomplex_val": [1, 2]}, [1 + 2j, 1 + 2j, 1 + 2j]),
        ({"dtype": 19, "half_val": [15360]}, [1.0, 1.0, 1.0]),
        ({"dtype": 10, "bool_val": [True]}, [True, True, True]),
    ],
)
def test_the_last_element_fills_up(fields: dict[str, Any], expected: list[Any]) -> None:
    proto = protos.TensorProto(**fields)
    proto.tensor_shape.dim.add(size=3)
    assert tensor_from_proto(proto).tolist() == expected


def test_too_many_elements_and_handles_are_refused() -> None:
    proto = protos.TensorProto(dtype=1, float_val=[1, 2, 3])
    proto.tensor_shape.dim.add(size=2)
    with pytest.raises(ValueError, match="room for 2 elements, but holds 3"):
        tf.make_ndarray(proto)
    with pytest.raises(TypeError, match="resource holds a handle"):
        tf.make_ndarray(protos.TensorProto(dtype=20))


# What TensorFlow 2.21 answers.
MADE = [
    (lambda: tf.make_tensor_proto(1), "dtype: DT_INT32 tensor_shape { } int_val: 1"),
    (
        lambda: tf.make_tensor_proto([1, 2]),
        "dtype: DT_INT32 tensor_shape { dim { size: 2 } } "
        'tensor_content: "\\001\\000\\000\\000\\002\\000\\000\\000"',
    ),
    (
        lambda: tf.make_tensor_proto([True, False]),
        "dtype: DT_BOOL tensor_shape { dim { size: 2 } } bool_val: true bool_val: false",
    ),
    (
        lambda: tf.make_tensor_proto(["a", b"bc"]),
        'dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "a" string_val: "bc"',
    ),
    (
        lambda: tf.make_tensor_proto(1 + 2j),
        "dtype: DT_COMPLEX128 tensor_shape { } dcomplex_val: 1 dcomplex_val: 2",
    ),
    (
        lambda: tf.make_tensor_proto(np.float16(1)),
        "dtype: DT_HALF tensor_shape { } half_val: 15360",
    ),
    (
        lambda: tf.make_tensor_proto(np.array([1, 2], ml_dtypes.bfloat16)),
        'dtype: DT_BFLOAT16 tensor_shape { dim { size: 2 } } tensor_content: "\\200?\\000@"',
    ),
    (
        lambda: tf.make_tensor_proto([1, 2], shape=[2, 3]),
        "dtype: DT_INT32 tensor_shape { dim { size: 2 } dim { size: 3 } } int_val: 1 int_val: 2",
    ),
    (lambda: tf.make_tensor_proto([]), "dtype: DT_FLOAT tensor_shape { dim { } }"),
    (
        lambda: tf.make_tensor_proto(np.array([1, 2], ml_dtypes.int4)),
        "dtype: DT_INT4 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 2",
    ),
    (
        lambda: tf.make_tensor_proto(np.array(1, ml_dtypes.float8_e5m2)),
        'dtype: DT_FLOAT8_E5M2 tensor_shape { } float8_val: "<"',
    ),
    (
        lambda: tf.make_tensor_proto(tf.constant("x")),
        'dtype: DT_STRING tensor_shape { } string_val: "x"',
    ),
]


@pytest.mark.parametrize(("make", "text"), MADE, ids=[text for _, text in MADE])
def test_make_tensor_proto(make: Any, text: str) -> None:
    assert " ".join(str(make()).split()) == text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"values": None}, ValueError, "None values not supported"),
        ({"values": 1.5, "dtype": "int32"}, TypeError, "int32"),
        ({"values": [1, 2, 3], "shape": [2]}, ValueError, "2 elements has no room for 3"),
        ({"values": 1, "shape": [2], "verify_shape": True}, TypeError, r"shape: \(2,\)"),
        ({"values": [1, 2], "shape": [4], "allow_broadcast": True}, TypeError, r"got \(2,\)"),
    ],
)
def test_make_tensor_proto_refuses(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tf.make_tensor_proto(**arguments)


# -- where users find them -------------------------------------------------------------------


def test_examples() -> None:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
    back = tf.train.Example.FromString(example.SerializeToString())
    assert list(back.features.feature["a"].int64_list.value) == [1, 2]
    assert "Example" in dir(tf.train)
    with pytest.raises(AttributeError, match="Exampel"):
        tf.train.Exampel  # noqa: B018


def test_messages_of_version_1() -> None:
    assert tf.compat.v1.GraphDef is protos.GraphDef
    assert "ConfigProto" in dir(tf.compat.v1)
    with pytest.raises(AttributeError, match="no_such_name"):
        tf.compat.v1.no_such_name  # noqa: B018
