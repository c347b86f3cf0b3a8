"""Objects as configs, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

saving = tf.keras.saving


class Scale:
    def __init__(self, by: Any = 1) -> None:
        self.by = by

    def get_config(self) -> dict[str, Any]:
        return {"by": self.by}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Scale:
        return cls(**saving.deserialize_keras_object(config))


def double(x: Any) -> Any:
    return x * 2


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        ([1, (2.5, "a"), True], [1, (2.5, "a"), True]),
        (b"ab", {"class_name": "__bytes__", "config": {"value": "ab"}}),
        (
            slice(1, None, 2),
            {"class_name": "__slice__", "config": {"start": 1, "stop": None, "step": 2}},
        ),
        (Ellipsis, {"class_name": "__ellipsis__", "config": {}}),
        (tf.TensorShape([None, 2]), [None, 2]),
        (tf.TensorShape(None), None),
        (tf.float16, "float16"),
        (np.float32(0.5), 0.5),
        (
            np.array([1, 2], np.int32),
            {"class_name": "__numpy__", "config": {"value": [1, 2], "dtype": "int32"}},
        ),
        (
            tf.constant([[1.0]]),
            {"class_name": "__tensor__", "config": {"value": [[1.0]], "dtype": "float32"}},
        ),
    ],
)
def test_values_are_written_as_keras_writes_them(value: Any, written: Any) -> None:
    assert saving.serialize_keras_object(value) == written


def test_values_come_back() -> None:
    values = [1, b"ab", slice(0, 3), ..., {"key": [None, "text"]}]
    assert saving.deserialize_keras_object(saving.serialize_keras_object(values)) == values
    array = saving.deserialize_keras_object(saving.serialize_keras_object(np.eye(2)))
    assert array.dtype == np.float64 and (array == np.eye(2)).all()


def test_an_object_needs_a_name_that_is_known() -> None:
    config = saving.serialize_keras_object(Scale(Scale(3)))
    assert config["class_name"] == "Scale" and config["registered_name"] == "Scale"
    with pytest.raises(TypeError, match="Could not locate class 'Scale'"):
        saving.deserialize_keras_object(config)
    found = saving.deserialize_keras_object(config, custom_objects={"Scale": Scale})
    assert found.by.by == 3
    with saving.custom_object_scope({"Scale": Scale}):
        assert saving.deserialize_keras_object(config).by.by == 3
    assert saving.get_registered_object("Scale") is None


def test_registered_names() -> None:
    try:
        saving.register_keras_serializable("tests", "Factor")(Scale)
        saving.register_keras_serializable("tests")(double)
        assert saving.get_registered_name(Scale) == "tests>Factor"
        config = saving.serialize_keras_object(Scale(double))
        assert config["registered_name"] == "tests>Factor"
        assert config["config"]["by"]["config"] == "tests>double"
        assert saving.deserialize_keras_object(config).by is double
    finally:
        for name in ("tests>Factor", "tests>double"):
            saving.get_custom_objects().pop(name)


def test_what_cannot_be_registered_or_written() -> None:
    with pytest.raises(ValueError, match="get_config"):
        saving.register_keras_serializable()(type("Bare", (), {}))
    with pytest.raises(TypeError, match=r"must define `get_config\(\)`"):
        saving.serialize_keras_object(object())


def test_lambdas_are_refused_unless_asked_for() -> None:
    offset = 2
    with pytest.warns(UserWarning, match="lambda"):
        config = saving.serialize_keras_object(lambda x, y=1: x + y + offset)
    with pytest.raises(ValueError, match="safe_mode=False"):
        saving.deserialize_keras_object(config)
    assert saving.deserialize_keras_object(config, safe_mode=False)(3) == 6
