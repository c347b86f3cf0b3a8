"""Fills and arithmetic sequences of large arrays, as loops of machine code on all cores.

NumPy writes them one element after the other, or reads what it has written: both take twice the
time that memory does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from tapeflow._src.backends import threads
from tapeflow._src.backends.machine_code import address_of_code, load
from tapeflow._src.backends.memory import ALIGNMENT, address
from tapeflow._src.backends.team import Task

# Bytes from which on arrays are worth dividing.
LARGE = 1 << 20
# Bytes that a loop writes at once.
_STEP = 16

# Each takes the address of its arguments: where to write, how often, and what.
_FILL = bytes.fromhex(
    "488b4f08"  # mov rcx, [rdi + 8]
    "488b4710"  # mov rax, [rdi + 16]
    "488b3f"  # mov rdi, [rdi]
    "f348ab"  # rep stosq
    "31c0"  # xor eax, eax
    "c3"  # ret
)


def _sequence(addition: str) -> bytes:
    """Return the loop that adds numbers of some size by an instruction."""
    return bytes.fromhex(
        "488b4f08"  # mov rcx, [rdi + 8]
        "f30f6f4710"  # movdqu xmm0, [rdi + 16]
        "f30f6f4f20"  # movdqu xmm1, [rdi + 32]
        "488b3f"  # mov rdi, [rdi]
        "660f7f07"  # next: movdqa [rdi], xmm0
        f"{addition}"
        "4883c710"  # add rdi, 16
        "48ffc9"  # dec rcx
        "75ef"  # jnz next
        "31c0"  # xor eax, eax
        "c3"  # ret
    )


# By the bytes of a number: paddd and paddq xmm0, xmm1.
_SEQUENCES = {4: _sequence("660ffec1"), 8: _sequence("660fd4c1")}


def fill(flat: np.ndarray, value: np.ndarray) -> bool:
    """Fill a flat, aligned array with a number; return whether that is possible."""
    size = flat.dtype.itemsize
    if (
        8 % size
        or flat.dtype.hasobject
        or flat.dtype.kind in "SUT"
        or address_of_code(_FILL) is None
    ):
        return False
    pattern = np.full(8 // size, value, flat.dtype).view(np.uint64)
    count = flat.nbytes // _STEP
    pieces = _pieces(count)
    start = address(flat)
    _run(_FILL, [[start + _STEP * a, 2 * (b - a), int(pattern[0])] for a, b in pieces])
    flat[count * _STEP // size :] = value
    return True


def count(flat: np.ndarray, start: int, step: int) -> bool:
    """Write `start`, `start + step`, ... to a flat, aligned array; return whether possible.

    The numbers are those of its dtype, modulo their range.
    """
    size = flat.dtype.itemsize
    code = _SEQUENCES.get(size)
    if code is None or flat.dtype.kind not in "iu" or address_of_code(code) is None:
        return False
    width = _STEP // size
    distances = step * np.arange(width, dtype=object)
    increment = _words([step * width] * width, size)
    arguments = []
    for a, b in _pieces(len(flat) // width):
        numbers = _words(distances + (start + step * width * a), size)
        arguments.append([address(flat) + _STEP * a, b - a, *numbers, *increment])
    _run(code, arguments)
    rest = len(flat) % width
    for at in range(len(flat) - rest, len(flat)):
        flat[at] = np.array((start + step * at) % (1 << 8 * size), f"u{size}").astype(flat.dtype)
    return True


def _words(numbers: Sequence[int] | np.ndarray, size: int) -> list[int]:
    """Return the bits of integers of some size as words of 64 bits."""
    bits = np.array([number % (1 << 8 * size) for number in numbers], f"u{size}")
    words: list[int] = bits.view(np.uint64).tolist()
    return words


def _pieces(steps: int) -> list[tuple[int, int]]:
    """Divide so many steps evenly into pieces that begin on aligned addresses."""
    unit = ALIGNMENT // _STEP
    size = -(-steps // (threads.cores() * unit)) * unit
    return [(first, min(first + size, steps)) for first in range(0, steps, size)]


def _run(code: bytes, arguments: list[list[int]]) -> None:
    pieces = [(ctypes.c_size_t * len(words))(*words) for words in arguments]
    Task(load(code), list(map(ctypes.addressof, pieces)), flushes=False).run_on_cores()
