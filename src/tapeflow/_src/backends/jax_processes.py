"""Arrays on the devices of several processes: placing and moving them, and running their programs.

Every process runs the same programs in the same order. One that exchanges data waits for the
others: it runs where the loss of one of them ends the wait (`ProcessGroup.run`), and with a
description of what is exchanged, so that processes that differ are found.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from tapeflow._src.core import process_group
from tapeflow._src.core.errors import UnavailableError

_COLLECTIVES = (
    *("all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute"),
    *("ragged-all-to-all", "reduce-scatter"),
)
# The results of a collective, and what it is, in the text of a compiled program.
_COLLECTIVE = re.compile(rf"= (.*?) ({'|'.join(_COLLECTIVES)})(?:-start)?\((.*)")
# The groups of devices that exchange something: listed, or as a transposed range of numbers.
_LISTED = re.compile(r"(?:replica_groups|source_target_pairs)=\{((?:\{[\d,]*\},?)+)\}")
_RANGE = re.compile(r"replica_groups=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
# The same by axes of a mesh, whose devices may be a transposed range, too.
_AXES = re.compile(
    r"replica_groups=mesh\[((?:'\w+'=\d+,?)+)\]"
    r"(?:, device_ids=\(\[([\d,]+)\](?:T\(([\d,]+)\))?\))?,? \{((?:'\w+',?)+)\}"
)
_DIGEST_DIGITS = 12


def spans(mesh: Any) -> bool:
    """Return whether a mesh of JAX has devices of other processes."""
    return bool(mesh.is_multi_process)


def exchanges(compiled: Any, mesh: Any) -> str:
    """Return what a compiled program exchanges between processes; empty if it is nothing.

    It is the same in all processes that run the same program. mesh: that of JAX which it runs on.
    """
    processes = [device.process_index for device in mesh.devices.flat]
    collectives = [
        (shapes, kind, _groups(rest, len(processes)))
        for shapes, kind, rest in _COLLECTIVE.findall(compiled.as_text())
    ]
    collectives = [
        each for each in collectives if any(len({processes[d] for d in g}) > 1 for g in each[2])
    ]
    if not collectives:
        return ""
    digest = hashlib.sha256(repr(collectives).encode()).hexdigest()[:_DIGEST_DIGITS]
    count = len(collectives)
    return f"{count} exchange{'s' if count > 1 else ''} of data, {digest}"


def _groups(text: str, count: int) -> list[list[int]]:
    """Return which devices of a program exchange something with each other, by their numbers."""
    listed, numbered, by_axes = (form.search(text) for form in (_LISTED, _RANGE, _AXES))
    if listed is not None:
        return [_numbers(group) for group in re.findall(r"\{([\d,]+)\}", listed[1])]
    if numbered is not None:
        return _rows(_devices(numbered[2], numbered[3]).reshape(_numbers(numbered[1])))
    if by_axes is not None:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", by_axes[1]))
        shape = [int(size) for size in sizes.values()]
        flat = (
            np.arange(math.prod(shape)) if by_axes[2] is None else _devices(by_axes[2], by_axes[3])
        )
        grouped = [list(sizes).index(axis) for axis in re.findall(r"'(\w+)'", by_axes[4])]
        last = range(len(shape) - len(grouped), len(shape))
        moved_last = np.moveaxis(flat.reshape(shape), grouped, list(last))
        return _rows(moved_last.reshape(-1, math.prod(shape[axis] for axis in grouped)))
    return [list(range(count))]


def _devices(dims: str, order: str | None) -> np.ndarray:
    """Return the numbers of devices in the order of a transposed range."""
    sizes = _numbers(dims)
    return np.arange(math.prod(sizes)).reshape(sizes).transpose(_numbers(order or "") or None)


def _rows(groups: np.ndarray) -> list[list[int]]:
    rows: list[list[int]] = groups.tolist()
    return rows


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def callable_of(compiled: Any, call: Callable[..., Any], mesh: Any, label: str) -> Any:
    """Return what runs a compiled program on a mesh of several processes; `call` is its function.

    What it exchanges between processes decides how.
    """
    described = exchanges(compiled, mesh)
    if described:
        return partial(run, call, label, described)
    return _Connecting(call, label) if _COLLECTIVE.search(compiled.as_text()) else call


class _Connecting:
    """A program that exchanges data within each process.

    At its first call the devices of a process connect with each other, by way of the first process.
    So that call ends, too, when a process is lost.
    """

    def __init__(self, call: Callable[..., Any], label: str) -> None:
        self._call, self._label = call, label
        self._connected = False

    def __call__(self, *arguments: Any) -> Any:
        if self._connected:
            return self._call(*arguments)
        results = run(self._call, self._label, "within each process", *arguments)
        self._connected = True
        return results


def run(call: Callable[..., Any], label: str, signature: str, *arguments: Any) -> Any:
    """Return the results of a program that exchanges data, once they are there."""
    group = process_group.joined()
    if group is None:
        raise UnavailableError(None, None, f"{label} needs the processes of its mesh.")
    return group.run(partial(_finished, call, arguments), label, signature)


def _finished(call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    with jax.enable_x64(True):
        return jax.block_until_ready(call(*arguments))


def from_global(array: np.ndarray, sharding: NamedSharding) -> Any:
    """Return an array with a sharding, of which every process has the whole value."""
    indices = sharding.addressable_devices_indices_map(array.shape)
    with jax.enable_x64(True):
        parts = [
            jax.device_put(array[index], device, may_alias=False)
            for device, index in indices.items()
        ]
        return jax.make_array_from_single_device_arrays(array.shape, sharding, parts)


def from_rows(array: np.ndarray, sharding: NamedSharding, first: int, total: int) -> Any:
    """Return an array with a sharding, of which this process has some rows.

    first: the number of its first row. total: the number of rows of all processes.
    """
    shape = (total, *array.shape[1:])
    parts = []
    with jax.enable_x64(True):
        for device, index in sharding.addressable_devices_indices_map(shape).items():
            start, stop, _ = index[0].indices(total)
            if start < first or stop > first + len(array):
                raise ValueError(
                    f"A device of this process computes rows {start} to {stop} of a batch of "
                    f"{total}, and the process has rows {first} to {first + len(array)}. Order the "
                    f"devices of the mesh by process along the axis of batches."
                )
            part = array[(slice(start - first, stop - first), *index[1:])]
            parts.append(jax.device_put(part, device, may_alias=False))
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)


def moved(array: Any, sharding: NamedSharding) -> Any:
    """Return an array with another sharding on the same devices."""
    return _mover(array.shape, array.dtype, array.sharding, sharding)(array)


@lru_cache(maxsize=1024)
def _mover(shape: tuple[int, ...], dtype: Any, source: Any, target: Any) -> Any:
    """Return a program that moves arrays."""
    with jax.enable_x64(True):
        argument = jax.ShapeDtypeStruct(shape, dtype, sharding=source)
        program = jax.jit(lambda value: value, out_shardings=target).lower(argument).compile()
    return callable_of(program, program, source.mesh, "moving a tensor")
