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

from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends import threads
from tapeflow._src.core.types import Array

# Elements of a block: a megabyte of float32.
BLOCK = 1 << 18

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


def split(arrays: Sequence[Array]) -> Split | None:
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
    return Split(views, cut, shape, max(1, BLOCK * shape[0] // size))


def run(
    kernel: Kernel, arrays: Sequence[Array], attrs: dict[str, Any], call: SingleCall | None
) -> Array:
    """Run an element-wise kernel on all blocks; `call`: what `single_call` returned for it."""
    parts = split(arrays)
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


def rows_of(array: Array) -> int | None:
    """Return how many rows, along the last axis, are a block; None if all are one."""
    if array.ndim < 2 or array.size < 2 * BLOCK or not array.flags.c_contiguous:
        return None
    return max(1, BLOCK // array.shape[-1])


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
