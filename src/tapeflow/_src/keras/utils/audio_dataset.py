"""`audio_dataset_from_directory`: WAV files in folders, one for each class, as a dataset."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.utils.directory_index import (
    Files,
    check_binary,
    check_labels,
    check_split,
    index_directory,
    labelled_dataset,
    new_seed,
    split_datasets,
)

_FORMATS = (".wav",)


def audio_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    sampling_rate: int | None = None,
    output_sequence_length: int | None = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
    verbose: bool = True,
) -> Any:
    """Return a `tf.data.Dataset` of batches of sounds and labels from folders of WAV files.

    Sounds have the shape `(samples, channels)`; shorter ones of a batch are padded with zeros.

    Args:
        directory: With `labels="inferred"`, the folder that has one folder for each class.
        labels: "inferred", None, or a list of class numbers for the files in order.
        label_mode: "int", "categorical" (one-hot), "binary", or None for no labels.
        class_names: Folders to use, in the order of the class numbers.
        batch_size: None for a dataset of single sounds.
        sampling_rate: Not available: None.
        output_sequence_length: Number of samples to cut or pad each sound to.
        ragged: Whether sounds of a batch keep their own lengths, in a ragged tensor.
        shuffle: Whether the files come in random order.
        seed: Seed of `shuffle`; needed with `validation_split`.
        validation_split: Fraction of the files for validation.
        subset: "training", "validation", or "both" for a pair of datasets.
        follow_links: Whether to follow links to folders.
        verbose: Whether to print the number of files.

    Returns:
        The dataset, with the attribute `class_names`.

    Example:
        >>> for name in ("high", "low"):
        ...     tf.io.gfile.makedirs(f"sounds/{name}")
        ...     wave = tf.audio.encode_wav(tf.zeros([8, 1]), sample_rate=8000)
        ...     tf.io.write_file(f"sounds/{name}/1.wav", wave)
        >>> ds = tf.keras.utils.audio_dataset_from_directory(
        ...     "sounds", output_sequence_length=8, batch_size=2, verbose=False
        ... )
        >>> next(iter(ds))[0].shape
        TensorShape([2, 8, 1])
    """
    check_labels(labels, label_mode, class_names, "audio")
    _check_sound(ragged, output_sequence_length, sampling_rate)
    check_split(validation_split, subset, shuffle, seed)
    if labels is None or label_mode is None:
        labels, label_mode = None, None
    seed = new_seed(seed)
    files = index_directory(
        directory, labels, _FORMATS, class_names, shuffle, seed, follow_links, verbose
    )
    check_binary(label_mode, files)
    load = _loader(output_sequence_length, ragged)

    def build(part: Files, shuffled: bool) -> Any:
        buffer = 1024 if batch_size is None else batch_size * 8
        sounds = labelled_dataset(part, label_mode, load, buffer if shuffled else None, seed)
        return _batched(sounds, part, batch_size, ragged or output_sequence_length is not None)

    if not files.paths:
        raise ValueError(f"No audio files found in {directory}: expected files ending in .wav")
    datasets = split_datasets(files, validation_split, subset, shuffle, build)
    return tuple(datasets) if isinstance(datasets, list) else datasets


def _loader(output_sequence_length: int | None, ragged: bool) -> Any:
    """Return the function that reads one sound in a dataset."""
    length = -1 if output_sequence_length is None else output_sequence_length

    def load(path: Any) -> Any:
        sound, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_samples=length)
        return tf.RaggedTensor.from_tensor(sound) if ragged else sound

    return load


def _check_sound(ragged: bool, length: Any, sampling_rate: Any) -> None:
    if ragged and length is not None:
        raise ValueError("Cannot set both `ragged` and `output_sequence_length`: choose one.")
    if sampling_rate is None:
        return
    if not isinstance(sampling_rate, int):
        raise ValueError(f"`sampling_rate` must be an integer. Received: {sampling_rate!r}")
    if sampling_rate <= 0:
        raise ValueError(f"`sampling_rate` should be higher than 0. Received: {sampling_rate}")
    raise ImportError(
        "`sampling_rate` needs tensorflow_io, which is not supported: resample the files before, "
        "or leave the argument out."
    )


def _batched(dataset: Any, files: Files, batch_size: int | None, even: bool) -> Any:
    dataset = dataset.prefetch(tf.data.AUTOTUNE)
    if batch_size is not None:
        dataset = dataset.batch(batch_size) if even else dataset.padded_batch(batch_size)
    dataset.class_names = files.class_names
    return dataset
