"""Handwritten digits: 70,000 grey images of 28 x 28 pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.sources import STORAGE, Source

__all__ = ["load_data"]

_SOURCE = Source(
    f"{STORAGE}mnist.npz", "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
)


def load_data(path: str = "mnist.npz", cache_dir: Any = None) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)` as arrays of uint8.

    Args:
        path: the name in the cache folder.
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: images of shape (samples, 28, 28), digits of shape (samples,); 60,000 and 10,000
        samples.
    """
    with np.load(_SOURCE.path(path, cache_dir=cache_dir), allow_pickle=False) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])
