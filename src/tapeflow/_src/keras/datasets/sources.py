"""Where data sets come from, and how their files are read without running code from them."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.keras.utils.file_cache import get_file

STORAGE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
# All that an array of lists needs to be read; NumPy 2 has renamed a package.
_ARRAYS = frozenset(
    {
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "_reconstruct"),
    }
)


class Source(NamedTuple):
    """A file of a data set, and its hash."""

    origin: str
    file_hash: str | None = None

    def path(self, name: str | None = None, **kwargs: Any) -> str:
        """Return the path in the cache, after a download if it is not there."""
        return get_file(name, origin=self.origin, file_hash=self.file_hash, **kwargs)


class ArrayUnpickler(pickle.Unpickler):
    """Reads arrays, lists and dicts from pickle streams, and refuses everything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ARRAYS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Refusing to load {module}.{name}: a data set consists of arrays and lists only. The "
            f"file is damaged, or made to run code."
        )


def load_npz(path: str) -> dict[str, Any]:
    """Read the arrays of a `.npz` file, those of lists included."""
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".npy"): _read_array(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".npy")
        }


def _read_array(data: bytes) -> Any:
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    _, _, dtype = header(file)
    if dtype.hasobject:
        return ArrayUnpickler(file).load()
    return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)


def load_json(path: str) -> dict[str, int]:
    """Read a dict of words and their numbers."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def split_shuffled(
    x: np.ndarray, y: np.ndarray, test_split: float, seed: int
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Shuffle samples and split them into those for training and for testing."""
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    x, y = x[order], y[order]
    border = int(len(x) * (1 - test_split))
    return (x[:border], y[:border]), (x[border:], y[border:])


def check_test_split(test_split: float) -> None:
    """Raise ValueError unless a fraction is left for training."""
    if not 0 <= test_split < 1:
        raise ValueError(
            f"`test_split` must be at least 0 and below 1. Received: test_split={test_split}"
        )
