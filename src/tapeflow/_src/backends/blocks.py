"""Kernels on blocks of large arrays, on all cores: by elements, or by rows.

A block with its temporaries fits the cache that cores share, and takes long enough for threads that
wait for the GIL between NumPy's calls not to hold each other up. A kernel that is one call of a
NumPy function writes into the result directly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.backends import array_memory, machine_loops, threads
from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.types import Array

# Elements of a block: a megabyte of float32.
BLOCK = 1 << 18

# Pieces that each core takes of work without temporaries.
_PIECES = 4
# Elements that fit a core's own cache.
_ROW = 1 << 14

Kernel = Callable[..., Any]


class _Recorded(NamedTuple):
    """A call of a NumPy function by a kernel."""

    function: np.ufunc
    arguments: tuple[Any, ...]


class _Recorder:
    """NumPy as kernels see it, but for element-wise functions, which return what they received."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(xp, name)
        if isinstance(value, np.ufunc):
            return lambda *arguments: _Recorded(value, arguments)
        return value


_RECORDER = _Recorder()


class SingleCall(NamedTuple):
    """A kernel that is one call: a function, and for each argument an operand or a constant."""

    function: np.ufunc
    operands: tuple[int | None, ...]
    constants: tuple[Any, ...]
    dtype: np.dtype[Any]

    def into(self, result: Array, arrays: Sequence[Array]) -> None:
        """Compute the call on `arrays` into `result`."""
        arguments = [
            constant if operand is None else arrays[operand]
            for operand, constant in zip(self.operands, self.constants)
        ]
        self.function(*arguments, out=result)


def single_call(
    kernel: Kernel, dtypes: Sequence[np.dtype[Any]], attrs: dict[str, Any]
) -> SingleCall | None:
    """Return the one call that a kernel consists of, or None if it does more than that."""
    samples = [np.ones(1, dtype) for dtype in dtypes]
    try:
        recorded = kernel(_RECORDER, *samples, **attrs)
    except Exception:
        return None  # it computes with the result of a call
    if type(recorded) is not _Recorded or recorded.function.nout != 1:
        return None
    indices = {id(sample): index for index, sample in enumerate(samples)}
    operands = tuple(indices.get(id(argument)) for argument in recorded.arguments)
    for operand, argument in zip(operands, recorded.arguments):
        if operand is None and (type(argument) is _Recorded or np.ndim(argument)):
            return None
    dtype = recorded.function(*recorded.arguments).dtype
    return SingleCall(recorded.function, operands, recorded.arguments, dtype)


class Split(NamedTuple):
    """Operands cut along the first axis of their result; flat where all have its shape."""

    views: list[Array]
    cut: list[bool]
    shape: tuple[int, ...]
    step: int

    def block(self, start: int) -> list[Array]:
        """Return the operands of the block that begins at `start`."""
        return [v[start : start + self.step] if c else v for v, c in zip(self.views, self.cut)]


def piece(size: int) -> int:
    """Return how many of `size` elements are computed at once where there are no temporaries.

    The fewer the pieces, the fewer times do threads wait for the GIL.
    """
    return max(BLOCK, size // (_PIECES * threads.cores()))


def split(arrays: Sequence[Array], temporaries: bool = True) -> Split | None:
    """Cut operands that are broadcast against each other into blocks; None if there is one."""
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    size = math.prod(shape)
    if size < 2 * BLOCK:
        return None
    views = list(arrays)
    if all(
        array.size == 1 or (array.shape == shape and array.flags.c_contiguous) for array in views
    ):
        views = [array.reshape(()) if array.size == 1 else array.reshape(-1) for array in views]
        shape = (size,)
    if shape[0] < 2:
        return None
    cut = [view.ndim == len(shape) and len(view) == shape[0] for view in views]
    block = BLOCK if temporaries else piece(size)
    return Split(views, cut, shape, max(1, block * shape[0] // size))


def run(
    kernel: Kernel, arrays: Sequence[Array], attrs: dict[str, Any], call: SingleCall | None
) -> Array:
    """Run an element-wise kernel on all blocks; `call`: what `single_call` returned for it."""
    parts = split(arrays, temporaries=call is None)
    if parts is None:
        raise ValueError(f"{len(arrays)} operands are one block")
    step, first = parts.step, 0
    if call is None:
        start: Any = kernel(xp, *parts.block(0), **attrs)
        rows = np.empty(parts.shape, start.dtype)
        rows[:step] = start
        first = step
    else:
        rows = np.empty(parts.shape, call.dtype)

    def work(start: int) -> None:
        token = xp.silence()
        try:
            target, block = rows[start : start + step], parts.block(start)
            if call is None:
                target[...] = kernel(xp, *block, **attrs)
            else:
                call.into(target, block)
        finally:
            xp.unsilence(token)

    threads.for_each(work, range(first, parts.shape[0], step))
    return rows.reshape(np.broadcast_shapes(*[array.shape for array in arrays]))


def filled(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """Return an array filled with a number; a large one by all cores."""
    if math.prod(shape) * dtype.itemsize < machine_loops.LARGE:
        small = np.empty(shape, dtype)
        small.fill(value)
        return small
    result = array_memory.empty(shape, dtype)
    flat = result.reshape(-1)
    if machine_loops.fill(flat, value):
        return result
    # To copy a row that is in the cache takes half the time of writing the numbers one by one.
    row = np.full(min(_ROW, flat.size), value, dtype)
    rest = flat.size % row.size
    flat[flat.size - rest :].fill(value)
    rows = flat[: flat.size - rest].reshape(-1, row.size)
    step = -(-len(rows) // threads.cores())
    starts = range(0, len(rows), step)
    threads.for_each(lambda start: np.copyto(rows[start : start + step], row), starts)
    return result


def counted(start: int, step: int, size: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Return `size` integers from `start` on, `step` apart; many on all cores."""
    if size * dtype.itemsize < machine_loops.LARGE:
        return np.arange(start, start + size * step, step, dtype=dtype)
    result = array_memory.empty((size,), dtype)
    if machine_loops.count(result, start, step):
        return result
    # Each part is an earlier one plus a number, which takes half the time of NumPy's loop.
    done, eighth = _ROW, size // 8
    result[:done] = np.arange(start, start + done * step, step, dtype=dtype)

    def extend(at: int, most: int) -> None:
        part = result[at : at + most]
        # The distance modulo the range of the dtype: it may be twice as large as its numbers.
        distance = np.array(at * step % (1 << 8 * dtype.itemsize), f"u{dtype.itemsize}")
        np.add(result[: part.size], distance.view(dtype), out=part)

    while done < eighth:
        extend(done, min(done, eighth - done))
        done = min(2 * done, eighth)

    threads.for_each(lambda at: extend(at, done), range(done, size, done))
    return result


def joined(arrays: Sequence[Array], axis: int) -> np.ndarray:
    """Concatenate arrays of one dtype along an axis; large ones on all cores."""
    size = sum(array.size for array in arrays)
    others = {(*array.shape[:axis], *array.shape[axis + 1 :]) for array in arrays}
    if size < 2 * BLOCK or arrays[0].dtype.hasobject or len(others) > 1:
        return np.concatenate(arrays, axis)  # it refuses other shapes
    before = (slice(None),) * axis
    shape = list(arrays[0].shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    result = array_memory.empty(tuple(shape), arrays[0].dtype)
    copies: list[tuple[Any, Any]] = []
    offset = 0
    for array in arrays:
        end = offset + array.shape[axis]
        copies.append((result[(*before, slice(offset, end))], array))
        offset = end
    _copy_all(copies)
    return result


def padded(array: Array, widths: Sequence[Sequence[int]], fill: Any) -> np.ndarray:
    """Surround a large array by `fill`: so many elements before and after along each axis."""
    shape = tuple(b + n + a for n, (b, a) in zip(array.shape, widths, strict=True))
    result = array_memory.empty(shape, array.dtype)
    inside: tuple[slice, ...] = ()
    for size, (before, after) in zip(shape, widths):
        result[(*inside, slice(before))] = fill
        result[(*inside, slice(size - after, size))] = fill
        inside = (*inside, slice(before, size - after))
    _copy_all([(result[inside], array)])
    return result


def _copy_all(copies: Sequence[tuple[Any, Any]]) -> None:
    """Copy arrays to others of the same shapes, on all cores."""
    pieces: list[tuple[Any, Any]] = []
    for target, array in copies:
        step = max(1, -(-len(array) // threads.cores()))
        starts = range(0, len(array), step)
        pieces += [(target[i : i + step], array[i : i + step]) for i in starts]
    threads.for_each(lambda piece: np.copyto(*piece), pieces)


def rows_of(array: Array) -> int | None:
    """Return how many rows, along the last axis, are a block; None if all are one."""
    if array.ndim < 2 or array.size < 2 * BLOCK or not array.flags.c_contiguous:
        return None
    return max(1, BLOCK // array.shape[-1])


def folds(array: Array, axis: Array) -> bool:
    """Whether a reduction of `array` is divided among the cores, along its first axis."""
    if array.ndim == 0 or array.size < 2 * BLOCK or threads.cores() < 2:
        return False
    if 0 not in (at % array.ndim for at in axis.reshape(-1).tolist()):
        return True
    # Sums of float16 and truncated means of integers are rounded once.
    return (array.dtype.itemsize >= 4 and array.dtype.kind in "fc") or array.dtype.kind == "b"


def run_folded(kernel: Kernel, array: Array, axis: Array, keep_dims: bool) -> Any:
    """Run a reduction on parts of `array`, equal ones where they are reduced again."""
    axes = [at % array.ndim for at in axis.reshape(-1).tolist()]
    length = array.shape[0]
    if 0 in axes:
        parts = 2 * threads.cores()
        while length % parts:
            parts -= 1
        step = length // parts
    else:
        step = max(1, piece(array.size) * length // array.size)
        parts = -(-length // step)
    if parts < 2:
        return kernel(xp, array, axis, keep_dims=keep_dims)
    results: list[Any] = [None] * parts

    def work(part: int) -> None:
        token = xp.silence()
        try:
            block = array[part * step : (part + 1) * step]
            results[part] = kernel(xp, block, axis, keep_dims=True)
        finally:
            xp.unsilence(token)

    threads.for_each(work, range(parts))
    total = np.concatenate(results)
    if 0 in axes:
        total = np.asarray(kernel(xp, total, np.zeros(1, axis.dtype), keep_dims=True))
    if keep_dims:
        return total
    return total.reshape([size for at, size in enumerate(array.shape) if at not in axes])


def run_rows(kernel: Kernel, arrays: Sequence[Array], attrs: dict[str, Any]) -> Any:
    """Run a kernel on all blocks of the rows of its first operand."""
    first, *rest = arrays
    step = rows_of(first)
    if step is None:
        raise ValueError("the rows are one block")
    flat = first.reshape(-1, first.shape[-1])
    start: Any = kernel(xp, flat[:step], *rest, **attrs)
    several = isinstance(start, (tuple, list))
    parts = start if several else [start]
    results = [np.empty((len(flat), *part.shape[1:]), part.dtype) for part in parts]
    for result, part in zip(results, parts):
        result[:step] = part

    def work(start: int) -> None:
        token = xp.silence()
        try:
            block = kernel(xp, flat[start : start + step], *rest, **attrs)
        finally:
            xp.unsilence(token)
        for result, part in zip(results, block if several else [block]):
            result[start : start + step] = part

    threads.for_each(work, range(step, len(flat), step))
    shaped = [result.reshape(*first.shape[:-1], *result.shape[1:]) for result in results]
    return tuple(shaped) if several else shaped[0]
