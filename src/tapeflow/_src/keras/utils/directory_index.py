"""Files in folders that are named after classes: found, labelled, shuffled and split."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.utils.console import print_message
from tapeflow._src.keras.utils.grain_datasets import grain_dataset


class Files(NamedTuple):
    """Paths with the number of the class of each, and the names of the classes."""

    paths: list[str]
    labels: Any
    class_names: list[str] | None


def check_labels(labels: Any, label_mode: Any, class_names: Any, kind: str) -> None:
    """Raise ValueError for arguments about labels that do not fit together."""
    if labels not in ("inferred", None) if isinstance(labels, str) else labels is not None:
        if not isinstance(labels, (list, tuple)):
            raise ValueError(
                f"`labels` argument should be 'inferred', None, or a list or tuple with a class "
                f"number for each {kind} file. Received: labels={labels}"
            )
        if class_names:
            raise ValueError(
                f"You can only pass `class_names` if the labels are inferred from folders. "
                f"Received: labels={labels}, class_names={class_names}"
            )
    if label_mode not in ("int", "categorical", "binary", None):
        raise ValueError(
            f"`label_mode` argument must be one of 'int', 'categorical', 'binary' or None. "
            f"Received: label_mode={label_mode!r}"
        )


def check_split(validation_split: Any, subset: Any, shuffle: bool, seed: Any) -> None:
    """Raise ValueError for arguments about a validation split that do not fit together."""
    if validation_split and not 0 < validation_split < 1:
        raise ValueError(
            f"`validation_split` must be between 0 and 1. Received: {validation_split}"
        )
    if bool(validation_split) != bool(subset):
        raise ValueError(
            f"`subset` and `validation_split` need each other. Received: "
            f"subset={subset!r}, validation_split={validation_split}"
        )
    if subset not in ("training", "validation", "both", None):
        raise ValueError(
            f"`subset` must be either 'training', 'validation' or 'both'. Received: {subset!r}"
        )
    if validation_split and shuffle and seed is None:
        raise ValueError(
            "Shuffling with `validation_split`, you must provide a `seed`: otherwise the training "
            "and validation data overlap."
        )


def index_directory(
    directory: Any,
    labels: Any,
    formats: tuple[str, ...],
    class_names: Any = None,
    shuffle: bool = True,
    seed: int | None = None,
    follow_links: bool = False,
    verbose: bool = True,
) -> Files:
    """Find the files with these endings, in the order of their names or shuffled.

    Args:
        labels: `"inferred"` for the folders in `directory` as classes, a list of numbers for
            the files in the order of their names, or None.
        class_names: the folders to use, in the order of the class numbers; by default all.
        seed: of the order, the same for paths and labels.
    """
    directory = os.fspath(directory)
    inferred = isinstance(labels, str) and labels == "inferred"
    folders = _folders(directory, class_names) if inferred else [""]
    if not inferred and class_names is not None:
        raise ValueError(
            f"`class_names` needs labels='inferred'. Received: class_names={class_names}"
        )
    with ThreadPoolExecutor() as pool:
        lists = list(pool.map(lambda f: _files_below(directory, f, follow_links, formats), folders))
    paths = [path for each in lists for path in each]
    if inferred:
        labels = np.repeat(np.arange(len(folders), dtype="int32"), [len(each) for each in lists])
        names: list[str] | None = folders
    elif labels is None:
        names = None
    else:
        if len(labels) != len(paths):
            raise ValueError(
                f"`labels` must match the number of files in {directory}: one label each. "
                f"Received: {len(labels)} labels for {len(paths)} files"
            )
        labels, names = list(labels), [str(label) for label in sorted(set(labels))]
    if verbose:
        classes = "" if names is None else f" belonging to {len(names)} classes"
        print_message(f"Found {len(paths)} files{classes}.")
    if shuffle:
        seed = new_seed(seed)
        np.random.RandomState(seed).shuffle(paths)
        if labels is not None:
            np.random.RandomState(seed).shuffle(labels)
    return Files(paths, labels, names)


def new_seed(seed: int | None) -> int:
    """Return a seed: the given one, or one from NumPy's random numbers."""
    return np.random.randint(1_000_000) if seed is None else seed


def _folders(directory: str, class_names: Any) -> list[str]:
    """Return the names of the classes."""
    with os.scandir(directory) as entries:
        folders = sorted(e.name for e in entries if e.is_dir() and not e.name.startswith("."))
    if class_names is None:
        return folders
    if not set(class_names) <= set(folders):
        raise ValueError(
            f"`class_names` must be folders in {directory}. Expected some of: {folders}. "
            f"Received: class_names={class_names}"
        )
    return list(class_names)


def _files_below(
    directory: str, folder: str, follow_links: bool, formats: tuple[str, ...]
) -> list[str]:
    def walk() -> Iterator[str]:
        top = os.path.join(directory, folder)
        walked = os.walk(top, followlinks=follow_links)
        for root, _, files in sorted(walked, key=lambda each: each[0]):
            for name in sorted(files):
                if name.lower().endswith(formats):
                    yield os.path.join(root, name)

    return list(walk())


def split_files(files: Files, validation_split: float | None, subset: str | None) -> Files:
    """Return the files for training, the last ones for validation, or all of them."""
    if not validation_split:
        return files
    total = len(files.paths)
    held_back = int(validation_split * total)
    part = slice(None, total - held_back) if subset == "training" else slice(-held_back, None)
    if not held_back:
        part = slice(None, 0 if subset == "validation" else None)
    count = held_back if subset == "validation" else total - held_back
    print_message(f"Using {count} files for {subset}.")
    labels = None if files.labels is None else files.labels[part]
    return Files(files.paths[part], labels, files.class_names)


def split_datasets(
    files: Files, validation_split: float | None, subset: str | None, shuffle: bool, build: Any
) -> Any:
    """Return what `build(files, shuffled)` makes of one subset, or a list for both.

    Data for validation beside those for training are not shuffled.
    """
    both = subset == "both"
    parts = [("training", shuffle), ("validation", False)] if both else [(subset, shuffle)]
    datasets = []
    for part, shuffled in parts:
        chosen = split_files(files, validation_split, part)
        if not chosen.paths:
            raise ValueError(f"There are no files for {part or 'the dataset'} among those found.")
        datasets.append(build(chosen, shuffled))
    return datasets if both else datasets[0]


def check_binary(label_mode: Any, files: Files) -> None:
    """Raise ValueError if binary labels have other than two classes."""
    if label_mode == "binary" and len(files.class_names or ()) != 2:
        raise ValueError(
            f"label_mode='binary' needs exactly 2 classes. Received: {files.class_names}"
        )


def check_format(format: str) -> None:
    """Raise ValueError for another kind of dataset than there is."""
    if format not in ("tf", "grain"):
        raise ValueError(f"`format` must be 'tf' or 'grain'. Received: format={format!r}")


def file_dataset(
    files: Files,
    label_mode: str | None,
    load: Any,
    batch_size: int | None,
    seed: int | None,
    format: str,
) -> Any:
    """Return a dataset of batches of what `load` returns for each path, with labels if any.

    Args:
        batch_size: None for a dataset of single elements.
        seed: for shuffling; None keeps the order.
        format: "tf" for a `tf.data.Dataset`, "grain" for one of Grain.
    """
    if format == "grain":
        dataset = _of_grain(files, label_mode, load, batch_size, seed)
    else:
        buffer = None
        if seed is not None:
            buffer = 1024 if batch_size is None else batch_size * 8
        dataset = labelled_dataset(files, label_mode, load, buffer, seed)
        if batch_size is not None:
            dataset = dataset.batch(batch_size)
        dataset = dataset.prefetch(tf.data.AUTOTUNE)
    dataset.class_names = files.class_names
    return dataset


def _of_grain(
    files: Files, label_mode: str | None, load: Any, batch_size: int | None, seed: int | None
) -> Any:
    if label_mode is None:
        return grain_dataset(files.paths, load, batch_size, seed)
    classes = len(files.class_names or ())

    def pair(element: Any) -> Any:
        path, label = element
        return load(path), _encoded(tf.constant(label), label_mode, classes)

    labels = np.asarray(files.labels, "int32")
    return grain_dataset(list(zip(files.paths, labels)), pair, batch_size, seed)


def _encoded(label: Any, label_mode: str, classes: int) -> Any:
    """The number of a class as labels have it."""
    if label_mode == "binary":
        return tf.cast(label, "float32")[tf.newaxis]
    return tf.one_hot(label, classes) if label_mode == "categorical" else label


def labelled_dataset(
    files: Files,
    label_mode: str | None,
    load: Any,
    shuffle_buffer: int | None = None,
    seed: int | None = None,
) -> Any:
    """Return a dataset of what `load` returns for each path, with its label if there are any.

    Args:
        shuffle_buffer: how many paths are shuffled at a time; None keeps the order.
    """
    if label_mode is None:
        dataset = tf.data.Dataset.from_tensor_slices(files.paths)
    else:
        numbers = np.asarray(files.labels, "int32")
        dataset = tf.data.Dataset.from_tensor_slices((files.paths, numbers))
    if shuffle_buffer is not None:
        dataset = dataset.shuffle(shuffle_buffer, seed=seed)
    if label_mode is None:
        return dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    classes = len(files.class_names or ())

    def pair(path: Any, label: Any) -> Any:
        return load(path), _encoded(label, label_mode, classes)

    return dataset.map(pair, num_parallel_calls=tf.data.AUTOTUNE)
