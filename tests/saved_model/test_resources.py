"""Things of the user's own with handles: made anew where a model is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf


class Ones(tf.saved_model.experimental.TrackableResource):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(device="CPU")
        self.amount = tf.Variable(2.0)
        self._initialize()

    def _create_resource(self) -> Any:
        return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])

    def _initialize(self) -> None:
        tf.raw_ops.AssignVariableOp(resource=self.resource_handle, value=tf.ones([2]))

    def _destroy_resource(self) -> None:
        tf.raw_ops.DestroyResourceOp(resource=self.resource_handle)


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ones = Ones()

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def add(self, x: Any) -> Any:
        handle = self.ones.resource_handle
        tf.raw_ops.AssignAddVariableOp(resource=handle, value=x)
        return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32) * self.ones.amount


def test_resources(tmp_path: Path) -> None:
    model = Model()
    model.add(tf.constant([5.0, 5.0]))
    model.ones.amount.assign(10.0)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.add(tf.constant([1.0, 2.0])).numpy().tolist() == [20.0, 30.0]
    assert loaded.add(tf.constant([1.0, 2.0])).numpy().tolist() == [30.0, 50.0]
    assert model.add(tf.constant([0.0, 0.0])).numpy().tolist() == [60.0, 60.0]
    assert float(loaded.ones.amount) == 10.0
    loaded.ones._destroy_resource()
    with pytest.raises(tf.errors.FailedPreconditionError):
        loaded.add(tf.constant([0.0, 0.0]))


def test_what_is_asked_of_a_resource() -> None:
    nothing = tf.saved_model.experimental.TrackableResource()
    assert nothing.resource_device == ""
    with pytest.raises(NotImplementedError, match="_create_resource is not implemented"):
        _ = nothing.resource_handle
    assert tf.saved_model.experimental.VariablePolicy.NONE.value is None
