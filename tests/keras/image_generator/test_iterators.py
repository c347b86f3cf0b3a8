"""Keras 2's iterators over images in memory, in folders and in data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

image = tf.keras.preprocessing.image


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four images in either of two folders; each image has one value."""
    for number, name in enumerate(("cats", "dogs")):
        (tmp_path / name).mkdir()
        for each in range(4):
            x = np.full((6, 8, 3), 100 * number + each, "uint8")
            image.save_img(tmp_path / name / f"{each}.png", x, scale=False)
    return tmp_path


def flow(folder: Path, **kwargs: Any) -> Any:
    generator = image.ImageDataGenerator(validation_split=0.25)
    return generator.flow_from_directory(folder, target_size=(4, 4), **kwargs)


def test_files_in_folders(folder: Path) -> None:
    batches = flow(folder, batch_size=3, shuffle=False)
    assert batches.class_indices == {"cats": 0, "dogs": 1}
    assert (batches.samples, len(batches)) == (8, 3)
    x = np.concatenate([batches[n][0] for n in range(3)])
    y = np.concatenate([batches[n][1] for n in range(3)])
    assert x[:, 0, 0, 0].tolist() == [0, 1, 2, 3, 100, 101, 102, 103]
    assert y.argmax(-1).tolist() == [0] * 4 + [1] * 4


@pytest.mark.parametrize(
    ("mode", "shape"),
    [("binary", (4,)), ("sparse", (4,)), ("categorical", (4, 2)), ("input", (4, 4, 4, 3))],
)
def test_class_modes(folder: Path, mode: str, shape: tuple[int, ...]) -> None:
    _, y = next(flow(folder, batch_size=4, class_mode=mode))
    assert y.shape == shape


def test_no_targets_gray_and_subsets(folder: Path) -> None:
    x = next(flow(folder, class_mode=None, color_mode="grayscale"))
    assert x.shape == (8, 4, 4, 1)
    parts = [flow(folder, subset=subset).filenames for subset in ("training", "validation")]
    assert [len(part) for part in parts] == [6, 2]
    assert not set(parts[0]) & set(parts[1])


@pytest.mark.parametrize(
    "kwargs", [{"class_mode": "other"}, {"color_mode": "other"}, {"subset": "other"}]
)
def test_bad_arguments(folder: Path, kwargs: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        flow(folder, **kwargs)


def test_images_are_saved(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    next(flow(folder, batch_size=2, save_to_dir=tmp_path / "out", save_prefix="a"))
    assert len(list((tmp_path / "out").glob("a_*.png"))) == 2


def test_brightness() -> None:
    x = np.full((2, 2, 3), 100.0, "float32")
    np.testing.assert_allclose(image.apply_brightness_shift(x, 1.5, False), 150)
    np.testing.assert_allclose(image.apply_brightness_shift(x - 200, 1.0, False), -100)
    generator = image.ImageDataGenerator(brightness_range=(0.5, 0.5))
    np.testing.assert_allclose(generator.random_transform(x), 50)


@pytest.mark.parametrize("processes", [False, True])
def test_training_from_an_iterator(folder: Path, processes: bool) -> None:
    model = tf.keras.Sequential(
        [tf.keras.Input((4, 4, 3)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)]
    )
    model.compile("sgd", "mse")
    batches = flow(folder, batch_size=4)
    if processes:
        batches.workers, batches.use_multiprocessing = 2, True
    history = model.fit(batches, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


def test_data_frames(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    names = [f"cats/{n}.png" for n in range(4)] + ["cats/missing.png"]
    frame = pandas.DataFrame({"filename": names, "class": list("abab") + ["a"], "w": range(5)})
    frame["number"] = np.arange(5) * 2
    make = image.ImageDataGenerator().flow_from_dataframe
    kwargs = {"directory": str(folder), "target_size": (4, 4), "shuffle": False}
    with pytest.warns(UserWarning, match="left out"):
        x, y, weights = next(make(frame, weight_col="w", **kwargs))
    assert x.shape == (4, 4, 4, 3)
    assert y.argmax(-1).tolist() == [0, 1, 0, 1]
    assert weights.tolist() == [0, 1, 2, 3]
    with pytest.warns(UserWarning):
        _, y = next(make(frame, y_col="number", class_mode="raw", **kwargs))
    assert y.tolist() == [0, 2, 4, 6]
    with pytest.warns(UserWarning):
        _, y = next(make(frame, classes=["b"], class_mode="sparse", **kwargs))
    assert y.tolist() == [0, 0]
