"""Weights in several HDF5 files, of bounded size, and an index of them in JSON.

The index (`.weights.json`) maps each group of variables to the file, or the files, that have them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import file_transaction, one_generation
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.hdf5 import WeightsFile, open_weights

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
_SUFFIX, _INDEX = ".weights.h5", ".weights.json"
_GIGABYTE = 1024**3
# What a file of the index may be called: a name in the same folder.
_NAME = re.compile(r"[^/\\:\0]+\.weights\.h5")


def write_shards(source: Any, path: str, max_shard_size: float | None) -> None:
    """Spread a file of weights, which is open, over several files beside an index at `path`.

    All of them are replaced together: an index that is read counts files of its own generation.
    """
    if not path.endswith((_SUFFIX, _INDEX)):
        raise ValueError(f"The filename must end in `{_INDEX}`. Received: filepath={path}")
    if path.endswith(_SUFFIX):
        warn_user(f"The index of weights in several files ends in `{_INDEX}`: {path} is renamed.")
        path = path.removesuffix(_SUFFIX) + _INDEX
    limit = (5 if max_shard_size is None else max_shard_size) * _GIGABYTE
    with h5py.File(source, "r") as whole, file_transaction(path) as files:
        datasets: list[Any] = []
        whole.visititems(
            lambda name, each: datasets.append(each) if isinstance(each, h5py.Dataset) else None
        )
        shards = _divided(datasets, limit)
        folder, base = os.path.dirname(path), os.path.basename(path).removesuffix(_INDEX)
        index: dict[str, Any] = {}
        for number, shard in enumerate(shards):
            name = f"{base}_{number:05}{_SUFFIX}"
            target = files.replacing(os.path.join(folder, name))
            with target as stream, h5py.File(stream, "w") as file:
                for dataset in shard:
                    _copy(dataset, file)
            for dataset in shard:
                _note(index, dataset.parent.name, name)
        total = sum(dataset.nbytes for dataset in datasets)
        text = json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=4)
        files.write(path, text.encode())


def _divided(datasets: list[Any], limit: float) -> list[list[Any]]:
    """The datasets in order, as many to a file as fit."""
    shards: list[list[Any]] = [[]]
    size = 0
    for dataset in datasets:
        if dataset.nbytes > limit:
            raise ValueError(
                f"The weight {dataset.name} has {dataset.nbytes:,} bytes, more than the "
                f"{int(limit):,} of a file: pass a larger `max_shard_size`, which is in gigabytes."
            )
        size += dataset.nbytes
        if size > limit:
            shards.append([])
            size = dataset.nbytes
        shards[-1].append(dataset)
    return shards


def _copy(dataset: Any, file: Any) -> None:
    group = file.require_group(dataset.parent.name)
    for key, value in dataset.parent.attrs.items():
        group.attrs[key] = value
    dataset.file.copy(dataset, group, name=dataset.name.rpartition("/")[2])


def _note(index: dict[str, Any], group: str, name: str) -> None:
    known = index.setdefault(group, name)
    if known == name:
        return
    known = known if isinstance(known, list) else [known]
    index[group] = known if name in known else [*known, name]


class ShardedWeights:
    """The datasets of several files, by the paths of their groups."""

    def __init__(
        self,
        path: str,
        index: dict[str, list[str]],
        current: Callable[[str], str],
        stack: ExitStack,
    ) -> None:
        self.name = path
        self._folder = os.path.dirname(path)
        self._index = index
        self._current = current
        self._stack = stack
        self._open: dict[str, WeightsFile] = {}
        self._homes: dict[int, WeightsFile] = {}

    def datasets(self, path: str) -> dict[str, Any]:
        """The datasets of the group at `path`, of all files that have some."""
        merged: dict[str, Any] = {}
        for name in self._index.get(f"/{path.strip('/')}", ()):
            file = self._file(name)
            part = file.datasets(path)
            self._homes |= {id(dataset): file for dataset in part.values()}
            merged |= part
        return merged

    def read(self, dataset: Any) -> Any:
        """The value of a dataset."""
        return self._homes[id(dataset)].read(dataset)

    def _file(self, name: str) -> WeightsFile:
        if name not in self._open:
            path = os.path.join(self._folder, name)
            self._open[name] = self._stack.enter_context(open_weights(self._current(path), path))
        return self._open[name]


@contextmanager
def open_shards(path: str) -> Iterator[ShardedWeights]:
    """Open the files of an index; they must be in its folder."""
    with ExitStack() as stack:
        current = stack.enter_context(one_generation(path))
        yield ShardedWeights(path, _index(path, current), current, stack)


def _index(path: str, current: Callable[[str], str]) -> dict[str, list[str]]:
    """The names of the files that have datasets of each group."""
    with open(current(path), "rb") as file:
        data = file.read(limits.CONFIG_BYTES + 1)
    config = limits.parse_json(data, f"The index {path}")
    known = config.get("weight_map") if isinstance(config, dict) else None
    if not isinstance(known, dict):
        raise ValueError(f"Expected a dict with the key 'weight_map' in {path}.")
    index: dict[str, list[str]] = {}
    for group, names in known.items():
        names = names if isinstance(names, list) else [names]
        for name in names:
            if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith(".."):
                raise ValueError(f"Expected names of `{_SUFFIX}` files in {path}, not {name!r}.")
        index[group] = names
    return index
