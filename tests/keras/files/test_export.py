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
