"""Structured tensors and ragged shapes in SavedModels: specs as TensorFlow writes them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.api.structure_protos import decode, encode
from tests.structured.values import ROWS, VECTOR, D

# What TensorFlow 2.21 writes of the specs: TypeSpecProto messages.
RECORDED = [
    (
        VECTOR._type_spec,
        "CA0SnAKiA5gCCm6iA2sKCWoHX2ZpZWxkcwpeqgNbChAKAWESC4oCCBIEEgIIAhgDCkcKAWISQpICPwgDEieiAyQK"
        "FPoBERICCAISCwj///////////8BCgOAAgMKAmACCgOAAgkaEFJhZ2dlZFRlbnNvclNwZWMgAgqlAaIDoQEKD2oN"
        "X3JhZ2dlZF9zaGFwZQqNAZICiQEIDRJnogNkChuiAxgKEWoPX3Jvd19wYXJ0aXRpb25zCgOiAwAKIKIDHQoOagxf"
        "aW5uZXJfc2hhcGUKC4oCCBIEEgIIARgJCiOiAyAKFWoTX3N0YXRpY19pbm5lcl9zaGFwZQoH+gEEEgIIAhoadGYu"
        "RHluYW1pY1JhZ2dlZFNoYXBlLlNwZWMgARoYdGYuU3RydWN0dXJlZFRlbnNvci5TcGVjIAQ=",
    ),
    (
        D.from_lengths([2, (1, 2)])._type_spec,
        "CA0SsQGiA60BCmSiA2EKEWoPX3Jvd19wYXJ0aXRpb25zCkyiA0kKR5ICRAgKEiyiAykKB/oBBBICCAIKB/oBBBIC"
        "CAMKEPoBDRILCP///////////wEKA4ACCRoQUm93UGFydGl0aW9uU3BlYyABCiCiAx0KDmoMX2lubmVyX3NoYXBl"
        "CguKAggSBBICCAEYCQojogMgChVqE19zdGF0aWNfaW5uZXJfc2hhcGUKB/oBBBICCAMaGnRmLkR5bmFtaWNSYWdn"
        "ZWRTaGFwZS5TcGVjIAI=",
    ),
]


@pytest.mark.parametrize(("spec", "recorded"), RECORDED, ids=["structured", "shape"])
def test_specs_are_written_as_tensorflow_does(spec: Any, recorded: str) -> None:
    message = encode(spec)
    message.type_spec_value.ParseFromString(base64.b64decode(recorded))
    assert encode(spec) == message
    assert decode(message) == spec


def test_saved_and_loaded(tmp_path: Path) -> None:
    module = tf.Module()
    module.double = tf.function(lambda s: s.with_updates({"c": s.field_value("a") * 2}))
    module.ones = tf.function(lambda s: tf.ones(s))
    shape = D.from_lengths([2, (1, 2)])
    wanted = [module.double(value).to_pyval() for value in (VECTOR, ROWS)]
    module.ones(shape)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert [loaded.double(value).to_pyval() for value in (VECTOR, ROWS)] == wanted
    assert loaded.ones(shape).to_list() == [[1.0], [1.0, 1.0]]
