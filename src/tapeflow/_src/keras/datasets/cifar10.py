"""Small photographs: 60,000 colour images of 32 x 32 pixels in 10 classes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.cifar import in_data_format, load_batch
from tapeflow._src.keras.datasets.sources import Source

__all__ = ["load_data"]

_SOURCE = Source(
    "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
    "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
)


def load_data(cache_dir: Any = None) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)` as arrays of uint8.

    Args:
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: images of shape (samples, 32, 32, 3), or with channels first, as
        `image_data_format()` has it, and labels from 0 to 9 of shape (samples, 1); 50,000 and
        10,000 samples.
    """
    folder = _SOURCE.path("cifar-10-batches-py-target", extract=True, cache_dir=cache_dir)
    folder = os.path.join(folder, "cifar-10-batches-py")
    batches = [load_batch(os.path.join(folder, f"data_batch_{n}")) for n in range(1, 6)]
    images = np.concatenate([x for x, _ in batches])
    labels = np.concatenate([y for _, y in batches]).astype("uint8")
    x_test, y_test = load_batch(os.path.join(folder, "test_batch"))
    return (in_data_format(images), labels), (in_data_format(x_test), y_test.astype("uint8"))
