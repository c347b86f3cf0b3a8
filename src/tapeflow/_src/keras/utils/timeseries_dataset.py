"""`timeseries_dataset_from_array`: windows over a series as a dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.utils.directory_index import check_format
from tapeflow._src.keras.utils.grain_datasets import grain_dataset


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
    format: str = "tf",
) -> Any:
    """Return a dataset of windows over a series, with the target of each.

    Args:
        data: an array or tensor whose first axis is time.
        targets: `targets[i]` belongs to the window that starts at `i`; None for windows alone.
        sequence_length: how many steps a window has.
        sequence_stride: how many steps lie between the starts of two windows.
        sampling_rate: how many steps lie between two steps of a window.
        batch_size: how many windows a batch has; None for single windows.
        shuffle: whether the windows come in random order.
        seed: for `shuffle`.
        start_index: the first step that is used.
        end_index: the step before which to stop.
        format: "tf" for a `tf.data.Dataset`, "grain" for a `grain.IterDataset`.

    Returns:
        A dataset of windows, or of pairs of windows and targets.

    Example:
        >>> windows = tf.keras.utils.timeseries_dataset_from_array(
        ...     np.arange(5), targets=None, sequence_length=3, batch_size=2
        ... )
        >>> next(iter(windows)).numpy()
        array([[0, 1, 2],
               [1, 2, 3]])
    """
    _check(len(data), sequence_stride, sampling_rate, start_index, end_index, format)
    start, end = start_index or 0, end_index or len(data)
    count = end - start - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    positions = np.arange(0, count, sequence_stride)
    if shuffle:
        seed = np.random.randint(1_000_000) if seed is None else seed
        np.random.RandomState(seed).shuffle(positions)
    steps = np.arange(0, sequence_length * sampling_rate, sampling_rate)
    source = tf.convert_to_tensor(data[start:end])
    labels = None if targets is None else tf.convert_to_tensor(targets[start:end])

    def window(position: Any) -> Any:
        taken = tf.gather(source, position[..., None] + steps)
        return taken if labels is None else (taken, tf.gather(labels, position))

    build = grain_dataset if format == "grain" else _tf_dataset
    return build(positions, window, batch_size, seed if shuffle else None)


def _tf_dataset(
    positions: TensorLike, window: Any, batch_size: int | None, seed: int | None
) -> Any:
    """Return a `tf.data.Dataset` of windows, shuffled if there is a seed."""
    dataset = tf.data.Dataset.from_tensor_slices(positions)
    if seed is not None:
        buffer = 1024 if batch_size is None else batch_size * 8
        dataset = dataset.shuffle(buffer, seed=seed)
    if batch_size is not None:
        dataset = dataset.batch(batch_size)
    return dataset.map(window).prefetch(tf.data.AUTOTUNE)


def _check(
    size: int, stride: int, rate: int, start: int | None, end: int | None, format: str
) -> None:
    check_format(format)
    for name, value, least in (
        ("start_index", start or 0, 0),
        ("end_index", end or 1, 1),
        ("sampling_rate", rate, 1),
        ("sequence_stride", stride, 1),
    ):
        if not least <= value < size:
            raise ValueError(
                f"`{name}` must be at least {least} and below the length of the data, {size}. "
                f"Received: {name}={value}"
            )
    if start and end and end <= start:
        raise ValueError(
            f"`end_index` must be above `start_index`. Received: start_index={start}, "
            f"end_index={end}"
        )
