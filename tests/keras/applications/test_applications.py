"""`keras.applications`: counts, names and outputs as Keras has them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.applications.samples import (
    COMPUTED,
    LEGACY,
    NAMES,
    facts,
    outputs,
    recorded,
)

keras = tf.keras
applications = keras.applications
QUICK = ("MobileNetV3Small", "MobileNet", "RegNetX002")


def _with_slow(names: Any) -> list[Any]:
    return [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in names]


@pytest.mark.parametrize("name", _with_slow((*NAMES, *LEGACY)))
def test_counts_and_names_are_those_of_keras(name: str) -> None:
    known = {key: value for key, value in recorded()[name].items() if key != "outputs"}
    assert json.loads(json.dumps(facts(keras, name))) == known


@pytest.mark.parametrize("name", _with_slow(COMPUTED))
def test_outputs_are_those_of_keras(name: str) -> None:
    np.testing.assert_allclose(outputs(keras, name), recorded()[name]["outputs"], 2e-3, 1e-5)


def test_all_are_recorded() -> None:
    assert set(recorded()) == {*NAMES, *LEGACY}
    assert set(recorded()) <= set(dir(applications))


def test_resnet_rs_has_weights_for_several_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    arguments = {"include_top": False, "input_shape": (40, 40, 3)}
    with pytest.raises(FileNotFoundError, match=r"resnet-rs-101-i192_notop\.h5"):
        applications.ResNetRS101(**arguments)
    with pytest.raises(FileNotFoundError, match=r"resnet-rs-101-i160_notop\.h5"):
        applications.ResNetRS101(weights="imagenet-i160", **arguments)
    with pytest.raises(ValueError, match="imagenet-i192"):
        applications.ResNetRS101(weights="imagenet-i224")


def test_preprocessing_can_be_left_out() -> None:
    arguments = {"weights": None, "include_top": False, "input_shape": (32, 32, 3)}
    with_it = applications.regnet.RegNetX002(**arguments)
    without = applications.regnet.RegNetX002(include_preprocessing=False, **arguments)
    without.set_weights(with_it.get_weights())
    images = np.random.default_rng(1).uniform(0, 255, (1, 32, 32, 3)).astype("float32")
    np.testing.assert_allclose(without(images / 255), with_it(images), 1e-4, 1e-5)
    assert applications.regnet.preprocess_input(images) is images


def test_weights_from_a_file_and_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    arguments = {"alpha": 0.25, "include_top": False, "input_shape": (128, 128, 3)}
    with pytest.raises(FileNotFoundError, match=r"mobilenet_2_5_128_tf_no_top\.h5"):
        applications.MobileNet(**arguments)
    model = applications.MobileNet(**arguments, weights=None)
    (tmp_path / "models").mkdir()
    path = tmp_path / "models" / "mobilenet_2_5_128_tf_no_top.h5"
    model.save_weights(path)
    for weights in ("imagenet", str(path)):
        other = applications.MobileNet(**arguments, weights=weights)
        assert all((a.numpy() == b.numpy()).all() for a, b in zip(model.weights, other.weights))


def test_arguments_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match="1000"):
        applications.ResNet50(classes=10)
    with pytest.raises(ValueError, match="activation"):
        applications.ResNet50(classifier_activation="relu")
    with pytest.raises(ValueError, match="32x32"):
        applications.ResNet50(weights=None, input_shape=(16, 16, 3))
    with pytest.raises(ValueError, match="exists"):
        applications.ResNet50(weights="nowhere.h5")
    with pytest.raises(ValueError, match="three"):
        applications.VGG16(weights=None, input_shape=(64, 64))


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_images_are_scaled_by_mode(data_format: str) -> None:
    images = np.arange(24.0).reshape(1, 2, 4, 3)
    scale = applications.imagenet_utils.preprocess_input
    given = images if data_format == "channels_last" else images.transpose(0, 3, 1, 2)
    expected = {
        "tf": images / 127.5 - 1,
        "torch": (images / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225],
        "caffe": images[..., ::-1] - [103.939, 116.779, 123.68],
    }
    for mode, value in expected.items():
        frozen = given.copy()
        frozen.flags.writeable = False
        for x in (given.copy(), frozen, tf.constant(given)):
            found = np.asarray(scale(x, data_format=data_format, mode=mode))
            if data_format == "channels_first":
                found = found.transpose(0, 2, 3, 1)
            np.testing.assert_allclose(found, value)
    assert applications.vgg16.preprocess_input(np.zeros((1, 1, 3), "uint8")).dtype == "float32"
    assert applications.efficientnet.preprocess_input(given) is given
    with pytest.raises(ValueError, match="mode"):
        scale(given, mode="other")


def test_arrays_are_scaled_in_place() -> None:
    images = np.full((1, 1, 3), 255.0)
    assert applications.mobilenet.preprocess_input(images) is images
    assert images.tolist() == [[[1.0, 1.0, 1.0]]]


def test_classes_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    scores = np.zeros((1, 1000), "float32")
    scores[0, [3, 8]] = 0.25, 0.75
    with pytest.raises(FileNotFoundError, match="imagenet_class_index"):
        applications.resnet50.decode_predictions(scores)
    (tmp_path / "models").mkdir()
    names = {str(n): [f"n{n}", f"class {n}"] for n in range(1000)}
    (tmp_path / "models" / "imagenet_class_index.json").write_text(json.dumps(names))
    found = applications.resnet50.decode_predictions(scores, top=2)
    assert found == [[("n8", "class 8", 0.75), ("n3", "class 3", 0.25)]]
    with pytest.raises(ValueError, match="1000"):
        applications.resnet50.decode_predictions(np.zeros((1, 10)))


def test_own_layers_are_written_as_keras_names_them() -> None:
    layer_scale = importlib.import_module("tapeflow._src.keras.applications.conv_next").LayerScale
    config = keras.saving.serialize_keras_object(layer_scale(0.5, 3))
    assert config["module"] == "keras.src.applications.convnext"
    assert config["registered_name"] == "LayerScale"
    layer = keras.saving.deserialize_keras_object(config)
    assert layer(np.ones((1, 3), "float32")).numpy().tolist() == [[0.5, 0.5, 0.5]]
