"""Images as files, arrays and datasets."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

utils = tf.keras.utils


def image(seed: int, shape: tuple[int, ...] = (6, 8, 3)) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape).astype("uint8")


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (3, "RGB"), (4, "RGBA")])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_array_to_img_and_back(channels: int, mode: str, data_format: str) -> None:
    shape = (6, 8, channels) if data_format == "channels_last" else (channels, 6, 8)
    x = image(0, shape).astype("float32")
    picture = utils.array_to_img(x, data_format, scale=False)
    assert (picture.mode, picture.size) == (mode, (8, 6))
    np.testing.assert_array_equal(utils.img_to_array(picture, data_format), x)


def test_array_to_img_scales() -> None:
    x = utils.img_to_array(utils.array_to_img(np.array([[[-1.0], [0.0], [1.0]]])))
    assert x.ravel().tolist() == [0, 127, 255]


def test_save_and_load(tmp_path: Path) -> None:
    x = image(1)
    utils.save_img(tmp_path / "a.png", x, scale=False)
    for path in (str(tmp_path / "a.png"), tmp_path / "a.png"):
        np.testing.assert_array_equal(utils.img_to_array(utils.load_img(path), dtype="uint8"), x)
    data = io.BytesIO((tmp_path / "a.png").read_bytes())
    assert utils.load_img(data, color_mode="grayscale").mode == "L"
    small = utils.load_img(tmp_path / "a.png", target_size=(3, 2), keep_aspect_ratio=True)
    assert small.size == (2, 3)
    with pytest.warns(UserWarning, match="alpha"):
        utils.save_img(tmp_path / "a.jpg", image(2, (4, 4, 4)))


def test_a_picture_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    utils.save_img(path, image(1))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="RGBA"):
        utils.save_img(path, image(1, (4, 4, 4)), file_format="pcx")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        utils.save_img(tmp_path / "missing" / "a.png", image(1))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: utils.array_to_img(np.zeros((2, 2))), ValueError),
        (lambda: utils.array_to_img(np.zeros((2, 2, 5))), ValueError),
        (lambda: utils.img_to_array(np.zeros(2)), ValueError),
        (lambda: utils.load_img(3), TypeError),
        (lambda: utils.load_img("x", color_mode="cmyk"), ValueError),
    ],
)
def test_what_cannot_be_an_image(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five images in either of two folders; each image has one value."""
    for number, name in enumerate(("cats", "dogs")):
        (tmp_path / name).mkdir()
        for each in range(5):
            x = np.full((6, 8, 3), 100 * number + each, "uint8")
            utils.save_img(tmp_path / name / f"{each}.png", x, scale=False)
    return tmp_path


def dataset(folder: Path, **kwargs: Any) -> Any:
    kwargs = {"image_size": (4, 4), "batch_size": 4, "verbose": False, **kwargs}
    return utils.image_dataset_from_directory(folder, **kwargs)


def test_labels_follow_folders_and_files(folder: Path) -> None:
    found = dataset(folder, seed=3)
    assert found.class_names == ["cats", "dogs"]
    assert len(found.file_paths) == 10
    batches = list(found)
    assert [b[0].shape[0] for b in batches] == [4, 4, 2]
    x = np.concatenate([b[0].numpy()[:, 0, 0, 0] for b in batches])
    y = np.concatenate([b[1].numpy() for b in batches])
    np.testing.assert_array_equal(y, x >= 100)
    assert sorted(x.tolist()) == [*range(5), *range(100, 105)]


@pytest.mark.parametrize(
    ("kwargs", "shapes"),
    [
        ({"label_mode": "binary"}, [(4, 4, 4, 3), (4, 1)]),
        ({"label_mode": "categorical"}, [(4, 4, 4, 3), (4, 2)]),
        ({"label_mode": None}, [(4, 4, 4, 3)]),
        ({"color_mode": "grayscale"}, [(4, 4, 4, 1), (4,)]),
        ({"color_mode": "rgba", "data_format": "channels_first"}, [(4, 4, 4, 4), (4,)]),
        ({"crop_to_aspect_ratio": True}, [(4, 4, 4, 3), (4,)]),
        ({"pad_to_aspect_ratio": True, "interpolation": "nearest"}, [(4, 4, 4, 3), (4,)]),
        ({"batch_size": None, "labels": [0] * 4 + [1] * 6}, [(4, 4, 3), ()]),
    ],
)
def test_shapes(folder: Path, kwargs: dict[str, Any], shapes: list[tuple[int, ...]]) -> None:
    first = next(iter(dataset(folder, shuffle=False, **kwargs)))
    parts = first if isinstance(first, tuple) else [first]
    assert [tuple(part.shape) for part in parts] == shapes
    assert parts[0].dtype == tf.float32


def test_training_and_validation_do_not_overlap(folder: Path) -> None:
    both = dataset(folder, validation_split=0.2, subset="both", seed=1)
    paths = [each.file_paths for each in both]
    assert [len(each) for each in paths] == [8, 2]
    assert not set(paths[0]) & set(paths[1])
    alone = dataset(folder, validation_split=0.2, subset="validation", seed=1)
    assert alone.file_paths == paths[1]


@pytest.mark.parametrize(
    "kwargs",
    [
        {"labels": "other"},
        {"label_mode": "other"},
        {"labels": [0, 1]},
        {"class_names": ["cats", "birds"]},
        {"color_mode": "other"},
        {"interpolation": "other"},
        {"image_size": (1, 2, 3)},
        {"validation_split": 2, "subset": "training"},
        {"validation_split": 0.2},
        {"validation_split": 0.2, "subset": "training"},
        {"format": "other"},
    ],
)
def test_bad_arguments(folder: Path, kwargs: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        dataset(folder, **kwargs)


def test_sounds(tmp_path: Path) -> None:
    for number, name in enumerate(("high", "low")):
        (tmp_path / name).mkdir()
        wave = tf.audio.encode_wav(np.full((4 + number, 1), 0.5), 1000)
        (tmp_path / name / "a.wav").write_bytes(wave.numpy())
    load = utils.audio_dataset_from_directory
    ((x, y),) = load(tmp_path, shuffle=False, verbose=False)
    assert (tuple(x.shape), y.numpy().tolist()) == ((2, 5, 1), [0, 1])
    assert x[0, 4, 0] == 0
    ((x, _),) = load(tmp_path, ragged=True, verbose=False, shuffle=False)
    assert x.row_lengths().numpy().tolist() == [4, 5]
    (x,) = load(tmp_path, labels=None, output_sequence_length=3, verbose=False)
    assert tuple(x.shape) == (2, 3, 1)
    with pytest.raises(ValueError, match="ragged"):
        load(tmp_path, ragged=True, output_sequence_length=3)
