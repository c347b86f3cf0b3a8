"""`model.export`, `ExportArchive` and `TFSMLayer`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
X = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")


def model() -> Any:
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(3, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(2),
        ]
    )


def test_an_exported_model_serves_and_is_a_layer(tmp_path: Path) -> None:
    original = model()
    original.export(tmp_path / "served")
    expected = original(X).numpy()
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_allclose(loaded.serve(X), expected, rtol=1e-6)
    by_name = loaded.signatures["serving_default"](tf.constant(X))
    np.testing.assert_allclose(next(iter(by_name.values())), expected, rtol=1e-6)
    layer = layers.TFSMLayer(tmp_path / "served")
    np.testing.assert_allclose(layer(X), expected, rtol=1e-6)
    assert len(layer.trainable_weights) == 4
    signature = layers.TFSMLayer(tmp_path / "served", call_endpoint="serving_default")
    np.testing.assert_allclose(next(iter(signature(X).values())), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="no endpoint 'other'"):
        layers.TFSMLayer(tmp_path / "served", call_endpoint="other")
    config = keras.saving.serialize_keras_object(layer)
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.saving.deserialize_keras_object(config)
    again = keras.saving.deserialize_keras_object(config, safe_mode=False)
    np.testing.assert_allclose(again(X), expected, rtol=1e-6)


def test_archives_have_several_endpoints(tmp_path: Path) -> None:
    original = model()
    archive = keras.export.ExportArchive()
    archive.track(original)
    spec = keras.InputSpec(shape=(None, 4), dtype="float32")
    archive.add_endpoint("plain", original.__call__, [spec])
    archive.add_endpoint("trained", lambda x: original(x, training=True), [spec])
    archive.add_variable_collection("kept", original.weights[:2])
    archive.write_out(tmp_path / "served", verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_allclose(loaded.plain(X), original(X), rtol=1e-6)
    assert loaded.trained(X).shape == (3, 2)
    assert len(loaded.variables) == len(original.variables)
    assert len(loaded.trainable_variables) == 4
    np.testing.assert_array_equal(loaded.kept[0], original.weights[0])
    assert len(archive.trainable_variables) == 4


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tf_saved_model"):
        model().export(tmp_path / "x", format="onnx")
    with pytest.raises(ValueError, match="never called"):
        keras.Sequential([layers.Dense(2)]).export(tmp_path / "x")
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="add_endpoint"):
        archive.write_out(tmp_path / "x")
    with pytest.raises(ValueError, match="built"):
        archive.track(layers.Dense(2))
    with pytest.raises(ValueError, match="input_signature"):
        archive.add_endpoint("f", lambda x: x)


class Summed(keras.Model):  # type: ignore[misc, name-defined]
    """Sums whatever it is called with."""

    def call(self, inputs: Any, more: Any = None) -> Any:
        parts = tf.nest.flatten(inputs if more is None else [inputs, more])
        return sum(parts[1:], parts[0])


@pytest.mark.parametrize("inputs", [(X, X), [X, X], {"a": X, "b": X}])
def test_models_of_structures_of_inputs_are_exported(inputs: Any, tmp_path: Path) -> None:
    original = Summed()
    inputs = tf.nest.map_structure(tf.constant, inputs)
    original(inputs)
    original.export(tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_allclose(loaded.serve(inputs), 2 * X, rtol=1e-6)


def test_endpoints_keep_the_names_of_arguments(tmp_path: Path) -> None:
    layer = layers.MultiHeadAttention(2, 2)
    x = tf.constant(np.random.default_rng(0).normal(size=(3, 2, 2)).astype("float32"))
    expected = layer(x, x)
    archive = keras.export.ExportArchive()
    archive.track(layer)
    # A tensor of a model is as good as a spec.
    archive.add_endpoint("call", layer.call, [keras.Input((2, 2)), tf.TensorSpec((None, 2, 2))])
    archive.write_out(tmp_path / "served", verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_allclose(loaded.call(query=x, value=x), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="spec of a tensor"):
        archive.add_endpoint("other", layer.call, [123])


def test_variables_that_only_endpoints_use_are_saved(tmp_path: Path) -> None:
    layer = layers.Dense(2)
    expected = layer(X)
    archive = keras.export.ExportArchive()
    archive.add_endpoint("call", layer.call, [tf.TensorSpec((None, 4), tf.float32)])
    archive.write_out(tmp_path / "served", verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_allclose(loaded.call(X), expected, rtol=1e-6)
    assert len(loaded.trainable_variables) == 2


def test_a_saved_model_of_keras_is_a_layer_with_weights(tmp_path: Path) -> None:
    original = model()
    tf.saved_model.save(original, str(tmp_path / "saved"))
    layer = layers.TFSMLayer(tmp_path / "saved", call_endpoint="serving_default")
    assert len(layer.weights) == len(layer.trainable_weights) == 4
    np.testing.assert_array_equal(layer.weights[0], original.weights[0])


def test_models_of_two_arguments_are_exported(tmp_path: Path) -> None:
    class Sum(keras.Model):
        def build(self, a_shape: Any, b_shape: Any) -> None:
            self.built = True

        def call(self, a: Any, b: Any) -> Any:
            return a + b

    summed = Sum()
    summed(X, X)
    summed.export(tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_array_equal(loaded.serve(X[:2], X[:2]), X[:2] * 2)


def test_endpoints_have_aliases(tmp_path: Path) -> None:
    original = model()
    archive = keras.export.ExportArchive()
    archive.track(original)
    function = archive.add_endpoint("call", original.__call__, [tf.TensorSpec((None, 4))])
    options = tf.saved_model.SaveOptions(function_aliases={"other": function})
    archive.write_out(tmp_path / "served", options, verbose=False)
    asked = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(str(tmp_path / "served"), options=asked)
    np.testing.assert_allclose(loaded.function_aliases["other"](X), original(X), rtol=1e-6)
    assert not hasattr(tf.saved_model.load(str(tmp_path / "served")), "function_aliases")


def test_endpoints_need_to_know_their_arguments() -> None:
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="never called"):
        archive.add_endpoint("call", tf.function(lambda x: x))


def test_signatures_of_exports_name_the_inputs(tmp_path: Path) -> None:
    def names(model: Any) -> list[str]:
        path = tmp_path / model.name
        model.export(path, verbose=False)
        signature = tf.saved_model.load(str(path)).signatures["serving_default"]
        return sorted(signature.structured_input_signature[1])

    one, other = keras.Input((4,), name="one"), keras.Input((3,))
    assert names(keras.Model(one, keras.layers.Dense(2)(one), name="single")) == ["one"]
    joined = keras.layers.Concatenate()([one, other])
    model = keras.Model({"p": one, "q": other}, joined, name="several")
    assert names(model) == sorted(["one", other.name])
    sequence = [keras.Input((4,), name="first"), keras.layers.Dense(1)]
    assert names(keras.Sequential(sequence, name="sequential")) == ["first"]

    class Twice(keras.Model):
        def call(self, features: Any) -> Any:
            return 2 * features

    model = Twice(name="subclassed")
    model(np.ones((2, 3), "float32"))
    assert names(model) == ["args_0"]
