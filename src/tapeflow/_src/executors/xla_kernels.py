"""Direct calls of compiled programs that are one loop.

A call by JAX takes 12 to 35 µs: arguments and results become arrays of its own. The code that it
runs in the end is one C function, which takes addresses. `compiled_loop` finds it in the program's
serialised form, where a program is nothing else; the call takes two microseconds, the result is
written where it is needed, and no thread is inside XLA.
"""

from __future__ import annotations

import ctypes
import math
import re
from operator import itemgetter
from typing import Any

import jax
import jaxlib
import numpy as np

from tapeflow._src.backends.memory import address, passing_array
from tapeflow._src.backends.object_code import MAGIC, LoadedFunction, UnsupportedCode
from tapeflow._src.backends.team import Task
from tapeflow._src.core.log import logger
from tapeflow._src.executors import xla_disk

# The versions whose serialised programs and whose convention of calls were checked.
_VERSIONS = ("0.10.",)
_PARAMETER = re.compile(r"%([\w.\-]+) = \S+ parameter\((\d+)\)")
# A loop of several operations, or one operation, whose function has a name of its own.
_ROOT = re.compile(r"ROOT %([\w.\-]+) = [^ (]\S* ([\w\-]+)\((%[^()]*)\)(, kind=kLoop)?")
_FUSION, _SINGLE = "fusion", "_kernel"
_WORD = ctypes.c_size_t
# How a loop is divided among threads, in the attributes of the operation.
_DIVISION = re.compile(r'"outer_dimension_partitions":\[([^\]]*)\]')
# Bytes that are compared; the bits of longer arrays are repeated.
_COMPARED = (1 << 20) - 3


class Kernel:
    """A compiled loop: call it with the addresses of its arguments and of its result.

    All of them are multiples of `ALIGNMENT`, and of the sizes that it was compiled for. The loop
    may be divided into `pieces`.
    """

    def __init__(
        self, function: LoadedFunction, specs: list[Any], order: list[int], pieces: int = 1
    ) -> None:
        self._function = function
        order = [*order, -1]
        self._sizes: list[Any] = [_bytes_of(specs[i]) for i in order]
        self._take = itemgetter(*order)
        # Of the result.
        self.shape, self.dtype = tuple(specs[-1].shape), np.dtype(specs[-1].dtype)
        self.pieces = pieces
        # XLA takes the smallest floating-point numbers for zeros.
        self._flushes = any(np.dtype(spec.dtype).kind == "f" for spec in specs[:-1])
        # Calls that no thread is making.
        self._idle: list[_Call] = []

    def __call__(self, *addresses: int) -> None:
        """Run the loop on this thread, without the interpreter's lock."""
        call = self._prepared(addresses)
        call.task.run()
        self._idle.append(call)

    def briefly(self, *addresses: int) -> None:
        """Run the loop with the interpreter's lock: for some microseconds it is not released."""
        call = self._prepared(addresses)
        call.task.run_briefly()
        self._idle.append(call)

    def on_cores(self, *addresses: int) -> None:
        """Run the pieces of the loop on all cores."""
        call = self._prepared(addresses)
        call.task.run_on_cores()
        self._idle.append(call)

    def _prepared(self, addresses: tuple[int, ...]) -> _Call:
        try:
            call = self._idle.pop()
        except IndexError:
            call = _Call(self._function, self._sizes, self.pieces, self._flushes)
        call.arguments[0::2] = self._take(addresses)
        return call


class _Call:
    """The memory of a call of a loop: addresses and sizes, and for each piece a frame."""

    def __init__(
        self, function: LoadedFunction, sizes: list[Any], pieces: int, flushes: bool
    ) -> None:
        self.arguments: Any = (_WORD * (2 * len(sizes)))()
        self.arguments[1::2] = sizes
        # XLA counts groups of work and their numbers along three axes.
        self._groups = (_WORD * 3)(pieces, 1, 1)
        self._numbers = [(_WORD * 3)(piece, 0, 0) for piece in range(pieces)]
        groups, arguments = ctypes.addressof(self._groups), ctypes.addressof(self.arguments)
        self._frames = [
            (_WORD * 4)(groups, ctypes.addressof(number), len(sizes), arguments)
            for number in self._numbers
        ]
        self.task = Task(function.address, list(map(ctypes.addressof, self._frames)), flushes)


def compiled_loop(
    lowered: Any, device: Any, old_emitter: bool = False
) -> tuple[Any, Kernel | None]:
    """Compile a program of one array as result, and return it and the loop that it consists of.

    There is no such loop if the program is more than that, or for another processor or version.
    """
    program, content = xla_disk.compiled_and_content(lowered, device, old_emitter)
    if not jaxlib.__version__.startswith(_VERSIONS):
        return program, None
    try:
        return program, _verified(program, content or xla_disk.serialized(program), lowered)
    except (UnsupportedCode, OSError, ValueError) as error:
        logger.debug("A compiled loop is called by JAX: %s", error)
        return program, None


def _verified(program: Any, content: bytes, lowered: Any) -> Kernel:
    first = content.find(MAGIC)
    if first < 0 or content.find(MAGIC, first + 1) >= 0:
        raise UnsupportedCode("The program is more than one function.")
    function = LoadedFunction(content[first:])
    order, pieces = _loop(program.as_text(), function.name)
    (result,) = jax.tree.leaves(lowered.out_info)
    specs = [*program.in_avals[0], result]
    kernel = Kernel(function, specs, order, pieces)
    _compare(program, kernel, specs)
    return kernel


def _loop(text: str, name: str) -> tuple[list[int], int]:
    """Return which parameters a program of one loop of this name takes, and into how many pieces
    the loop is divided.
    """
    entry = text[text.index("ENTRY ") :].splitlines()[1:]
    lines = [line.strip() for line in entry[: entry.index("}")]]
    parameters = [match for match in map(_PARAMETER.match, lines) if match]
    root = _ROOT.match(lines[-1])
    if root is None or len(lines) != len(parameters) + 1:
        raise UnsupportedCode("The program is more than one loop.")
    is_fusion = root[2] == _FUSION
    if name != (root[1] if is_fusion else root[1] + _SINGLE) or is_fusion != bool(root[4]):
        raise UnsupportedCode(f"The function {name!r} is no loop of the program.")
    numbers = {match[1]: int(match[2]) for match in parameters}
    division = _DIVISION.search(lines[-1])
    pieces = [int(part.strip(' "')) for part in division[1].split(",")] if division else []
    order = [numbers[operand.strip().lstrip("%")] for operand in root[3].split(",")]
    return order, math.prod(pieces)


def _bytes_of(spec: Any) -> int:
    return int(spec.size) * np.dtype(spec.dtype).itemsize


def _compare(compiled: Any, kernel: Kernel, specs: list[Any]) -> None:
    """Raise unless a direct call computes the same as one by JAX, of arbitrary bits."""
    bits = np.random.default_rng(0)
    arrays = [passing_array(spec.shape, spec.dtype) for spec in specs]
    for array in arrays:
        flat = array.reshape(-1).view(np.uint8)
        content = bits.integers(0, 256, min(array.nbytes, _COMPARED), np.uint8)
        for start in range(0, array.nbytes, _COMPARED):
            flat[start : start + _COMPARED] = content[: array.nbytes - start]
    kernel(*map(address, arrays))
    (result,) = jax.tree.leaves(compiled(*arrays[:-1]))
    expected, received = (
        np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (result, arrays[-1])
    )
    if not np.array_equal(expected, received):
        raise UnsupportedCode("A direct call computes something else.")
