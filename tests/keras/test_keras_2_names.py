"""Names that only Keras 2 has: values recorded from tf_keras 2.21, and programs that use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras


@pytest.mark.parametrize(("size", "rings"), [(2, [0]), (3, [0, 4]), (4, [5, 15]), (5, [6, 12, 18])])
def test_radial_constraint(size: int, rings: list[int]) -> None:
    kernel = tf.reshape(tf.range(float(size * size)), (size, size, 1, 1))
    found = np.array(keras.constraints.get("radial_constraint")(kernel))[..., 0, 0]
    np.testing.assert_array_equal(
        found[: (size + 1) // 2, 0][::-1], [rings[-1]] * ((size + 1) // 2)
    )
    half = (size + 1) // 2
    np.testing.assert_array_equal(np.diag(found)[:half][::-1], rings)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found, found[::-1])


def test_radial_constraint_needs_square_kernels() -> None:
    constraint = keras.constraints.RadialConstraint()
    for shape in ((3, 3), (3, 4, 1, 1)):
        with pytest.raises(ValueError, match="kernel"):
            constraint(tf.ones(shape))


def test_mean_tensor() -> None:
    metric = keras.metrics.MeanTensor()
    with pytest.raises(ValueError, match="no values"):
        metric.result()
    metric.update_state([0, 1, 2, 3])
    metric.update_state([4, 5, 6, 7])
    metric.update_state([1.0, 1, 1, 1], sample_weight=[0, 1, 0, 2.0])
    np.testing.assert_allclose(metric.result(), [2.0, 7 / 3, 4.0, 3.0], rtol=1e-6)
    with pytest.raises(ValueError, match="shape"):
        metric.update_state([1.0, 2.0])
    metric.reset_state()
    metric.update_state([8, 8, 8, 8])
    np.testing.assert_array_equal(metric.result(), [8, 8, 8, 8])


def test_mean_relative_error() -> None:
    metric = keras.metrics.MeanRelativeError(normalizer=[1, 3, 2, 3.0])
    metric.update_state([1, 3, 2, 3.0], [2, 4, 6, 8.0])
    assert float(metric.result()) == pytest.approx(1.25)
    again = keras.metrics.MeanRelativeError.from_config(metric.get_config())
    again.update_state([1, 3, 2, 3.0], [2, 4, 6, 8.0])
    assert float(again.result()) == pytest.approx(1.25)


@pytest.mark.parametrize("name", ["Adadelta", "Adam", "Adamax", "Nadam", "RMSprop", "SGD"])
def test_older_names_of_optimizers(name: str) -> None:
    for home in (keras.optimizers.legacy, keras.optimizers.experimental):
        optimizer = getattr(home, name)(learning_rate=0.5)
        weight = tf.Variable([1.0, 2.0])
        optimizer.apply_gradients([(tf.constant([1.0, -1.0]), weight)])
        assert weight.numpy()[0] < 1.0
        assert weight.numpy()[1] > 2.0


def test_random_fourier_features() -> None:
    layer = keras.layers.experimental.RandomFourierFeatures(6, scale=2.0)
    x = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
    layer(x)
    expected = np.cos(x @ (layer.unscaled_kernel.numpy() / 2.0) + layer.bias.numpy())
    np.testing.assert_allclose(layer(x), expected, rtol=1e-5, atol=1e-6)
    assert not layer.trainable_weights
    again = type(layer).from_config(layer.get_config())
    assert again(x).shape == (4, 6)


@pytest.mark.parametrize("optimizer", ["sgd", ["sgd", "adam"]])
def test_wide_and_deep(optimizer: Any) -> None:
    keras.utils.set_random_seed(1)
    linear = keras.experimental.LinearModel()
    deep = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    model = keras.experimental.WideDeepModel(linear, deep)
    model.compile(optimizer, "mse")
    x = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
    y = x @ np.array([[1.0], [-2.0], [0.5]], "float32")
    losses = model.fit(x, y, epochs=15, batch_size=16, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    np.testing.assert_allclose(model(x), linear(x) + deep(x), rtol=1e-5, atol=1e-6)


def test_linear_models_of_several_inputs() -> None:
    model = keras.experimental.LinearModel(units=2, kernel_initializer="ones")
    found = model({"a": tf.ones([3, 2]), "b": 2 * tf.ones([3, 1])})
    np.testing.assert_array_equal(found, np.full((3, 2), 4.0))
    again = keras.experimental.LinearModel.from_config(model.get_config())
    np.testing.assert_array_equal(again([tf.ones([3, 2]), tf.ones([3, 1])]), np.full((3, 2), 3.0))


def test_configs_and_preprocessing_under_their_older_names() -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, name="d")])
    config = keras.saving.serialize_keras_object(model)
    assert keras.models.model_from_config(config).get_layer("d").units == 3
    with pytest.raises(TypeError, match="dict"):
        keras.models.model_from_config([config])
    layer = keras.layers.experimental.preprocessing.Rescaling(0.5)
    np.testing.assert_array_equal(layer(np.array([2.0])), [1.0])
    assert keras.layers.experimental.SyncBatchNormalization().synchronized


def test_columns_of_texts_in_models() -> None:
    layer = keras.layers.TextVectorization(output_mode="multi_hot", vocabulary=["a", "b"])
    inputs = keras.Input((1,), dtype="string")
    model = keras.Model(inputs, keras.layers.Dense(1)(layer(inputs)))
    assert model(tf.constant([["a b"], ["b"]])).shape == (2, 1)
