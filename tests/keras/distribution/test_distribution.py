"""Meshes, layouts and distributions on one device; several devices are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

D = tf.keras.distribution
EIGHT = [f"cpu:{i}" for i in range(8)]


def mesh() -> Any:
    return D.DeviceMesh((4, 2), ["batch", "model"], EIGHT)


def test_devices_are_those_of_the_machine() -> None:
    assert D.list_devices("cpu") == ["cpu:0"]
    assert D.get_device_count("cpu") == 1
    assert D.DataParallel().device_mesh.devices.tolist() == D.list_devices()


def test_layouts_are_looked_up_by_path_or_expression() -> None:
    layouts = D.LayoutMap(mesh())
    layouts["dense.*kernel"] = D.TensorLayout([None, "model"])
    layouts["dense.*bias"] = ("model",)
    assert layouts["dense_1/kernel"].axes == (None, "model")
    assert layouts["dense_1/bias"].device_mesh is layouts.device_mesh
    assert layouts["conv/kernel"] is None
    layouts["den.*kernel"] = (None, None)
    with pytest.raises(ValueError, match="multiple"):
        layouts["dense/kernel"]
    with pytest.raises(ValueError, match="already"):
        layouts["dense.*bias"] = (None,)
    del layouts["den.*kernel"]
    assert list(layouts) == ["dense.*kernel", "dense.*bias"]


def test_distributions_have_layouts_for_variables_and_data() -> None:
    layouts = D.LayoutMap(mesh())
    layouts["kernel"] = (None, "model")
    parallel = D.ModelParallel(layout_map=layouts)
    assert parallel.num_model_replicas == 4
    kernel, bias = (
        tf.keras.Variable(np.zeros(s), name=n) for s, n in (((2, 2), "kernel"), (2, "bias"))
    )
    assert parallel.get_variable_layout(kernel).axes == (None, "model")
    assert parallel.get_variable_layout(bias).axes == (None,)
    assert parallel.get_data_layout((3, 2)).axes == ("batch", None)
    assert D.DataParallel(devices=EIGHT).num_model_replicas == 8


def test_models_train_in_the_scope_of_one_device() -> None:
    with D.DataParallel().scope():
        assert isinstance(D.distribution(), D.DataParallel)
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        assert model.fit(np.ones((4, 2)), np.ones(4), verbose=0).history["loss"][0] >= 0
    assert D.distribution() is None
    x = tf.ones([2])
    assert D.distribute_tensor(x, D.TensorLayout([None], D.DataParallel().device_mesh)) is x


def test_several_devices_and_processes_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="one device"):
        D.set_distribution(D.DataParallel(devices=EIGHT))
    with pytest.raises(NotImplementedError, match="one device"):
        D.distribute_tensor(tf.ones([8]), D.TensorLayout(["batch"], mesh()))
    with pytest.raises(NotImplementedError, match="one process"):
        D.initialize("10.0.0.1:1234", 2, 0)
    D.initialize()
    assert D.distribution() is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: D.DeviceMesh((), []), "each axis"),
        (lambda: D.DeviceMesh((4,), ["a", "b"], EIGHT[:4]), "each axis"),
        (lambda: D.DeviceMesh((3,), ["a"], EIGHT), "devices"),
        (lambda: D.TensorLayout(["time"], mesh()), "time"),
        (lambda: D.DataParallel(device_mesh="cpu"), "DeviceMesh"),
        (lambda: D.ModelParallel(), "LayoutMap"),
    ],
)
def test_bad_arguments_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
