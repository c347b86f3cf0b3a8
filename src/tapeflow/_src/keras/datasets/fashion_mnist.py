"""Pictures of clothes: 70,000 grey images of 28 x 28 pixels in 10 classes."""

from __future__ import annotations

import gzip
import os
from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.sources import STORAGE, Source

__all__ = ["load_data"]


def load_data(cache_dir: Any = None) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)` as arrays of uint8.

    Args:
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: images of shape (samples, 28, 28), labels from 0 to 9 of shape (samples,); 60,000
        and 10,000 samples.
    """
    return _part("train", cache_dir), _part("t10k", cache_dir)


def _part(prefix: str, cache_dir: Any) -> tuple[np.ndarray, np.ndarray]:
    labels = _read(f"{prefix}-labels-idx1-ubyte.gz", 8, cache_dir)
    images = _read(f"{prefix}-images-idx3-ubyte.gz", 16, cache_dir)
    return images.reshape(len(labels), 28, 28), labels


def _read(name: str, header: int, cache_dir: Any) -> np.ndarray:
    folder = os.path.join("datasets", "fashion-mnist")
    with gzip.open(
        Source(STORAGE + name).path(name, cache_subdir=folder, cache_dir=cache_dir)
    ) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)
