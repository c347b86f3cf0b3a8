"""Runs machine code in pieces, on all cores, without the interpreter.

A `Task` is a C function and the arguments of its calls, one for each piece. Threads take the next
piece until there is none: a few instructions of machine code, so that no thread waits for the
interpreter's lock. OpenMP's threads run them where its library is there, as for oneDNN: they watch
for work for a moment before they sleep, and waking a sleeping thread takes longer than adding a
million numbers.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Sequence
from functools import cache, partial

from tapeflow._src.backends import openmp, threads
from tapeflow._src.backends.object_code import address_of, make_executable

_WORD = ctypes.c_size_t
# A task in memory: the function, the next piece, their number, bits that are set in the control
# word of the floating-point unit meanwhile, what the calls returned (or-ed), and the arguments.
_FUNCTION, _NEXT, _COUNT, _CONTROL, _FAILED, _ARGUMENTS = range(6)
# The control word's bits that make numbers below the normal ones zeros, of operands and results.
_FLUSH = 0x8040

# `run(task)`, for x86-64 as System V calls functions. The offsets are those of the words above.
_CODE = bytes.fromhex(
    "53"  # push rbx
    "4883ec10"  # sub rsp, 16
    "4889fb"  # mov rbx, rdi
    "0fae1c24"  # stmxcsr [rsp]
    "8b0424"  # mov eax, [rsp]
    "0b4318"  # or eax, [rbx + 24]
    "89442404"  # mov [rsp + 4], eax
    "0fae542404"  # ldmxcsr [rsp + 4]
    "b801000000"  # next: mov eax, 1
    "f0480fc14308"  # lock xadd [rbx + 8], rax
    "483b4310"  # cmp rax, [rbx + 16]
    "730e"  # jae done
    "488b7cc328"  # mov rdi, [rbx + 8 * rax + 40]
    "ff13"  # call [rbx]
    "f048094320"  # lock or [rbx + 32], rax
    "ebe1"  # jmp next
    "0fae1424"  # done: ldmxcsr [rsp]
    "4883c410"  # add rsp, 16
    "5b"  # pop rbx
    "c3"  # ret
)

_memory = mmap.mmap(-1, len(_CODE), prot=mmap.PROT_READ | mmap.PROT_WRITE)

_Call = Callable[[int], object]


class Task:
    """Calls of the function at an address, with each of `arguments`; they return 0 on success.

    flushes: whether numbers below the normal ones are zeros meanwhile.
    """

    def __init__(self, function: int, arguments: Sequence[int], flushes: bool) -> None:
        control = _FLUSH if flushes else 0
        head = (function, 0, len(arguments), control, 0)
        self._words = (_WORD * (len(head) + len(arguments)))(*head, *arguments)
        self._address = ctypes.addressof(self._words)
        self._run, self._run_locked = _runners()
        self._run_on_cores = _on_cores(len(arguments))

    def run(self) -> None:
        """Call the function for all pieces on this thread, without the interpreter's lock."""
        self._by(self._run)

    def run_briefly(self) -> None:
        """Like `run`, with the interpreter's lock: a few microseconds are not worth releasing it."""
        self._by(self._run_locked)

    def run_on_cores(self) -> None:
        """Call the function for the pieces on all cores."""
        self._by(self._run if _forked else self._run_on_cores)

    def _by(self, run: _Call) -> None:
        words = self._words
        words[_NEXT] = 0
        run(self._address)
        if words[_FAILED]:
            words[_FAILED] = 0
            raise RuntimeError("Compiled code failed.")


@cache
def _runners() -> tuple[_Call, _Call]:
    """Return the machine code as a function of a task's address, and the same with the lock.

    Raises `UnsupportedCode` where memory cannot be made executable.
    """
    _memory[:] = _CODE
    make_executable(_memory)
    address = address_of(_memory)
    return (
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address),
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(address),
    )


@cache
def _on_cores(pieces: int) -> _Call:
    """Return the function that runs a task of so many pieces on all cores."""
    count = min(pieces, threads.cores())
    run, _ = _runners()
    if count < 2:
        return run
    parallel = getattr(openmp.library(), "GOMP_parallel", None)
    if parallel is None:
        return partial(_on_pool, count)
    parallel.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
    parallel.restype = None
    code = ctypes.cast(run, ctypes.c_void_p).value  # type: ignore[arg-type]
    return lambda task: parallel(code, task, count, 0)


def _on_pool(count: int, task: int) -> None:
    run, _ = _runners()
    threads.for_each(lambda _: run(task), range(count))


def _in_child() -> None:
    """Stay on one thread in a forked process: OpenMP would wait for threads that are gone."""
    global _forked
    _forked = True


_forked = False
os.register_at_fork(after_in_child=_in_child)
