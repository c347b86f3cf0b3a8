"""Meshes, layouts and distributions; training on several devices equals that on one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.dtensor.on_devices import run

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


def test_missing_devices_are_refused() -> None:
    with pytest.raises(ValueError, match=r"does not have.*CPU:7"):
        D.set_distribution(D.DataParallel(devices=EIGHT))
    with pytest.raises(ValueError, match=r"does not have.*CPU:7"):
        D.distribute_tensor(tf.ones([8]), D.TensorLayout(["batch"], mesh()))
    D.initialize()
    assert D.distribution() is None


TRAINING = """
from tapeflow import keras

D = keras.distribution
generator = np.random.default_rng(0)
x = generator.normal(size=(20, 6)).astype("f")
y = generator.integers(0, 4, 20)


def train(distribution):
    D.set_distribution(distribution)
    keras.utils.set_random_seed(1)
    hidden = keras.layers.Dense(8, activation="relu", name="hidden")
    layers = [keras.Input((6,)), hidden, keras.layers.BatchNormalization(), keras.layers.Dense(4)]
    model = keras.Sequential(layers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    # The last batch of an epoch cannot be split evenly.
    model.fit(x, y, batch_size=8 if devices == 2 else 12, epochs=2, verbose=0, shuffle=False)
    results = [*model.evaluate(x, y, verbose=0), *model.predict(x, verbose=0), model(x[:3]).numpy()]
    results += model.get_weights()
    D.set_distribution(None)
    return model, results


devices = len(NAMES)
mesh = D.DeviceMesh((devices // 2, 2), ["batch", "model"], NAMES)
layouts = D.LayoutMap(mesh)
layouts[".*hidden/kernel"] = (None, "model")
layouts[".*hidden/bias"] = ("model",)
layouts[".*hidden/output"] = ("batch", None)
_, expected = train(None)
data, results = train(D.DataParallel(devices=NAMES))
for result, value in zip(results, expected, strict=True):
    np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-5)
model, results = train(D.ModelParallel(layout_map=layouts, batch_dim_name="batch"))
for result, value in zip(results, expected, strict=True):
    np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-5)
hidden = model.get_layer("hidden")
assert specs(hidden.kernel) == ["unsharded", "model"] and specs(hidden.bias) == ["model"]
moments = [v for v in model.optimizer.variables if "hidden_kernel" in v.path]
assert [specs(v) for v in moments] == [["unsharded", "model"]] * 2
D.set_distribution(D.ModelParallel(layout_map=layouts, batch_dim_name="batch"))
assert specs(hidden(x)) == ["batch", "unsharded"]
D.set_distribution(None)
assert specs(hidden(x)) == ["unsharded", "model"]
assert specs(data.get_layer("hidden").kernel) == ["unsharded"] * 2
part = D.distribute_tensor(tf.ones([4, 2]), D.TensorLayout(["model", None], mesh))
assert dtensor.unpack(part)[0].shape == (2, 2) and part.numpy().shape == (4, 2)
layouts["odd"] = ("model",)
with D.ModelParallel(layout_map=layouts).scope():
    refuses(ValueError, keras.Variable, np.zeros(3), name="odd")
if devices == 4:
    import tempfile

    path = tempfile.mkdtemp() + "/model.weights.h5"
    model.save_weights(path)
    plain, _ = train(None)
    plain.load_weights(path)
    for weight, value in zip(plain.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, value)
"""


# On two devices, one axis of the mesh has no effect; on four, batches and weights are divided.
@pytest.mark.parametrize("devices", [4, pytest.param(2, marks=pytest.mark.slow)])
def test_training_on_several_devices_equals_that_on_one(devices: int) -> None:
    run(devices, TRAINING)


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


def test_meshes_and_layouts_are_those_of_dtensor() -> None:
    distribution = tf.keras.distribution
    mesh = distribution.DeviceMesh((1,), ["batch"], ["cpu:0"])
    assert isinstance(mesh.backend_mesh, tf.experimental.dtensor.Mesh)
    assert mesh.backend_mesh.dim_names == ["batch"]
    layout = distribution.TensorLayout(["batch", None], mesh)
    assert layout.backend_layout.mesh == mesh.backend_mesh
    assert layout.backend_layout.sharding_specs == ["batch", "unsharded"]
    with pytest.raises(ValueError, match="no device mesh"):
        _ = distribution.TensorLayout(["batch"]).backend_layout
