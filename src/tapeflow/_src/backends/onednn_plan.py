"""Plans: oneDNN primitives created once per shape, then run over the caller's buffers.

A plan knows its primitives, the memory each of them reads and writes, and its number of threads. It
may be run by several threads at once: everything a run changes belongs to that run alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tapeflow._src.backends import openmp
from tapeflow._src.backends.memory import ALIGNMENT, address, aligned_empty
from tapeflow._src.backends.onednn_library import (
    Arg,
    DataType,
    Dims,
    ExecArg,
    Handle,
    Library,
    Query,
    library,
)

Array = npt.NDArray[Any]
Ints = Sequence[int]

# How many plans are cached for each kind of operation.
PLAN_CAPACITY = 512
_ANY_FORMAT = 1
# Below this many multiplications (about 150 µs on one core), waking other threads does not pay.
_TEAM_WORK = 8_000_000
_FLOAT32 = np.dtype(np.float32)
# A thread keeps its scratch memory between runs up to this size.
_CACHED_SCRATCH_BYTES = 64 << 20


def operands(op: str, *arrays: Array) -> tuple[Any, ...]:
    """Return the common element type of the arrays, then each of them C-contiguous."""
    dtype = arrays[0].dtype
    for array in arrays:
        if array.dtype != dtype:
            received = [array.dtype.name for array in arrays]
            raise TypeError(f"{op}: all arrays need the same dtype; received {received}")
    return data_type(op, dtype), *map(np.ascontiguousarray, arrays)


def data_type(op: str, dtype: np.dtype[Any]) -> DataType:
    """Return oneDNN's element type for `dtype`."""
    if dtype == _FLOAT32:
        return DataType.float32
    if dtype.name in DataType.__members__ and dtype.isnative:
        return DataType[dtype.name]
    raise TypeError(
        f"{op}: oneDNN computes in {', '.join(DataType.__members__)}, not in {dtype}; cast first"
    )


def activation_order(rank: int) -> tuple[int, ...]:
    """Return the axes of `[batch, *spatial, channels]` as oneDNN lists them: channels second."""
    return (0, rank + 1, *range(1, rank + 1))


def descriptor(shape: Sequence[int], order: Sequence[int], dtype: DataType) -> Handle:
    """Describe a C-contiguous buffer of `shape`, with its axes in oneDNN's `order`."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return library().create(
        "memory_desc",
        len(shape),
        Dims(*(shape[axis] for axis in order)),
        dtype,
        Dims(*(strides[axis] for axis in order)),
        using="memory_desc_create_with_strides",
    )


def free_descriptor(shape: Sequence[int], order: Sequence[int], dtype: DataType) -> Handle:
    """Describe the same values in whatever layout the primitive prefers."""
    return library().create(
        "memory_desc",
        len(shape),
        Dims(*(shape[axis] for axis in order)),
        dtype,
        _ANY_FORMAT,
        using="memory_desc_create_with_tag",
    )


class _Threads:
    """The number of threads of new plans."""

    def __init__(self) -> None:
        self.limit = 0  # 0: OpenMP's own number

    def in_child(self) -> None:
        # OpenMP's workers do not survive a fork, and a team that waits for them hangs; a team of
        # one waits for nobody.
        self.limit = 1


_threads = _Threads()
os.register_at_fork(after_in_child=_threads.in_child)


def set_num_threads(count: int) -> None:
    """Set oneDNN's number of threads; 0 leaves it to OpenMP (`OMP_NUM_THREADS`)."""
    if count < 0:
        raise ValueError(f"oneDNN can use 0 (automatic) or more threads, not {count}")
    _threads.limit = count


def num_threads() -> int:
    """Return the number of threads of new plans."""
    if _threads.limit:
        return _threads.limit
    ambient: int = library().omp_get_max_threads()
    return ambient


def threads_for(work: int, threads: int) -> int:
    """Return how many of `threads` to use for `work` multiplications."""
    return threads if work >= _TEAM_WORK else 1


class _Scratch(NamedTuple):
    """Memory for one run."""

    buffer: Array
    address: int


_NO_SCRATCH = _Scratch(np.empty(0, np.uint8), 0)


class _Runner:
    """The resources of a run: a stream, and scratch memory that is reused between runs."""

    def __init__(self) -> None:
        self.stream = library().new_stream()
        self._scratch = _NO_SCRATCH

    def scratch(self, size: int) -> _Scratch:
        """Return at least `size` bytes for the current run."""
        if self._scratch.buffer.size >= size:
            return self._scratch
        buffer = aligned_empty((size,), np.uint8)
        scratch = _Scratch(buffer, address(buffer))
        if size <= _CACHED_SCRATCH_BYTES:
            self._scratch = scratch
        return scratch


# Idle runners. They belong to runs, not to threads: threads that Python did not start have no
# thread-local memory between two calls from compiled code, and a signal handler that runs a plan in
# the middle of another's run finds none here and creates its own.
_idle_runners: list[_Runner] = []


def _take_runner() -> _Runner:
    try:
        return _idle_runners.pop()
    except IndexError:
        return _Runner()


@contextlib.contextmanager
def omp_threads(threads: int) -> Iterator[None]:
    """Set OpenMP's team size to `threads` inside the block; other users of OpenMP see no change."""
    loaded = library()
    before = loaded.omp_get_max_threads()
    loaded.omp_set_num_threads(threads)
    try:
        yield
    finally:
        loaded.omp_set_num_threads(before)


class _Step:
    """One primitive and the slot of memory behind each of its arguments."""

    def __init__(self, loaded: Library, desc: Handle, arguments: Mapping[Arg, int]) -> None:
        self.desc = desc  # slots borrow layouts from it
        self.primitive = loaded.create("primitive", desc)
        self.arguments = dict(arguments)
        self.threads: int = loaded.omp_get_max_threads()


class _Binding:
    """The memory objects of one run of a plan; used by one thread at a time."""

    def __init__(self, plan: Plan) -> None:
        loaded = plan.library
        memories = [loaded.create("memory", desc, loaded.engine, None) for desc in plan.slots]
        self.memories = [memory.value for memory in memories]
        self.base = -1
        self.addresses: Sequence[int] = ()
        self.steps = []
        for step in plan.steps:
            arguments = [ExecArg(arg, self.memories[slot]) for arg, slot in step.arguments.items()]
            array = (ExecArg * len(arguments))(*arguments)
            self.steps.append((step.threads, step.primitive.value, len(arguments), array))
        self._owned = memories


class Plan:
    """Primitives to run in order.

    Memory is named by slots: first the caller's buffers, one for each of `buffers`, then
    intermediate results and scratch memory, which a run takes from its thread. Steps run with the
    number of threads that OpenMP had when they were added.
    """

    def __init__(self, buffers: Sequence[Handle | int]) -> None:
        self.library = library()
        self._handles: list[Handle] = []
        self.steps: list[_Step] = []
        self._team = 1
        self.slots: list[Handle | int] = list(buffers)
        self._buffers = len(buffers)
        self._offsets: list[int] = []
        self._scratch_size = 0
        self._idle: list[_Binding] = []

    def intermediate(self, desc: Handle | int) -> int:
        """Return a slot for values described by `desc` that live for one run only."""
        self.slots.append(desc)
        self._offsets.append(self._scratch_size)
        size = self.library.memory_desc_get_size(desc)
        self._scratch_size += -(-size // ALIGNMENT) * ALIGNMENT
        return len(self.slots) - 1

    def step(self, desc: Handle, arguments: Mapping[Arg, int]) -> None:
        """Run the primitive described by `desc` next, over the slots in `arguments`."""
        scratchpad = self.library.primitive_desc_query_md(desc, Query.SCRATCHPAD, 0)
        if self.library.memory_desc_get_size(scratchpad):
            arguments = {**arguments, Arg.SCRATCHPAD: self.intermediate(scratchpad)}
        self.steps.append(_Step(self.library, desc, arguments))
        self._team = max(self._team, self.steps[-1].threads)

    def keep(self, desc: Handle) -> None:
        """Keep `desc`, from which a layout was borrowed, alive as long as the plan."""
        self._handles.append(desc)

    def layout(self, desc: Handle, query: Query) -> int:
        """Return the layout a primitive chose; borrowed from `desc`, which the plan must keep."""
        layout: int = self.library.primitive_desc_query_md(desc, query, 0)
        return layout

    def reorder(self, source: int, target: int) -> None:
        """Copy slot `source` to slot `target`, changing the layout."""
        loaded, engine = self.library, self.library.engine
        ends = (self.slots[source], engine, self.slots[target], engine)
        size = loaded.memory_desc_get_size(self.slots[source])
        with omp_threads(threads_for(size, loaded.omp_get_max_threads())):
            using = "reorder_primitive_desc_create"
            desc = loaded.create("primitive_desc", *ends, loaded.attributes, using=using)
            self.step(desc, {Arg.SRC: source, Arg.DST: target})

    def run(self, *addresses: int) -> None:
        """Run over buffers at `addresses`, which must stay alive until it returns."""
        runner = _take_runner()
        try:
            binding = self._idle.pop()
        except IndexError:
            binding = _Binding(self)
        scratch = runner.scratch(self._scratch_size)
        self._point(binding, addresses, scratch.address)
        self._execute(binding, runner.stream.value)
        # A run that raised leaves both to the garbage collector.
        _idle_runners.append(runner)
        self._idle.append(binding)

    def _point(self, binding: _Binding, addresses: Sequence[int], base: int) -> None:
        """Set the addresses of the memories of `binding` for the coming run."""
        point = self.library.memory_set_data_handle
        if addresses != binding.addresses:
            for memory, address in zip(binding.memories, addresses):
                point(memory, address)
            binding.addresses = addresses
        if base != binding.base:
            for memory, offset in zip(binding.memories[self._buffers :], self._offsets):
                point(memory, base + offset)
            binding.base = base

    def _execute(self, binding: _Binding, stream: int) -> None:
        execute, set_threads = self.library.primitive_execute, self.library.omp_set_num_threads
        ambient = team = self.library.omp_get_max_threads()
        if self._team > 1:
            openmp.keep_off(self._team)
        try:
            for threads, primitive, count, arguments in binding.steps:
                if threads != team:
                    set_threads(threads)
                    team = threads
                execute(primitive, stream, count, arguments)
        finally:
            if team != ambient:
                set_threads(ambient)
