"""Small photographs: 60,000 colour images of 32 x 32 pixels in 100 classes of 20 groups."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.keras.datasets.cifar import in_data_format, load_batch
from tapeflow._src.keras.datasets.sources import Source

__all__ = ["load_data"]

_SOURCE = Source(
    "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
    "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
)


def load_data(label_mode: str = "fine", cache_dir: Any = None) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)`.

    Args:
        label_mode: `"fine"` for the 100 classes, `"coarse"` for the 20 groups.
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs: images of shape (samples, 32, 32, 3), or with channels first, and labels of shape
        (samples, 1); 50,000 and 10,000 samples.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f"`label_mode` must be 'fine' or 'coarse'. Received: {label_mode!r}")
    folder = _SOURCE.path("cifar-100-python-target", extract=True, cache_dir=cache_dir)
    folder = os.path.join(folder, "cifar-100-python")

    def part(name: str) -> Any:
        images, labels = load_batch(os.path.join(folder, name), f"{label_mode}_labels")
        return in_data_format(images), labels

    return part("train"), part("test")
