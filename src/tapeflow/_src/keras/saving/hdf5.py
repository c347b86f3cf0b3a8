"""Reads files of weights in HDF5 that anybody may have written.

HDF5 can refer to other files: by external links, by datasets whose bytes lie elsewhere, by virtual
datasets, and by filters that load a library. All of that is refused, as are soft links: what is
read lies in the file itself. Sizes are checked before memory is allocated.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.saving import limits

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
# Filters that are part of HDF5 or h5py: gzip, shuffle, fletcher32, szip, nbit, scaleoffset, lzf.
_FILTERS = frozenset({1, 2, 3, 4, 5, 6, 32000})
_NUMBERS = "biufc"
# What a global heap begins with: its mark and the version. Three bytes follow that HDF5 ignores.
_HEAP = b"GCOL\x01"
_PIECE = 1 << 20


# Of groups in groups; a model in a model adds two.
_MOST_DEPTH = 200


class _Refused(ValueError):
    """Raised inside `damage_reported` for what is not damaged, but not allowed or expected."""


class WeightsFile:
    """The datasets of a file of weights, by the paths of their groups."""

    def __init__(self, file: Any, name: str, source: Any) -> None:
        self._file = file
        self._name = name
        self._source = source  # the path or open file that `file` is read from
        self._longest_text: int | None = None  # in the heaps of the file, once they are checked

    @property
    def name(self) -> str:
        """How messages call the file."""
        return self._name

    def datasets(self, path: str, leave_out: Collection[str] = ()) -> dict[str, Any]:
        """Return the datasets of the group at `path`, checked; none if there is no such group.

        Every member but those in `leave_out` must be a dataset.
        """
        with self._reading(path):
            group = self._group(path)
            if group is None:
                return {}
            return {n: self._dataset(group, n) for n in group if n not in leave_out}

    def groups(self, path: str) -> list[str]:
        """The names of the groups in the group at `path`."""
        with self._reading(path):
            group = self._group(path)
            members = {} if group is None else {name: self._member(group, name) for name in group}
            return [name for name, each in members.items() if isinstance(each, h5py.Group)]

    def all_groups(self) -> list[str]:
        """The paths of all groups, the root's first.

        Groups that contain themselves, or are in two places, are refused: a walk would not end.
        """
        paths: list[str] = []
        with self._reading(""):
            pending: list[tuple[str, Any]] = [("", self._file)]
            addresses = set()
            while pending:
                path, group = pending.pop()
                address = h5py.h5o.get_info(group.id).addr
                if address in addresses:
                    raise _Refused(f"the group '{path}' is stored in another place, too")
                if path.count("/") > _MOST_DEPTH:
                    raise _Refused(f"its groups are nested more than {_MOST_DEPTH} deep")
                addresses.add(address)
                paths.append(path)
                members = [(name, self._member(group, name)) for name in group]
                pending += [
                    (f"{path}/{name}".lstrip("/"), member)
                    for name, member in reversed(members)
                    if isinstance(member, h5py.Group)
                ]
        return paths

    def dataset(self, path: str) -> Any:
        """The dataset at `path`, checked; OSError if there is none."""
        folder, _, name = path.strip("/").rpartition("/")
        with self._reading(path):
            group = self._group(folder)
            if group is None or not group.id.links.exists(name.encode()):
                raise _Refused(f"there is no dataset '{path}'")
            return self._dataset(group, name)

    def has_group(self, path: str) -> bool:
        """Whether there is a group at `path`."""
        with self._reading(path):
            return self._group(path) is not None

    def has_attribute(self, path: str, attribute: str) -> bool:
        """Whether the group at `path` has an attribute."""
        with self._reading(path):
            group = self._group(path)
            return group is not None and attribute in group.attrs

    def text(self, path: str, attribute: str, limit: int) -> str | None:
        """The text of an attribute of the group at `path`, of at most `limit` bytes; or None."""
        with self._reading(path):
            group = self._group(path)
            if group is None or attribute not in group.attrs:
                return None
            size = self._text_bytes(group, attribute, scalar=True)
            if size > limit:
                raise _Refused(f"'{attribute}' may have {size:,} bytes; at most {limit:,} are read")
            return _decoded(group.attrs[attribute])

    def names(self, path: str, attribute: str) -> list[str]:
        """The texts in an attribute of the group at `path`, or in its numbered parts."""
        with self._reading(path):
            group = self._group(path)
            if group is None:
                return []
            parts = [attribute] if attribute in group.attrs else _numbered(group, attribute)
            size = sum(self._text_bytes(group, part, scalar=False) for part in parts)
            if size > limits.NAMES_BYTES:
                raise _Refused(
                    f"the texts of '{attribute}' may have {size:,} bytes; at most "
                    f"{limits.NAMES_BYTES:,} are read"
                )
            return [_decoded(each) for part in parts for each in group.attrs[part]]

    def _text_bytes(self, group: Any, attribute: str, scalar: bool) -> int:
        """The most bytes that the texts of an attribute may have; others than texts are refused.

        Texts of variable length lie in heaps. HDF5 does not tell how long they are before it has
        read them all, and many of them may be one text of the heap.
        """
        count, size = _texts(group, attribute, scalar)
        if size is None:
            size = self._longest()
        return count * size

    def _longest(self) -> int:
        """The size of the longest text in the heaps, which are refused if they are damaged."""
        if self._longest_text is None:
            if hasattr(self._source, "read"):
                self._longest_text = _longest_in_heaps(self._source)
            else:
                with open(self._source, "rb") as source:
                    self._longest_text = _longest_in_heaps(source)
        return self._longest_text

    def _group(self, path: str) -> Any:
        """The group at `path`, reached over hard links alone; None if there is none."""
        group = self._file
        for part in path.strip("/").split("/") if path.strip("/") else ():
            # Not `in`, which follows links.
            if not group.id.links.exists(part.encode()):
                return None
            group = self._member(group, part)
            if not isinstance(group, h5py.Group):
                raise _Refused(f"expected a group, but {group.name} is a dataset")
        return group

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


def _longest_in_heaps(source: Any) -> int:
    """Walk through the global heaps of a file: collections of objects, each with its size."""
    longest = 0
    length = source.seek(0, os.SEEK_END)
    for start in _places(source, _HEAP):
        (size,) = _unpacked(source, start + 8, "<Q") or (0,)
        at, end = start + 16, start + size
        if end > length:
            continue  # HDF5 refuses it, if it is a heap at all
        while at + 16 <= end and (head := _unpacked(source, at, "<HHIQ")):
            index, _, _, size = head
            # What is free, at the end, counts its own head.
            taken = size if index == 0 else 16 + -(-size // 8) * 8
            if not 0 < taken <= end - at:
                raise _Refused(f"the heap of texts at byte {start} is damaged at byte {at}")
            longest = max(longest, size if index else 0)
            at += taken
    return longest


def _places(source: Any, mark: bytes) -> Iterator[int]:
    """Where `mark` occurs in an open file, which is read piece by piece."""
    at, rest = 0, b""
    while True:
        source.seek(at)
        piece = source.read(_PIECE)
        if not piece:
            return
        window = rest + piece
        place = window.find(mark)
        while place >= 0:
            yield at - len(rest) + place
            place = window.find(mark, place + 1)
        at += len(piece)
        rest = window[1 - len(mark) :]


def _unpacked(source: Any, at: int, form: str) -> tuple[Any, ...] | None:
    """The numbers at a place of an open file, or None beyond its end."""
    source.seek(at)
    data = source.read(struct.calcsize(form))
    return struct.unpack(form, data) if len(data) == struct.calcsize(form) else None


def _texts(group: Any, name: str, scalar: bool) -> tuple[int, int | None]:
    """How many texts an attribute has, and their size if it is fixed.

    Attributes that hold anything else, or more than HDF5 keeps in place, are refused.
    """
    identifier = group.attrs.get_id(name)
    count = math.prod(identifier.shape)
    if not count and not scalar:
        return 0, 0  # Keras writes an empty list as numbers
    if (scalar and identifier.shape) or identifier.dtype.kind not in "OS":
        raise _Refused(f"expected text in the attribute '{name}', but it has {identifier.dtype}")
    kind = identifier.get_type()
    if not isinstance(kind, h5py.h5t.TypeStringID):
        raise _Refused(f"expected text in the attribute '{name}'")
    if count * max(identifier.dtype.itemsize, 16) > 2**17:
        raise _Refused(f"the attribute '{name}' has {count:,} texts")
    return count, None if kind.is_variable_str() else identifier.dtype.itemsize


def _numbered(group: Any, attribute: str) -> list[str]:
    parts: list[str] = []
    while f"{attribute}{len(parts)}" in group.attrs:
        parts.append(f"{attribute}{len(parts)}")
    return parts


def _decoded(text: Any) -> str:
    return text.decode("utf-8") if isinstance(text, bytes) else str(text)


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
        yield WeightsFile(file, name, source)
