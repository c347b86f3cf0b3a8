"""Collectives between processes: JAX's coordination service to meet, Gloo to exchange buffers.

The processes have a client of their own: everything else in a process stays on its local devices.
JAX's coordination service introduces them to each other, and they leave it after the first
collective. It ends the process, without an exception, when another process is missing; Gloo's
connections report that as an error.

A program takes a few flat buffers, one per dtype. Their sizes are rounded up, so that few programs
serve all structures of arrays.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import _jax, xla_client

from tapeflow._src.backends import jax_device
from tapeflow._src.backends.memory import ALIGNMENT, aligned_empty
from tapeflow._src.core.errors import UnavailableError
from tapeflow._src.executors import exiting

_AXIS = "workers"
# Longer than any program: JAX must not end a process because another one is slow.
_NO_TIMEOUT_SECONDS = 10**6
# Sizes of buffers are powers of two up to here, and beyond that multiples of an eighth of one.
_LEAST_BYTES = 1 << 10
_SMALL_BYTES = 1 << 16


class _Part(NamedTuple):
    """Where an array lies in the packed buffers."""

    buffer: int
    start: int
    size: int
    shape: tuple[int, ...]


class _Packing(NamedTuple):
    """How arrays are packed: the dtypes and sizes of the buffers, and the parts of the arrays."""

    buffers: tuple[tuple[np.dtype[Any], int], ...]
    used: tuple[int, ...]
    parts: tuple[_Part, ...]


def _rounded(size: int, item: int) -> int:
    """Return the number of elements of the buffer for `size` elements of so many bytes."""
    length = max(size * item, _LEAST_BYTES)
    power = 1 << (length - 1).bit_length()
    step = power if power <= _SMALL_BYTES else power // 8
    return -(-length // step) * step // item


@cache
def _packing(specs: tuple[tuple[np.dtype[Any], tuple[int, ...]], ...]) -> _Packing:
    indices: dict[np.dtype[Any], int] = {}
    used: list[int] = []
    parts = []
    for dtype, shape in specs:
        index = indices.setdefault(dtype, len(indices))
        if index == len(used):
            used.append(0)
        size = math.prod(shape)
        parts.append(_Part(index, used[index], size, shape))
        step = max(1, ALIGNMENT // dtype.itemsize)
        used[index] += -(-size // step) * step
    buffers = tuple((dtype, _rounded(used[i], dtype.itemsize)) for dtype, i in indices.items())
    return _Packing(buffers, tuple(used), tuple(parts))


class Collectives:
    """The collectives of one process: each call waits for the same call of all others.

    coordinator: address of JAX's coordination service, which process 0 starts. host: the address
    by which the other processes reach this one. devices: how many each process has; collectives
    use the first of each. stay: whether other groups of devices will exchange something later: they
    meet at the coordination service. Then it must not be reached directly, see `relay`.
    """

    def __init__(
        self,
        coordinator: str,
        rank: int,
        size: int,
        host: str,
        timeout_seconds: int,
        devices: int = 1,
        stay: bool = False,
    ) -> None:
        self.rank, self.size = rank, size
        self._lock = threading.Lock()
        self._programs: dict[Any, Any] = {}
        service = None
        if rank == 0:
            service = _jax.get_distributed_runtime_service(
                f"[::]:{coordinator.rsplit(':', 1)[1]}",
                size,
                heartbeat_timeout=_NO_TIMEOUT_SECONDS,
                cluster_register_timeout=timeout_seconds,
                shutdown_timeout=_NO_TIMEOUT_SECONDS,
            )
        client = _jax.get_distributed_runtime_client(
            coordinator,
            rank,
            init_timeout=timeout_seconds,
            shutdown_timeout=_NO_TIMEOUT_SECONDS,
            heartbeat_timeout=_NO_TIMEOUT_SECONDS,
            shutdown_on_destruction=False,
            use_compression=False,
        )
        client.connect()
        gloo = _jax.make_gloo_tcp_collectives(distributed_client=client, hostname=host)
        with jax_device.enough_threads(devices):
            self._client = xla_client.make_cpu_client(
                asynchronous=False,
                distributed_client=client,
                node_id=rank,
                num_nodes=size,
                collectives=gloo,
                num_devices=devices,
            )
        ordered = sorted(self._client.devices(), key=lambda device: device.id)
        # The devices of each process, by rank.
        self.devices = [[d for d in ordered if d.process_index == i] for i in range(size)]
        self._device = self.devices[rank][0]
        self.mesh = Mesh(np.array([own[0] for own in self.devices], object), (_AXIS,))
        self._sharded = NamedSharding(self.mesh, PartitionSpec(_AXIS))
        # The first collective connects all processes with each other.
        self.all_reduce([np.ones(1, np.float32)])
        if stay:
            _keep(client, service)
            return
        client.shutdown()
        if service is not None:
            service.shutdown()

    def all_reduce(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the sums over all processes; shapes and dtypes are the same everywhere."""
        return self._run("sum", arrays)

    def all_gather(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the arrays of all processes, stacked; shapes are the same everywhere."""
        stacked = self._run("gather", [_as_words(array) for array in arrays])
        return [
            _from_words(words, array.dtype, (self.size, *array.shape))
            for words, array in zip(stacked, arrays, strict=True)
        ]

    def broadcast(self, arrays: Sequence[np.ndarray], root: int = 0) -> list[np.ndarray]:
        """Return the arrays of one process; shapes and dtypes are the same everywhere."""
        own = self.rank == root
        words = [_as_words(array) for array in arrays]
        sums = self._run("sum", [each if own else np.zeros_like(each) for each in words])
        return [
            _from_words(summed, array.dtype, array.shape)
            for summed, array in zip(sums, arrays, strict=True)
        ]

    def _run(self, kind: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        if not arrays:
            return []
        packing = _packing(tuple((array.dtype, array.shape) for array in arrays))
        buffers = []
        for (dtype, size), used in zip(packing.buffers, packing.used, strict=True):
            buffer = aligned_empty((size,), dtype)
            buffer[used:] = 0
            buffers.append(buffer)
        for array, part in zip(arrays, packing.parts, strict=True):
            target = buffers[part.buffer][part.start : part.start + part.size]
            target.reshape(part.shape)[...] = array
        results = self._exchanged(kind, packing.buffers, buffers)
        leading = (self.size,) if kind == "gather" else ()
        return [
            results[part.buffer][..., part.start : part.start + part.size].reshape(
                (*leading, *part.shape)
            )
            for part in packing.parts
        ]

    @exiting.enters_xla
    def _exchanged(self, kind: str, key: Any, buffers: list[np.ndarray]) -> list[np.ndarray]:
        """Return the buffers of all processes, combined."""
        if exiting.leaving:
            exiting.park()
        with self._lock, jax.enable_x64(True):
            program = self._programs.get((kind, key))
            if program is None:
                program = self._programs[kind, key] = self._compiled(kind, key)
            try:
                arguments = [
                    jax.make_array_from_single_device_arrays(
                        (self.size * buffer.shape[0],),
                        self._sharded,
                        [jax.device_put(buffer, self._device)],
                    )
                    for buffer in buffers
                ]
                return [np.asarray(result.addressable_data(0)) for result in program(*arguments)]
            except jax.errors.JaxRuntimeError as error:
                raise UnavailableError(None, None, str(error)) from error

    def _compiled(self, kind: str, buffers: Any) -> Any:
        def combined(*values: Any) -> Any:
            if kind == "sum":
                return jax.lax.psum(values, _AXIS)
            return tuple(jax.lax.all_gather(value, _AXIS) for value in values)

        program = jax.shard_map(
            combined,
            mesh=self.mesh,
            in_specs=PartitionSpec(_AXIS),
            out_specs=PartitionSpec(),
            check_vma=False,
        )
        arguments = [
            jax.ShapeDtypeStruct((self.size * size,), dtype, sharding=self._sharded)
            for dtype, size in buffers
        ]
        return jax.jit(program).lower(*arguments).compile()


def _keep(*objects: Any) -> None:
    """Keep objects until the process has ended: their destructors would end other processes."""
    for each in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


def _as_words(array: np.ndarray) -> np.ndarray:
    """Return the bytes of an array of any dtype as numbers that add to zero exactly."""
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    words = np.zeros(-(-content.size // 4), np.uint32)
    words.view(np.uint8)[: content.size] = content
    return words


def _from_words(words: np.ndarray, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Undo `_as_words`; the leading axes of `words` are those of `shape`."""
    leading = words.shape[:-1]
    length = math.prod(shape[len(leading) :]) * dtype.itemsize
    content = np.ascontiguousarray(words).view(np.uint8)[..., :length]
    return np.ascontiguousarray(content).reshape(-1).view(dtype).reshape(shape)
