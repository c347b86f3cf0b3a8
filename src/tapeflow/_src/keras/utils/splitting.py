"""`split_dataset`: small data in memory as two datasets."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import tapeflow as tf


def split_dataset(
    dataset: Any,
    left_size: Any = None,
    right_size: Any = None,
    shuffle: bool = False,
    seed: int | None = None,
    preferred_backend: str | None = None,
) -> tuple[Any, Any]:
    """Split data into a left and a right `tf.data.Dataset`. All of it is held in memory.

    Args:
        dataset: a dataset, an array, or several arrays of the same length in a list or tuple.
        left_size: a number of samples, or a fraction as a float.
        right_size: as `left_size`; by default the rest.
        shuffle: whether to shuffle the samples before.
        seed: for the shuffling.
        preferred_backend: None or `"tensorflow"`.

    Returns:
        A tuple of two datasets, batched if `dataset` was.

    Raises:
        TypeError: An argument is of another type.
        ValueError: A size is out of range, or one side would be empty.

    Example:
        >>> left, right = tf.keras.utils.split_dataset(np.arange(10), left_size=0.8)
        >>> int(left.cardinality()), int(right.cardinality())
        (8, 2)
    """
    if preferred_backend not in (None, "tensorflow"):
        raise ValueError(
            f"`preferred_backend` must be None or 'tensorflow'. Received: {preferred_backend!r}"
        )
    if left_size is None and right_size is None:
        raise ValueError("`left_size` or `right_size` must be passed. Received None for both.")
    samples = _samples(dataset)
    if shuffle:
        random.Random(random.randint(0, 10**6) if seed is None else seed).shuffle(samples)
    left, right = _counts(left_size, right_size, len(samples))
    size = getattr(dataset, "_batch_size", None) if isinstance(dataset, tf.data.Dataset) else None
    parts = []
    for part in (samples[:left], samples[len(samples) - right :]):
        subset = tf.data.Dataset.from_tensor_slices(_stacked(part))
        subset = subset if size is None else subset.batch(size)
        parts.append(subset.prefetch(tf.data.AUTOTUNE))
    return parts[0], parts[1]


def _samples(dataset: Any) -> list[Any]:
    """Return the single samples."""
    if isinstance(dataset, tf.data.Dataset):
        batched = getattr(dataset, "_batch_size", None) is not None
        samples = list(dataset.unbatch() if batched else dataset)
    elif isinstance(dataset, np.ndarray):
        samples = list(dataset)
    elif isinstance(dataset, (list, tuple)):
        samples = list(zip(*_checked(dataset)))
    else:
        raise TypeError(
            f"`dataset` must be a tf.data.Dataset, an array, or arrays in a list or tuple. "
            f"Received: {dataset!r} of type {type(dataset).__name__}"
        )
    if not samples:
        raise ValueError("`dataset` is empty: expected at least one sample.")
    return samples


def _checked(arrays: Any) -> Any:
    for position, array in enumerate(arrays):
        if not isinstance(array, np.ndarray):
            raise ValueError(
                f"Expected NumPy arrays in `dataset`. Received: {type(array).__name__} at position "
                f"{position}"
            )
    if len({len(array) for array in arrays}) > 1:
        raise ValueError(
            f"The arrays of `dataset` must have the same length. Received: "
            f"{[len(array) for array in arrays]}"
        )
    return arrays


def _counts(left_size: Any, right_size: Any, total: int) -> tuple[int, int]:
    """Return how many samples go to either side."""
    for name, size in (("left_size", left_size), ("right_size", right_size)):
        if size is None:
            continue
        if type(size) not in (int, float):
            raise TypeError(
                f"`{name}` must be an int, a float or None. Received: {size!r} of type "
                f"{type(size).__name__}"
            )
        if not 0 < size < (total if isinstance(size, int) else 1):
            raise ValueError(
                f"`{name}` must be a number of samples below {total}, or a fraction between 0 and "
                f"1. Received: {name}={size}"
            )
    left, right = (
        round(size * total) if isinstance(size, float) else size for size in (left_size, right_size)
    )
    left = total - right if left is None else left
    right = total - left if right is None else right
    if left + right > total:
        raise ValueError(
            f"`left_size` and `right_size` together exceed the {total} samples. Received: "
            f"left_size={left_size}, right_size={right_size}"
        )
    if not left or not right:
        raise ValueError(
            f"One side would be empty: {left} and {right} of {total} samples. Received: "
            f"left_size={left_size}, right_size={right_size}"
        )
    return left, right


def _stacked(samples: list[Any]) -> Any:
    """Return samples as arrays in the structure of one; lists become tuples."""
    leaves = [tf.nest.flatten(sample) for sample in samples]
    arrays = [np.array(column) for column in zip(*leaves)]
    return _with_tuples(tf.nest.pack_sequence_as(samples[0], arrays))


def _with_tuples(structure: Any) -> Any:
    if isinstance(structure, (list, tuple)):
        return tuple(map(_with_tuples, structure))
    if isinstance(structure, dict):
        return {key: _with_tuples(value) for key, value in structure.items()}
    return structure
