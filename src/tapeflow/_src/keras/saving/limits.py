"""How much a file or a config may ask for, checked before anything is read or allocated.

A config is text of a few kilobytes that can ask for any number of variables of any size. While one
is read, the variables that are created share a budget: what the weights beside it account for, or
half of the machine's memory where there are none.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

MEBIBYTE = 2**20
# The text of a config, and of the notes beside it.
CONFIG_BYTES = 64 * MEBIBYTE
METADATA_BYTES = MEBIBYTE
# All names of layers, or of the weights of one, in an HDF5 file.
NAMES_BYTES = 64 * MEBIBYTE
# Lists and dicts inside each other. A nested model takes four levels.
CONFIG_DEPTH = 400
# A member of an archive that is larger than `FREE_BYTES` may be so many times its size there.
COMPRESSION_RATIO = 100
FREE_BYTES = 64 * MEBIBYTE
# Variables may need so many times the bytes of the file of weights (narrower dtypes, compression),
# and `FREE_BYTES` more.
VARIABLE_RATIO = 4
# The axes of a tensor.
RANK = 64


class _Budget(threading.local):
    def __init__(self) -> None:
        self.total: int | None = None
        self.left = 0


_budget = _Budget()


def memory_of_machine() -> int:
    """The bytes of physical memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@contextmanager
def variable_budget(total: int) -> Iterator[None]:
    """Within it, the variables that are created may have so many bytes; the outermost counts."""
    if _budget.total is not None:
        yield
        return
    _budget.total = _budget.left = total
    try:
        yield
    finally:
        _budget.total = None


def default_budget() -> int:
    """The bytes of variables that a config without weights may ask for."""
    return memory_of_machine() // 2


def reserve(what: str, shape: Any, itemsize: int = 4) -> None:
    """Count an array that is about to be allocated; ValueError if a config asks for too much."""
    if _budget.total is None:
        return
    size = math.prod(shape) * itemsize
    if size > _budget.left:
        raise ValueError(
            f"{what} of shape {tuple(shape)} needs {size:,} bytes, but of the {_budget.total:,} "
            f"bytes that this config may ask for, only {_budget.left:,} are left. The bound comes "
            f"from the size of the weights in the file, or from the memory of the machine."
        )
    _budget.left -= size


def parse_json(data: str | bytes, where: str, limit: int = CONFIG_BYTES) -> Any:
    """The value of a JSON text of bounded size and depth; ValueError for any other."""
    if len(data) > limit:
        raise ValueError(f"{where} has {len(data):,} bytes; at most {limit:,} are read.")
    try:
        # UTF-8, as Keras writes it: `json` would guess another encoding of bytes.
        value = json.loads(data.decode("utf-8") if isinstance(data, bytes) else data)
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply: {CONFIG_DEPTH} levels are read.") from None
    except ValueError as error:
        raise ValueError(f"{where} is not valid JSON: {error}") from error
    check_depth(value, where)
    return value


def check_depth(value: Any, where: str) -> None:
    """Raise ValueError unless lists and dicts are nested in `CONFIG_DEPTH` levels at most."""
    level: list[Any] = [value]
    for _ in range(CONFIG_DEPTH):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return
    raise ValueError(f"{where} is nested too deeply: {CONFIG_DEPTH} levels are read.")


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


def itemsize_of(dtype: str) -> int:
    """The bytes of an element; those of dtypes that NumPy does not know are at most 8."""
    try:
        return np.dtype(dtype).itemsize
    except TypeError:
        return 2 if dtype == "bfloat16" else 8
