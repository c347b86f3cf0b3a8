"""`Iterator`: batches of indices, in order or shuffled anew each epoch, without end."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator as Iterating
from typing import Any

import numpy as np

from tapeflow._src.keras.trainers.data_adapters.py_dataset import PyDataset
from tapeflow._src.keras.utils.images import save_img


class Iterator(PyDataset):
    """Base class of Keras 2's iterators over images.

    A subclass defines `_get_batches_of_transformed_samples(index_array)`.

    Args:
        n: Number of images.
        batch_size: Number of images per batch.
        shuffle: Whether the order is another one in each epoch.
        seed: Seed of the order and of what is random about the images.

    Example:
        >>> class Indices(tf.keras.preprocessing.image.Iterator):
        ...     def _get_batches_of_transformed_samples(self, index_array):
        ...         return index_array.tolist()
        >>> batches = Indices(n=5, batch_size=2, shuffle=False, seed=None)
        >>> next(batches), len(batches)
        ([0, 1], 3)
    """

    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        super().__init__()
        self.n, self.batch_size = n, batch_size
        self.shuffle, self.seed = shuffle, seed
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def __getstate__(self) -> dict[str, Any]:
        # For worker processes that are not forks.
        return {k: v for k, v in self.__dict__.items() if k not in ("lock", "index_generator")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = threading.Lock()
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"There are {len(self)} batches. Received the index {idx} of one that is not there."
            )
        self._seed_batch()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        start = self.batch_size * idx
        return self._get_batches_of_transformed_samples(
            self.index_array[start : start + self.batch_size]
        )

    def _seed_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        self._set_index_array()

    def reset(self) -> None:
        """Begin anew with the first batch."""
        self.batch_index = 0

    def _flow_index(self) -> Iterating[np.ndarray]:
        self.reset()
        while True:
            self._seed_batch()
            if self.batch_index == 0:
                self._set_index_array()
            start = (self.batch_index * self.batch_size) % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self) -> Iterator:
        return self

    def __next__(self, *args: Any, **kwargs: Any) -> Any:
        return self.next(*args, **kwargs)

    def next(self) -> Any:
        """Return the next batch."""
        with self.lock:
            index_array = next(self.index_generator)
        return self._get_batches_of_transformed_samples(index_array)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define how batches are made.")

    def _save_images(self, images: np.ndarray, index_array: np.ndarray) -> None:
        """Write the images of a batch to `save_to_dir`, if one was given."""
        if not self.save_to_dir:
            return
        for image, index in zip(images, index_array):
            mark = np.random.randint(10_000_000)
            name = f"{self.save_prefix}_{index}_{mark}.{self.save_format}"
            save_img(os.path.join(self.save_to_dir, name), image, self.data_format, scale=True)

    save_to_dir: Any = None
    save_prefix: str = ""
    save_format: str = "png"
    data_format: str = "channels_last"
