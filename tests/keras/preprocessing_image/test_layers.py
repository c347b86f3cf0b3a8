"""Laws of the layers for images: everywhere alike, random by seed, quiet at inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
IMAGES = np.random.default_rng(0).uniform(0, 255, (3, 8, 6, 3)).astype("float32")
RANDOM = {
    "RandomFlip": {},
    "RandomRotation": {"factor": 0.2},
    "RandomTranslation": {"height_factor": 0.2, "width_factor": 0.2},
    "RandomZoom": {"height_factor": 0.3, "width_factor": 0.2},
    "RandomShear": {"x_factor": 0.3, "y_factor": 0.2},
    "RandomPerspective": {},
    "RandomElasticTransform": {},
    "RandomBrightness": {"factor": 0.3},
    "RandomContrast": {"factor": 0.3},
    "RandomHue": {"factor": 0.3},
    "RandomSaturation": {"factor": 0.3},
    "RandomGrayscale": {"factor": 0.6},
    "RandomColorDegeneration": {"factor": 0.5},
    "RandomColorJitter": {"brightness_factor": 0.3, "contrast_factor": 0.2, "hue_factor": 0.2},
    "RandomPosterization": {"factor": (2, 6)},
    "RandomSharpness": {"factor": 0.5},
    "RandomErasing": {},
    "RandomGaussianBlur": {},
    "RandomInvert": {"factor": 0.5},
    "Solarization": {"addition_factor": 0.5, "threshold_factor": 0.5},
    "CutMix": {},
    "MixUp": {},
    "RandAugment": {},
}
SHAPED = {"RandomCrop": {"height": 4, "width": 5}, **RANDOM}
CASES = pytest.mark.parametrize("name", SHAPED)


def made(name: str, **kwargs: Any) -> Any:
    return getattr(L, name)(**SHAPED[name], **kwargs)


@CASES
def test_same_seed_same_result_in_functions_and_datasets(name: str) -> None:
    eager = made(name, seed=7)(IMAGES).numpy()
    layer = made(name, seed=7)
    traced = tf.function(lambda x: layer(x))(tf.constant(IMAGES))
    np.testing.assert_allclose(traced, eager, rtol=1e-4, atol=1e-2)
    dataset = tf.data.Dataset.from_tensors(IMAGES).map(made(name, seed=7))
    (mapped,) = list(dataset)
    np.testing.assert_allclose(mapped, eager, rtol=1e-4, atol=1e-2)
    assert mapped.shape == layer.compute_output_shape(IMAGES.shape)


@pytest.mark.parametrize("name", RANDOM)
def test_images_pass_at_inference(name: str) -> None:
    np.testing.assert_array_equal(made(name)(IMAGES, training=False), IMAGES)


@CASES
def test_single_images_and_symbolic_ones(name: str) -> None:
    layer = made(name)
    expected = layer.compute_output_shape(IMAGES.shape)
    assert tuple(layer(IMAGES[0]).shape) == tuple(expected[1:])
    inputs = tf.keras.Input(IMAGES.shape[1:])
    assert tuple(layer(inputs).shape[1:]) == tuple(expected[1:])
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


def test_each_call_draws_anew_and_flips_about_half() -> None:
    ramp = tf.reshape(tf.range(4.0), (1, 1, 4, 1)) + tf.zeros((400, 1, 1, 1))
    layer = L.RandomFlip("horizontal", seed=1)
    flipped = [layer(ramp)[:, 0, 0, 0].numpy() == 3 for _ in range(2)]
    assert all(0.4 < each.mean() < 0.6 for each in flipped)
    assert (flipped[0] != flipped[1]).any()


def test_masks_move_with_their_images() -> None:
    for name in ("RandomFlip", "RandomRotation", "RandomElasticTransform", "CutMix"):
        kwargs = {} if name in ("RandomFlip", "CutMix") else {"interpolation": "nearest"}
        layer = made(name, **kwargs)
        data = {"images": IMAGES, "segmentation_masks": IMAGES, "labels": tf.one_hot([0, 1, 2], 3)}
        found = layer(data)
        np.testing.assert_allclose(found["images"], found["segmentation_masks"], rtol=1e-4)
        assert data["images"] is IMAGES


def test_boxes_of_all_kinds() -> None:
    layer = L.RandomFlip("horizontal", bounding_box_format="xywh")
    ragged = {
        "boxes": tf.ragged.constant([[[0, 0, 2, 2]], [[1, 1, 2, 2], [3, 0, 1, 1]], []], 1),
        "labels": tf.ragged.constant([[1], [2, 3], []]),
    }
    found = layer({"images": IMAGES, "bounding_boxes": ragged})["bounding_boxes"]
    assert tuple(found["boxes"].shape) == (3, 2, 4)
    assert found["labels"].numpy().tolist() == [[1, -1], [2, 3], [-1, -1]]
    single = {"boxes": np.array([[0.0, 0, 2, 2]]), "labels": np.array([1])}
    found = layer({"images": IMAGES[0], "bounding_boxes": single})["bounding_boxes"]
    assert tuple(found["boxes"].shape) == (1, 4)
    with pytest.raises(ValueError, match="bounding_box_format"):
        L.RandomFlip()({"images": IMAGES[0], "bounding_boxes": single})


def test_rand_augment_moves_boxes() -> None:
    boxes = {"boxes": np.array([[[0.0, 0, 2, 2]]] * 3), "labels": np.array([[1]] * 3)}
    layer = L.RandAugment(bounding_box_format="xyxy")
    for _ in range(5):
        found = layer({"images": IMAGES, "bounding_boxes": boxes})["bounding_boxes"]
        assert tuple(found["boxes"].shape) == (3, 1, 4)


def test_aug_mix_keeps_the_range() -> None:
    found = L.AugMix(seed=1)(IMAGES)
    assert found.shape == IMAGES.shape
    assert float(tf.reduce_min(found)) >= 0 and float(tf.reduce_max(found)) <= 255


@pytest.mark.parametrize(("name", "axis"), [("RandomHeight", 1), ("RandomWidth", 2)])
def test_random_sizes(name: str, axis: int) -> None:
    layer = getattr(L, name)((0.5, 0.5))
    expected = list(IMAGES.shape)
    expected[axis] = int(expected[axis] * 1.5)
    assert list(layer(IMAGES).shape) == expected
    assert layer(IMAGES, training=False).shape == IMAGES.shape
    (mapped,) = list(tf.data.Dataset.from_tensors(IMAGES).map(layer))
    assert list(mapped.shape) == expected


def test_crop_of_unknown_sizes() -> None:
    layer = L.CenterCrop(4, 4)
    crop = tf.function(layer, input_signature=[tf.TensorSpec((None, None, None, 3))])
    np.testing.assert_array_equal(crop(IMAGES), IMAGES[:, 2:6, 1:5])
    assert crop(IMAGES[:, :3]).shape == (3, 4, 4, 3)


def test_pipeline_is_saved_with_its_layers() -> None:
    layers = [L.RandomFlip(seed=1), L.Rescaling(1 / 255), L.Resizing(4, 4)]
    pipeline = L.Pipeline(layers)
    data = {"images": IMAGES, "labels": np.arange(3)}
    (mapped,) = list(tf.data.Dataset.from_tensors(data["images"]).map(pipeline))
    assert mapped.shape == (3, 4, 4, 3)
    again = L.deserialize(L.serialize(pipeline))
    assert [type(each).__name__ for each in again.layers] == ["RandomFlip", "Rescaling", "Resizing"]
    np.testing.assert_allclose(
        again(IMAGES, training=False), pipeline(IMAGES, training=False), rtol=1e-6
    )


def test_layers_in_a_model_are_trained_and_saved(tmp_path: Any) -> None:
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 6, 3)),
            L.RandomFlip(seed=1),
            L.RandomRotation(0.1, seed=2),
            L.RandomZoom(0.1, seed=3),
            L.Flatten(),
            L.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    model.fit(IMAGES / 255, np.zeros((3, 1)), epochs=2, verbose=0)
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(
        again.predict(IMAGES, verbose=0), model.predict(IMAGES, verbose=0), rtol=1e-5
    )


def test_rescaling_by_arrays_is_saved() -> None:
    layer = L.Rescaling(np.array([1.0, 2.0, 3.0]), offset=[0.0, 1.0, 0.0])
    again = L.deserialize(L.serialize(layer))
    np.testing.assert_allclose(again(IMAGES), IMAGES * [1.0, 2.0, 3.0] + [0.0, 1.0, 0.0], 1e-6)
