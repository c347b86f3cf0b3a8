"""`text_dataset_from_directory`: text files in folders, one for each class, as a dataset."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
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


def text_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Return a dataset of batches of texts and labels from folders of `.txt` files.

    Args:
        directory: with `labels="inferred"`, the folder that has one folder for each class.
        labels: "inferred", None, or a list of class numbers for the files in order.
        label_mode: "int", "categorical" (one-hot), "binary", or None for no labels.
        class_names: the folders to use, in the order of the class numbers.
        batch_size: None for a dataset of single texts.
        max_length: how many bytes of a text are kept, with Grain how many characters; all by
            default.
        shuffle: whether the files come in random order.
        seed: for `shuffle`; needed with `validation_split`.
        validation_split: the fraction of the files for validation.
        subset: "training", "validation", or "both" for a list of two datasets.
        follow_links: whether links to folders are followed.
        format: "tf" for a `tf.data.Dataset`; "grain" for a `grain.IterDataset`, whose single texts
            are of type `str`.
        verbose: whether the number of files is printed.

    The dataset has the attribute `class_names`.

    Returns:
        The dataset; pairs of batches unless there are no labels.

    Example:
        >>> for name in ("good", "bad"):
        ...     tf.io.gfile.makedirs(f"reviews/{name}")
        ...     tf.io.write_file(f"reviews/{name}/1.txt", f"it is {name}")
        >>> ds = tf.keras.utils.text_dataset_from_directory("reviews", batch_size=2, verbose=False)
        >>> ds.class_names, sorted(next(iter(ds))[0].numpy())
        (['bad', 'good'], [b'it is bad', b'it is good'])
    """
    check_labels(labels, label_mode, class_names, "text")
    check_format(format)
    check_split(validation_split, subset, shuffle, seed)
    if labels is None or label_mode is None:
        labels, label_mode = None, None
    seed = new_seed(seed)
    files = index_directory(
        directory, labels, (".txt",), class_names, shuffle, seed, follow_links, verbose
    )
    check_binary(label_mode, files)
    if not files.paths:
        raise ValueError(f"There are no `.txt` files in {directory}.")

    read = _text if format == "grain" else _content
    load = functools.partial(read, max_length=max_length)

    def build(part: Files, shuffled: bool) -> Any:
        chosen = seed if shuffled else None
        return file_dataset(part, label_mode, load, batch_size, chosen, format)

    return split_datasets(files, validation_split, subset, shuffle, build)


def _content(path: Any, max_length: int | None) -> Any:
    text = tf.io.read_file(path)
    return text if max_length is None else tf.strings.substr(text, 0, max_length)


def _text(path: str, max_length: int | None) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()[:max_length]
