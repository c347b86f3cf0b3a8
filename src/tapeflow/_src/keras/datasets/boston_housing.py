"""Prices of houses in Boston: 506 samples with 13 features."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.datasets.sources import STORAGE, Source, check_test_split, split_shuffled

__all__ = ["load_data"]

_SOURCE = Source(
    f"{STORAGE}boston_housing.npz",
    "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
)


def load_data(
    path: str = "boston_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
    cache_dir: Any = None,
) -> Any:
    """Return `(x_train, y_train), (x_test, y_test)`.

    Args:
        path: the name in the cache folder.
        test_split: the fraction of the samples for testing.
        seed: of the order of the samples.
        cache_dir: the cache folder, instead of `~/.keras` (Keras 2).

    Returns:
        Two pairs of float64 arrays: features of shape (samples, 13), prices of shape (samples,).
    """
    check_test_split(test_split)
    with np.load(_SOURCE.path(path, cache_dir=cache_dir), allow_pickle=False) as file:
        return split_shuffled(file["x"], file["y"], test_split, seed)
