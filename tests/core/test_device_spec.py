"""`tf.DeviceSpec`: the parts of the names of devices."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

NAMES = {
    "": "",
    "/job:worker": "/job:worker",
    "/gpu:0": "/device:GPU:0",
    "gpu:0": "/device:GPU:0",
    "/GPU:*": "/device:GPU:*",
    "/CPU": "/device:CPU:*",
    "/tpu:1": "/device:TPU:1",
    "/device:gpu:1": "/device:GPU:1",
    "/device:custom:1": "/device:custom:1",
    "/job:a/job:b": "/job:b",
    "/replica:1/task:0/cpu:0": "/replica:1/task:0/device:CPU:0",
    "/task:3/job:foo/device:GPU:2": "/job:foo/task:3/device:GPU:2",
}


@pytest.mark.parametrize(("name", "full"), NAMES.items())
def test_names_are_read_and_written(name: str, full: str) -> None:
    spec = tf.DeviceSpec.from_string(name)
    assert spec.to_string() == full
    assert tf.DeviceSpec.from_string(full) == spec
    assert hash(tf.DeviceSpec.from_string(full)) == hash(spec)
    assert tf.DeviceSpec(job="other").parse_from_string(name) == spec


def test_parts() -> None:
    spec = tf.DeviceSpec(job="w", replica=0, task=1, device_type="cpu", device_index=2)
    assert (spec.job, spec.replica, spec.task) == ("w", 0, 1)
    assert (spec.device_type, spec.device_index) == ("CPU", 2)
    assert spec.to_string() == "/job:w/replica:0/task:1/device:CPU:2"
    assert spec != "/job:w/replica:0/task:1/device:CPU:2"
    assert repr(spec) == ("<DeviceSpec(job=w, replica=0, task=1, device_type=CPU, device_index=2)>")
    assert tf.DeviceSpec(device_index=1).to_string() == ""
    with pytest.raises(AttributeError):
        spec.job = "x"


def test_replacing_and_merging() -> None:
    spec = tf.DeviceSpec(job="w", task=1)
    assert spec.replace(task=None, device_type="GPU").to_string() == "/job:w/device:GPU:*"
    assert spec.to_string() == "/job:w/task:1"
    merged = spec.make_merged_spec(tf.DeviceSpec(job="q", device_type="GPU", device_index=0))
    assert merged.to_string() == "/job:q/task:1/device:GPU:0"
    with pytest.raises(TypeError, match="foo"):
        spec.replace(foo=1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/foo:1", "Unknown attribute 'foo'"),
        ("/xla_cpu:0", "Unknown attribute 'xla_cpu'"),
        ("/device:GPU:0/cpu:1", "two device types"),
        ("/task:x", "not a number"),
        ("/device:CPU:x", "not a number"),
    ],
)
def test_names_that_mean_nothing(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.DeviceSpec.from_string(name)


@pytest.mark.parametrize("device", ["/cpu:0", tf.DeviceSpec(device_type="CPU", device_index=0)])
def test_devices_of_blocks_are_given_by_spec_or_name(device: Any) -> None:
    with tf.device(device):
        assert tf.constant(1.0).device.endswith("/device:CPU:0")
    graph = tf.Graph()
    with graph.as_default(), graph.device("/job:a"), graph.device(device):
        assert tf.constant(1.0).device == "/job:a/device:CPU:0"
