"""Direct calls of compiled programs that are one loop.

A call by JAX takes 12 to 35 µs: arguments and results become arrays of its own. The code that it
runs in the end is one C function, which takes addresses. `kernel_of` finds it in the program's
serialised form, where a program is nothing else; the call takes two microseconds, the result is
written where it is needed, and no thread is inside XLA.
"""

from __future__ import annotations

import ctypes
import re
from operator import itemgetter
from typing import Any

import jax
import jaxlib
import numpy as np

from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.backends.object_code import MAGIC, LoadedFunction, UnsupportedCode
from tapeflow._src.core.log import logger
from tapeflow._src.executors import xla_disk

# The versions whose serialised programs and whose convention of calls were checked.
_VERSIONS = ("0.10.",)
_PARAMETER = re.compile(r"%([\w.\-]+) = \S+ parameter\((\d+)\)")
# A loop of several operations, or one operation, whose function has a name of its own.
_ROOT = re.compile(r"ROOT %([\w.\-]+) = [^ (]\S* ([\w\-]+)\((%[^()]*)\)(, kind=kLoop)?")
_FUSION, _SINGLE = "fusion", "_kernel"
_WORD = ctypes.c_size_t
# The only group of work, of three sizes, and its number.
_groups, _group = (_WORD * 3)(1, 1, 1), (_WORD * 3)(0, 0, 0)
_GROUPS, _GROUP = ctypes.addressof(_groups), ctypes.addressof(_group)
_Frame = _WORD * 4


class Kernel:
    """A compiled loop: call it with the addresses of its arguments and of its result.

    All of them are multiples of `ALIGNMENT`, and of the sizes that it was compiled for.
    """

    def __init__(self, function: LoadedFunction, specs: list[Any], order: list[int]) -> None:
        order = [*order, -1]
        sizes = [_bytes_of(spec) for spec in specs]
        # Of the result.
        self.shape, self.dtype = tuple(specs[-1].shape), np.dtype(specs[-1].dtype)
        self._function = function
        self._count = len(order)
        self._sizes: list[Any] = [sizes[i] for i in order]
        self._take = itemgetter(*order)
        self._arguments = _WORD * (2 * len(order))
        self._free = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function.address)
        self._brief = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function.address)

    def __call__(self, *addresses: int) -> None:
        """Run the loop without the interpreter's lock."""
        self._run(self._free, addresses)

    def briefly(self, *addresses: int) -> None:
        """Run the loop with the interpreter's lock: for some microseconds it is not released."""
        self._run(self._brief, addresses)

    def _run(self, call: Any, addresses: tuple[int, ...]) -> None:
        arguments = self._arguments()
        arguments[0::2], arguments[1::2] = self._take(addresses), self._sizes
        frame = _Frame(_GROUPS, _GROUP, self._count, _address_of(arguments))
        if call(_address_of(frame)):
            raise RuntimeError(f"The compiled loop {self._function.name} failed.")


_address_of = ctypes.addressof
# The floating-point environment of a thread, as glibc stores it: 28 bytes of the old coprocessor,
# then the word in which two bits make numbers below the normal ones zeros, of operands and results.
_Environment = ctypes.c_uint32 * 8
_FLUSH = 0x8040


class FlushingKernel(Kernel):
    """A compiled loop that takes and gives zeros for numbers below the normal ones, as XLA does."""

    def __init__(self, function: LoadedFunction, specs: list[Any], order: list[int]) -> None:
        super().__init__(function, specs, order)
        library = ctypes.PyDLL(None)
        try:
            self._get, self._set = library.fegetenv, library.fesetenv
        except AttributeError as error:
            raise UnsupportedCode("There is no floating-point environment.") from error

    def _run(self, call: Any, addresses: tuple[int, ...]) -> None:
        before = _Environment()
        self._get(before)
        flushing = _Environment.from_buffer_copy(before)
        flushing[7] |= _FLUSH
        try:
            self._set(flushing)
            super()._run(call, addresses)
        finally:
            self._set(before)


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
    order = _operands_of_loop(program.as_text(), function.name)
    (result,) = jax.tree.leaves(lowered.out_info)
    specs = [*program.in_avals[0], result]
    # XLA takes the smallest floating-point numbers for zeros.
    floats = any(np.dtype(spec.dtype).kind == "f" for spec in specs[:-1])
    kind = FlushingKernel if floats else Kernel
    kernel = kind(function, specs, order)
    _compare(program, kernel, specs)
    return kernel


def _operands_of_loop(text: str, name: str) -> list[int]:
    """Return the parameters that a program of one loop of this name takes, by their numbers."""
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
    return [numbers[operand.strip().lstrip("%")] for operand in root[3].split(",")]


def _bytes_of(spec: Any) -> int:
    return int(spec.size) * np.dtype(spec.dtype).itemsize


def _compare(compiled: Any, kernel: Kernel, specs: list[Any]) -> None:
    """Raise unless a direct call computes the same as one by JAX, of arbitrary bits."""
    bits = np.random.default_rng(0)
    arrays = [aligned_empty(spec.shape, spec.dtype) for spec in specs]
    for array in arrays:
        array.reshape(-1).view(np.uint8)[:] = bits.integers(0, 256, array.nbytes, np.uint8)
    kernel(*map(address, arrays))
    (result,) = jax.tree.leaves(compiled(*arrays[:-1]))
    expected = np.asarray(result)
    if expected.tobytes() != arrays[-1].tobytes():
        raise UnsupportedCode("A direct call computes something else.")
