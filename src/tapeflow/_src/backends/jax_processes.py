"""Arrays on the devices of several processes: placing and moving them, and running their programs.

Every process runs the same programs in the same order. One that exchanges data waits for the
others: it runs where the loss of one of them ends the wait (`ProcessGroup.run`), and with a
description of what is exchanged, so that processes that differ are found.
"""

from __future__ import annotations

import hashlib
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
_GROUPS = re.compile(r"(?:replica_groups|source_target_pairs|dimensions)=\S+")
_DIGEST_DIGITS = 12


def spans(mesh: Any) -> bool:
    """Return whether a mesh of JAX has devices of other processes."""
    return bool(mesh.is_multi_process)


def exchanges(compiled: Any) -> str:
    """Return a description of what a compiled program exchanges; empty if it exchanges nothing.

    It is the same in all processes that run the same program.
    """
    collectives = [
        (shapes, kind, *_GROUPS.findall(rest))
        for shapes, kind, rest in _COLLECTIVE.findall(compiled.as_text())
    ]
    if not collectives:
        return ""
    digest = hashlib.sha256(repr(collectives).encode()).hexdigest()[:_DIGEST_DIGITS]
    count = len(collectives)
    return f"{count} exchange{'s' if count > 1 else ''} of data, {digest}"


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
    program, exchanged = _mover(array.shape, array.dtype, array.sharding, sharding)
    if not exchanged:
        return program(array)
    return run(program, "moving a tensor", exchanged, array)


@lru_cache(maxsize=1024)
def _mover(shape: tuple[int, ...], dtype: Any, source: Any, target: Any) -> tuple[Any, str]:
    """Return a compiled program that moves arrays, and what it exchanges."""
    with jax.enable_x64(True):
        argument = jax.ShapeDtypeStruct(shape, dtype, sharding=source)
        program = jax.jit(lambda value: value, out_shardings=target).lower(argument).compile()
    return program, exchanges(program)
