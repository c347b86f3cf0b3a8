"""`image_dataset_from_directory`: images in folders, one for each class, as a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.utils.directory_index import (
    Files,
    check_binary,
    check_format,
    check_labels,
    check_split,
    file_dataset,
    index_directory,
    new_seed,
    split_datasets,
)
from tapeflow._src.keras.utils.images import smart_resize

FORMATS = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}
_METHODS = (
    *("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian"),
    "mitchellcubic",
)


def image_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    color_mode: str = "rgb",
    batch_size: int | None = 32,
    image_size: Any = (256, 256),
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    data_format: str | None = None,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Return a dataset of batches of images and labels from folders of image files.

    Args:
        directory: With `labels="inferred"`, the folder that has one folder for each class.
        labels: "inferred", None, or a list of class numbers for the files in order.
        label_mode: "int", "categorical" (one-hot), "binary", or None for no labels.
        class_names: Folders to use, in the order of the class numbers.
        color_mode: "rgb", "rgba" or "grayscale".
        batch_size: None for a dataset of single images.
        image_size: Tuple (height, width) to resize to.
        shuffle: Whether the files come in random order.
        seed: Seed of `shuffle`; needed with `validation_split`.
        validation_split: Fraction of the files for validation.
        subset: "training", "validation", or "both" for a list of two datasets.
        interpolation: A method of `tf.image.resize`.
        follow_links: Whether to follow links to folders.
        crop_to_aspect_ratio: Whether to crop images of other proportions.
        pad_to_aspect_ratio: Whether to pad them instead.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        format: "tf" for a `tf.data.Dataset`, "grain" for a `grain.IterDataset`.
        verbose: Whether to print the number of files.

    Returns:
        The dataset, with the attributes `class_names` and `file_paths`.

    Example:
        >>> for name in ("cats", "dogs"):
        ...     tf.io.gfile.makedirs(f"pictures/{name}")
        ...     picture = tf.io.encode_png(np.zeros((8, 8, 3), np.uint8))
        ...     tf.io.write_file(f"pictures/{name}/1.png", picture)
        >>> ds = tf.keras.utils.image_dataset_from_directory(
        ...     "pictures", image_size=(4, 4), batch_size=2, verbose=False
        ... )
        >>> ds.class_names, next(iter(ds))[0].shape
        (['cats', 'dogs'], TensorShape([2, 4, 4, 3]))
    """
    check_labels(labels, label_mode, class_names, "image")
    size = _checked_arguments(color_mode, image_size, interpolation.lower(), format)
    check_split(validation_split, subset, shuffle, seed)
    if labels is None or label_mode is None:
        labels, label_mode = None, None
    seed = new_seed(seed)
    index = (directory, labels, FORMATS, class_names, shuffle, seed, follow_links, verbose)
    files = _image_files(label_mode, *index)
    fit = _fit(crop_to_aspect_ratio, pad_to_aspect_ratio)
    load = _loader(size, _CHANNELS[color_mode], interpolation.lower(), data_format, fit)
    build = _builder(label_mode, load, batch_size, seed, format)
    return split_datasets(files, validation_split, subset, shuffle, build)


def _image_files(label_mode: str | None, directory: Any, *index: Any) -> Files:
    """Return the images of a directory and their labels; ValueError if there are none."""
    files = index_directory(directory, *index)
    check_binary(label_mode, files)
    if not files.paths:
        raise ValueError(
            f"No images found in {directory}: expected files ending in {', '.join(FORMATS)}"
        )
    return files


def _builder(
    label_mode: str | None, load: Any, batch_size: int | None, seed: int, format: str
) -> Callable[[Files, bool], Any]:
    """Return the function that makes a dataset of files, shuffled or not."""

    def build(part: Files, shuffled: bool) -> Any:
        chosen = seed if shuffled else None
        dataset = file_dataset(part, label_mode, load, batch_size, chosen, format)
        dataset.file_paths = part.paths
        return dataset

    return build


def _checked_arguments(
    color_mode: str, image_size: Any, interpolation: str, format: str
) -> tuple[int, int]:
    """Return the size of the images; ValueError for what cannot be."""
    if color_mode not in _CHANNELS:
        raise ValueError(
            f"`color_mode` must be one of {set(_CHANNELS)}. Received: color_mode={color_mode!r}"
        )
    if isinstance(image_size, int):
        image_size = (image_size, image_size)
    if not isinstance(image_size, (list, tuple)) or len(image_size) != 2:
        raise ValueError(
            f"Invalid `image_size` value: expected (height, width). Received: {image_size}"
        )
    if interpolation not in _METHODS:
        raise ValueError(
            f"`interpolation` must be a method among {_METHODS}. Received: {interpolation!r}"
        )
    check_format(format)
    return image_size[0], image_size[1]


def _fit(crop: bool, pad: bool) -> str:
    """Return how images of other proportions are made to fit."""
    if crop and pad:
        raise ValueError(
            "`crop_to_aspect_ratio` and `pad_to_aspect_ratio` exclude each other: choose one."
        )
    return "crop" if crop else "pad" if pad else ""


def _loader(
    size: tuple[int, int], channels: int, interpolation: str, data_format: str | None, fit: str
) -> Any:
    """Return what reads one image in a dataset."""
    data_format = standardize_data_format(data_format)
    shape = (*size, channels) if data_format == "channels_last" else (channels, *size)

    def load(path: Any) -> Any:
        image = tf.io.read_file(path)
        image = tf.io.decode_image(image, channels=channels, expand_animations=False)
        if fit == "crop":
            image = smart_resize(image, size, interpolation)
        elif fit == "pad":
            image = tf.image.resize_with_pad(image, *size, method=interpolation)
        else:
            image = tf.image.resize(image, size, method=interpolation)
        image = tf.cast(image, "float32")
        if data_format == "channels_first":
            image = tf.transpose(image, (2, 0, 1))
        return tf.ensure_shape(image, shape)

    return load
