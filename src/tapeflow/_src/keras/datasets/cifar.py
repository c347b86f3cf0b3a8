"""The files of the CIFAR data sets, which are pickles of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.config import image_data_format
from tapeflow._src.keras.datasets.sources import ArrayUnpickler


def load_batch(path: str, label_key: str = "labels") -> tuple[np.ndarray, np.ndarray]:
    """Return the images of a file as `(samples, 3, 32, 32)`, and a column of their labels."""
    with open(path, "rb") as file:
        found: dict[bytes, Any] = ArrayUnpickler(file, encoding="bytes").load()
    labels = np.reshape(found[label_key.encode()], (-1, 1))
    return found[b"data"].reshape(-1, 3, 32, 32), labels


def in_data_format(images: np.ndarray) -> np.ndarray:
    """Move the channels to where `keras.config.image_data_format()` has them."""
    return images.transpose(0, 2, 3, 1) if image_data_format() == "channels_last" else images
