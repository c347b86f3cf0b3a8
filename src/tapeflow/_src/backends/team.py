"""Runs machine code in pieces, on all cores, without the interpreter.

A `Task` is a C function and the arguments of its calls, one for each piece. Threads take the next
piece until there is none: a few instructions of machine code, so that no thread waits for the
interpreter's lock. The caller takes pieces at once, and never waits for a thread that has not
begun: OpenMP does, and on two cores a thread that it wakes may stand behind the caller for 4 ms.
The other threads watch for work for 0.2 ms before they sleep, because waking one takes longer than
adding a hundred thousand numbers. They are the system's, not Python's.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache

from tapeflow._src.backends import threads
from tapeflow._src.backends.machine_code import load
from tapeflow._src.backends.separation import separation
from tapeflow._src.backends.signal_mask import without_signals

_WORD = ctypes.c_size_t
_HALF = ctypes.c_uint32
# A task in memory: the function, the next piece, their number, bits that are set in the control
# word of the floating-point unit meanwhile, what the calls returned (or-ed), and the arguments.
_NEXT, _FAILED = 1, 4
# The control word's bits that make numbers below the normal ones zeros, of operands and results.
_FLUSH = 0x8040

# `run(task)`, for x86-64 as System V calls functions. The offsets are those of the words above.
_RUN = bytes.fromhex(
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
# `help(board)`, the life of a thread. The board, which threads share, has four words of 32 bits:
# the number of the last call, and how many threads sleep, are at work, and exist; and two of 64:
# the task, and one of no pieces, which is there between calls.
_SLEEPING, _EXISTING = 1, 3
_HELP = bytes.fromhex(
    "53"  # push rbx
    "4154"  # push r12
    "4155"  # push r13
    "4889fb"  # mov rbx, rdi
    "448b23"  # mov r12d, [rbx]
    "b910270000"  # wait: mov ecx, 10000
    "443923"  # watch: cmp [rbx], r12d
    "7525"  # jne work
    "f390"  # pause
    "ffc9"  # dec ecx
    "75f5"  # jnz watch
    "f0ff4304"  # lock inc dword ptr [rbx + 4]
    "b8ca000000"  # mov eax, 202 (futex)
    "4889df"  # mov rdi, rbx
    "be80000000"  # mov esi, 128 (wait, in this process)
    "4489e2"  # mov edx, r12d
    "4531d2"  # xor r10d, r10d
    "0f05"  # syscall
    "f0ff4b04"  # lock dec dword ptr [rbx + 4]
    "ebd1"  # jmp wait
    "448b23"  # work: mov r12d, [rbx]
    "f0ff4308"  # lock inc dword ptr [rbx + 8]
    "488b7b10"  # mov rdi, [rbx + 16]
    "e872ffffff"  # call run
    "f0ff4b08"  # lock dec dword ptr [rbx + 8]
    "ebbb"  # jmp wait
)
# `lead(board, task)`: take part in a task; no thread has its address when that is done.
_LEAD = bytes.fromhex(
    "53"  # push rbx
    "4154"  # push r12
    "4883ec08"  # sub rsp, 8
    "4889fb"  # mov rbx, rdi
    "4989f4"  # mov r12, rsi
    "4c896310"  # mov [rbx + 16], r12
    "f0ff03"  # lock inc dword ptr [rbx]
    "837b0400"  # cmp dword ptr [rbx + 4], 0
    "7412"  # je awake
    "b8ca000000"  # mov eax, 202 (futex)
    "4889df"  # mov rdi, rbx
    "be81000000"  # mov esi, 129 (wake, in this process)
    "8b530c"  # mov edx, [rbx + 12]
    "0f05"  # syscall
    "4c89e7"  # awake: mov rdi, r12
    "e838ffffff"  # call run
    "488b4318"  # mov rax, [rbx + 24]
    "48874310"  # xchg [rbx + 16], rax
    "b910270000"  # stay: mov ecx, 10000
    "837b0800"  # poll: cmp dword ptr [rbx + 8], 0
    "740f"  # je over
    "f390"  # pause
    "ffc9"  # dec ecx
    "75f4"  # jnz poll
    "b818000000"  # mov eax, 24 (sched_yield)
    "0f05"  # syscall
    "ebe6"  # jmp stay
    "4883c408"  # over: add rsp, 8
    "415c"  # pop r12
    "5b"  # pop rbx
    "c3"  # ret
)
_CODE = _RUN + _HELP + _LEAD

_Call = Callable[[int], object]


class Task:
    """Calls of the function at an address, with each of `arguments`; they return 0 on success.

    flushes: whether numbers below the normal ones are zeros meanwhile.
    """

    def __init__(self, function: int, arguments: Sequence[int], flushes: bool) -> None:
        control = _FLUSH if flushes else 0
        head = (function, 0, len(arguments), control, 0)
        self._words = (_WORD * (len(head) + len(arguments)))(*head, *arguments)
        self.address = ctypes.addressof(self._words)
        self._run, self._run_locked = _runners()

    def run(self) -> None:
        """Call the function for all pieces on this thread, without the interpreter's lock."""
        self._by(self._run)

    def run_briefly(self) -> None:
        """Like `run`, with the interpreter's lock: releasing it takes a microsecond."""
        self._by(self._run_locked)

    def run_on_cores(self) -> None:
        """Call the function for the pieces on all cores."""
        self._by(_team().run)

    def _by(self, run: _Call) -> None:
        words = self._words
        words[_NEXT] = 0
        run(self.address)
        if words[_FAILED]:
            words[_FAILED] = 0
            raise RuntimeError("Compiled code failed.")


@cache
def _runners() -> tuple[_Call, _Call]:
    """Return `run` as a function of a task's address, and the same with the interpreter's lock."""
    return (
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(load(_CODE)),
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(load(_CODE)),
    )


class _Team:
    """Threads of the system that help with one task at a time."""

    def __init__(self) -> None:
        self._run, _ = _runners()
        self._nothing = Task(0, (), flushes=False)
        self._board = (_HALF * 8)()
        self._board_address = ctypes.addressof(self._board)
        for first in (4, 6):
            _WORD.from_buffer(self._board, first * 4).value = self._nothing.address
        lead = load(_CODE) + len(_RUN) + len(_HELP)
        self._lead = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lead)
        self._free = threading.Lock()
        self._threads = self._started(threads.cores() - 1)
        self._board[_EXISTING] = len(self._threads)
        self._keep_off = separation(self._threads, "pthread_setaffinity_np")

    def _started(self, count: int) -> list[int]:
        """Start threads, which never end."""
        # The threads have the mask of this one: signals are for those of Python.
        start = without_signals(ctypes.CDLL(None).pthread_create)
        code, board = ctypes.c_void_p(load(_CODE) + len(_RUN)), ctypes.c_void_p(self._board_address)
        started = []
        for _ in range(count):
            thread = _WORD()
            if start(ctypes.byref(thread), None, code, board):
                break
            started.append(thread.value)
        return started

    def run(self, task: int) -> None:
        """Run the task at an address, with the others unless they help another thread."""
        if not self._threads or not self._free.acquire(blocking=False):
            self._run(task)
            return
        try:
            if self._board[_SLEEPING]:
                self._keep_off()
            self._lead(self._board_address, task)
        finally:
            self._free.release()


_creating = threading.Lock()
_current: list[_Team] = []


def _team() -> _Team:
    """Return the team of this process, whose threads the first call starts."""
    if not _current:
        with _creating:
            if not _current:
                team = _Team()
                # Its threads never end, not even while Python does: its memory is never freed.
                for needed in (team, team._board, team._nothing, team._nothing._words):
                    ctypes.pythonapi.Py_IncRef(ctypes.py_object(needed))
                _current.append(team)
    return _current[0]


def _in_child() -> None:
    """Forget the team: a forked process has none of its parent's threads."""
    global _creating
    _creating = threading.Lock()
    _current.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
