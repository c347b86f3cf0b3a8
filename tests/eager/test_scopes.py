"""Name scopes, devices and raw ops."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tapeflow as tf


def test_name_scopes_nest_and_start_anew() -> None:
    with tf.name_scope("a") as outer, tf.name_scope("b") as inner:
        assert (outer, inner) == ("a/", "a/b/")
        assert tf.get_current_name_scope() == "a/b"
        with tf.name_scope("c/") as absolute:
            assert absolute == "c/"
        assert tf.Variable(0.0, name="v").name == "a/b/v:0"
    assert tf.name_scope("x").name == "x"
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(None)  # type: ignore[arg-type]
    graph = tf.Graph().as_default()
    with graph, pytest.raises(ValueError, match="not a valid root scope"), tf.name_scope("/x"):
        pass


@pytest.mark.parametrize("name", ["CPU:0", "/CPU:0", "cpu:0", "/job:localhost/device:CPU:0", None])
def test_devices_that_are_there(name: str | None) -> None:
    with tf.device(name):
        assert (tf.constant(1) + 1).device.endswith("CPU:0")


def test_devices_that_are_not_there_are_refused_if_asked_for() -> None:
    tf.config.set_soft_device_placement(False)
    try:
        missing = pytest.raises(tf.errors.InvalidArgumentError, match="available devices")
        with missing, tf.device("/GPU:0"):
            pass
    finally:
        tf.config.set_soft_device_placement(True)
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        tf.device("foo")
    with pytest.raises(ValueError, match="not a number"):
        tf.device("/GPU:x")


def test_devices_that_are_not_there_are_replaced_with_a_word(capsys: Any) -> None:
    with tf.device("/GPU:7"), tf.device("/GPU:7"):
        assert (tf.constant(1) + 1).device.endswith("CPU:0")
    written = capsys.readouterr().err
    assert written.count("WARNING:tapeflow:") == 1
    assert "GPU:7" in written and "Running on" in written


def test_devices_are_listed() -> None:
    assert [d.name for d in tf.config.list_physical_devices("CPU")] == ["/physical_device:CPU:0"]
    assert tf.config.list_physical_devices("GPU") == []
    assert tf.config.list_logical_devices()[0].device_type == "CPU"


def test_raw_ops_take_keywords_only() -> None:
    assert tf.raw_ops.AddV2(x=1, y=2).numpy() == 3
    with pytest.raises(TypeError, match="only takes keyword arguments"):
        tf.raw_ops.AddV2(1, 2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        tf.raw_ops.AddV2(x=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        tf.raw_ops.AddV2(x=1, y=2, z=3)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        tf.raw_ops.Nothing  # noqa: B018
    assert str(inspect.signature(tf.raw_ops.AddV2)) == "(*, x, y, name=None)"
    assert "AddV2" in dir(tf.raw_ops)


def test_eager() -> None:
    assert tf.executing_eagerly()
    assert tf.get_logger().name == "tapeflow"
