"""Reads files of weights in HDF5 that anybody may have written.

HDF5 can refer to other files: by external links, by datasets whose bytes lie elsewhere, by virtual
datasets, and by filters that load a library. All of that is refused, as are soft links: what is
read lies in the file itself. Sizes are checked before memory is allocated.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.core.lazy import LazyModule
from tapeflow.keras.saving import limits

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
# Filters that are part of HDF5 or h5py: gzip, shuffle, fletcher32, szip, nbit, scaleoffset, lzf.
_FILTERS = frozenset({1, 2, 3, 4, 5, 6, 32000})
_NUMBERS = "biufc"


class _Refused(ValueError):
    """Raised inside `damage_reported` for what is not damaged, but not allowed or expected."""


class WeightsFile:
    """The datasets of a file of weights, by the paths of their groups."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name

    @property
    def name(self) -> str:
        """How messages call the file."""
        return self._name

    def datasets(self, path: str) -> dict[str, Any]:
        """The datasets of the group at `path`, checked; none if there is no such group."""
        with self._reading(path):
            group = self._file
            for part in path.strip("/").split("/"):
                # Not `in`, which follows links.
                if not group.id.links.exists(part.encode()):
                    return {}
                group = self._member(group, part)
                if not isinstance(group, h5py.Group):
                    raise _Refused(f"expected a group, but {group.name} is a dataset")
            return {name: self._dataset(group, name) for name in group}

    def _member(self, group: Any, name: str) -> Any:
        if group.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
            raise _Refused(
                f"'{name}' is a link to another place or file; only what is stored in the file "
                f"itself is read"
            )
        return group[name]

    def _dataset(self, group: Any, name: str) -> Any:
        dataset = self._member(group, name)
        if not isinstance(dataset, h5py.Dataset):
            raise _Refused(f"expected a dataset, but {dataset.name} is a group")
        if dataset.external or dataset.is_virtual:
            raise _Refused(f"the bytes of {dataset.name} are stored in another file")
        if dataset.dtype.kind not in _NUMBERS and not _is_bfloat16(dataset):
            raise _Refused(f"expected numbers in {dataset.name}, but it has {dataset.dtype}")
        properties = dataset.id.get_create_plist()
        filters = {properties.get_filter(n)[0] for n in range(properties.get_nfilters())}
        if filters - _FILTERS:
            raise _Refused(f"{dataset.name} needs the unknown filters {filters - _FILTERS}")
        if dataset.chunks is not None:
            chunk = math.prod(dataset.chunks) * dataset.dtype.itemsize
            if chunk > max(2 * dataset.nbytes, limits.FREE_BYTES):
                raise _Refused(f"{dataset.name} has chunks of {chunk:,} bytes")
        return dataset

    def read(self, dataset: Any) -> np.ndarray:
        """The value of a dataset."""
        with self._reading("a dataset"):
            value = np.empty(dataset.shape, dataset.dtype)
            if value.size:
                dataset.read_direct(value)
            return value

    @contextmanager
    def _reading(self, where: str) -> Iterator[None]:
        with damage_reported(self._name, where):
            yield


def _is_bfloat16(dataset: Any) -> bool:
    return dataset.dtype.kind == "V" and dataset.dtype.itemsize == 2 and not dataset.dtype.names


@contextmanager
def damage_reported(name: str, where: str) -> Iterator[None]:
    """Turn the exceptions of h5py into an OSError that names the file and the place in it."""
    try:
        yield
    except _Refused as error:
        raise ValueError(f"Cannot read weights at `{where or '/'}` of {name}: {error}.") from None
    except ImportError:
        raise
    except (
        *(OSError, KeyError, RuntimeError, ValueError, TypeError, AttributeError, IndexError),
        *(MemoryError, OverflowError, SystemError, struct.error, ZeroDivisionError),
    ) as error:
        raise OSError(
            f"Could not read the HDF5 file {name} at `{where or '/'}`, which is damaged: {error!r}"
        ) from error


@contextmanager
def open_weights(source: Any, name: str) -> Iterator[WeightsFile]:
    """Open a file of weights at a path, or one that is open already."""
    with damage_reported(name, ""):
        file = h5py.File(source, "r")
    with file:
        yield WeightsFile(file, name)
