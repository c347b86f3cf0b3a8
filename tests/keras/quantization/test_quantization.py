"""Quantized and adapted layers in models: training, configs and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.random.default_rng(1).standard_normal((32, 6)).astype("float32")
Y = X[:, :1] * 2 - X[:, 1:2]


def model_of() -> tf.keras.Model:
    keras.utils.set_random_seed(1)
    layers = [keras.Input((6,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)]
    return keras.Sequential(layers)


def test_lora_trains_the_update_alone() -> None:
    model = model_of()
    layer = model.layers[0]
    before = model(X).numpy()
    layer.enable_lora(2)
    np.testing.assert_allclose(model(X), before, rtol=1e-5, atol=1e-6)
    model.layers[1].trainable = False
    frozen = layer._kernel.numpy()
    model.compile(keras.optimizers.Adam(0.05), "mse")
    losses = model.fit(X, Y, epochs=20, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    np.testing.assert_array_equal(layer._kernel, frozen)
    assert not np.allclose(layer.kernel, frozen)


def test_float8_updates_its_scales_in_training() -> None:
    model = model_of()
    model.quantize("float8")
    layer = model.layers[0]
    model.compile("adam", "mse")
    model.fit(X, Y, epochs=3, verbose=0)
    assert float(layer.inputs_amax_history.numpy()[0]) == pytest.approx(np.abs(X).max(), rel=0.2)
    assert layer.inputs_scale.numpy() != 1.0
    assert layer.kernel_scale.numpy() != 1.0


@pytest.mark.parametrize("mode", ["int8", "int4"])
def test_quantized_models_predict_about_the_same(mode: str) -> None:
    model = model_of()
    expected = model.predict(X, verbose=0)
    model.quantize(mode)
    found = model.predict(X, verbose=0)
    spread = expected.std()
    assert np.abs(found - expected).max() < spread * (0.1 if mode == "int8" else 0.6)
    again = keras.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(X, verbose=0), found, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["int8", "int4", "float8", "lora"])
def test_models_come_back_from_files(mode: str, tmp_path: Path) -> None:
    model = model_of()
    if mode == "lora":
        model.layers[0].enable_lora(2)
        model.layers[0].lora_kernel_b.assign(np.ones((2, 8), "float32"))
    else:
        model.quantize(mode)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert again.layers[0].quantization_mode == model.layers[0].quantization_mode
    np.testing.assert_allclose(again(X), model(X), rtol=1e-5, atol=1e-5)


def test_merged_values_contain_the_update() -> None:
    layer = model_of().layers[0]
    layer.quantize("int8")
    layer.enable_lora(2)
    layer.lora_kernel_b.assign(np.ones((2, 8), "float32"))
    store: dict[str, np.ndarray] = {}
    layer.save_own_variables(store)
    expected = layer(X).numpy()
    layer.load_own_variables(store)
    assert not layer.lora_kernel_a.numpy().any()
    np.testing.assert_allclose(layer(X), expected, atol=0.1)


def test_new_weights_have_the_path_of_the_layer() -> None:
    inputs = keras.Input((6,))
    inner = keras.Sequential([keras.Input((6,)), keras.layers.Dense(2, name="d")], name="inner")
    model = keras.Model(inputs, inner(inputs))
    layer = inner.layers[0]
    path = layer.bias.path.rpartition("/")[0]
    model.quantize("int8")
    layer.enable_lora(1)
    assert {weight.path.rpartition("/")[0] for weight in layer.weights} == {path}


def test_adapters_and_constraints_exclude_each_other() -> None:
    layer = keras.layers.Dense(2, kernel_constraint="non_neg")
    layer(X)
    with pytest.raises(ValueError, match="kernel_constraint"):
        layer.enable_lora(1)


def test_setting_a_quantized_policy_quantizes() -> None:
    layer = model_of().layers[0]
    layer.dtype_policy = "int8_from_float32"
    assert layer.kernel.dtype == tf.int8
    assert layer.quantization_mode == "int8"
