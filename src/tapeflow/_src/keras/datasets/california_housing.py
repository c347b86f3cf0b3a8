"""Prices of houses in California: 20,640 samples with 8 features."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.sources import STORAGE, Source, check_test_split, split_shuffled

__all__ = ["load_data"]

_SOURCE = Source(
    f"{STORAGE}california_housing.npz",
    "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f",
)
_SIZES = {"small": 600, "large": None}


def load_data(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)`.

    Args:
        version: `"small"` for the first 600 samples, `"large"` for all.
        path: the name in the cache folder.
        test_split: the fraction of the samples for testing.
        seed: of the order of the samples.

    Returns:
        Two pairs of arrays: features of shape (samples, 8), prices of shape (samples,).
    """
    check_test_split(test_split)
    if version not in _SIZES:
        raise ValueError(f"`version` must be 'small' or 'large'. Received: version={version!r}")
    with np.load(_SOURCE.path(path), allow_pickle=False) as file:
        size = _SIZES[version]
        return split_shuffled(file["x"][:size], file["y"][:size], test_split, seed)
