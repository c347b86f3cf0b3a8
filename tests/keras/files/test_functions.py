"""Functions of `tf` in the files of Keras 2, and configs that Keras 2 alone writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.saving.legacy_configs import modernized
from tapeflow._src.keras.tf_functions import _BELOW, function_named
from tests.keras.files.functions import CONFIGS, FILE, LAYERS, VALUES, X

keras = tf.keras
RECORDED = json.loads(CONFIGS.read_text(encoding="utf-8"))


def test_functions_of_tf_in_a_model(tmp_path: Path) -> None:
    model = keras.models.load_model(FILE)
    saved = np.load(VALUES)
    for number, each in enumerate(model.predict([X, X[::-1]], verbose=0)):
        np.testing.assert_allclose(each, saved[f"arr_{number}"], rtol=1e-5, atol=1e-6)
    model.save(tmp_path / "m.keras")
    again = keras.models.load_model(tmp_path / "m.keras")
    np.testing.assert_array_equal(again([X, X])[0], model([X, X])[0])


def test_files_name_only_functions_that_compute() -> None:
    for home, names in _BELOW.items():
        for name in names.split():
            assert callable(function_named(f"{home}.{name}" if home else name))
    for path in (
        *("io.read_file", "py_function", "numpy_function", "__operators__.eval", "math", ""),
        *("compat.v1.gfile.Remove", "nn.__class__", "keras.backend.get_value", None, "os.system"),
    ):
        with pytest.raises(ValueError, match="function of `tf`"):
            function_named(path)


@pytest.mark.parametrize("name", LAYERS)
def test_configs_of_keras_2_are_read(name: str) -> None:
    config = {"class_name": name, "config": RECORDED[name]}
    layer = keras.saving.deserialize_keras_object(modernized(config))
    assert type(layer).__name__ == name and layer.name == RECORDED[name]["name"]


def test_functions_of_tf_in_archives_of_keras_2_are_read() -> None:
    config = {
        "module": "keras.src.layers.core.tf_op_layer",
        "class_name": "TFOpLambda",
        "config": {"name": "tf.nn.relu", "trainable": True, "function": "nn.relu"},
        "registered_name": "TFOpLambda",
        "build_config": {"input_shape": [None, 4]},
    }
    function = keras.saving.deserialize_keras_object(modernized(config))
    np.testing.assert_array_equal(function(tf.constant([-1.0, 2.0])), [0.0, 2.0])
