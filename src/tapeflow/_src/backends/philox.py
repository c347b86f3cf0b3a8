"""Philox4x32-10 as machine code: one block takes some ten nanoseconds.

`kernels.random.philox_host` has it for NumPy and for Python's integers, which other processors use.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from tapeflow._src.backends.machine_code import address_of_code

Philox = Callable[[int, int, int, int, int, int], None]

# `run(result, stream, steps, stride, regions, first)`.
_CODE = bytes.fromhex(
    "53"  # push rbx
    "55"  # push rbp
    "4154"  # push r12
    "4155"  # push r13
    "4156"  # push r14
    "4157"  # push r15
    "52"  # push rdx
    "51"  # push rcx
    "4150"  # push r8
    "488b5608"  # mov rdx, [rsi+8]
    "488b4e10"  # mov rcx, [rsi+16]
    "488b36"  # mov rsi, [rsi]
    "4c01ca"  # add rdx, r9
    "4883d100"  # adc rcx, 0
    "4989d2"  # region: mov r10, rdx
    "4989cb"  # mov r11, rcx
    "4c8b7c2410"  # mov r15, [rsp+16]
    "4489d3"  # block: mov ebx, r10d
    "4c89d5"  # mov rbp, r10
    "48c1ed20"  # shr rbp, 32
    "4589dc"  # mov r12d, r11d
    "4d89dd"  # mov r13, r11
    "49c1ed20"  # shr r13, 32
    "4189f0"  # mov r8d, esi
    "4989f1"  # mov r9, rsi
    "49c1e920"  # shr r9, 32
    "41be0a000000"  # mov r14d, 10
    "b8531f51d2"  # round: mov eax, 0xd2511f53
    "480fafc3"  # imul rax, rbx
    "bb578d9ecd"  # mov ebx, 0xcd9e8d57
    "490fafdc"  # imul rbx, r12
    "4989c4"  # mov r12, rax
    "49c1ec20"  # shr r12, 32
    "4531ec"  # xor r12d, r13d
    "4531cc"  # xor r12d, r9d
    "4189c5"  # mov r13d, eax
    "89d8"  # mov eax, ebx
    "48c1eb20"  # shr rbx, 32
    "31eb"  # xor ebx, ebp
    "4431c3"  # xor ebx, r8d
    "89c5"  # mov ebp, eax
    "4181c0b979379e"  # add r8d, 0x9e3779b9
    "4181c185ae67bb"  # add r9d, 0xbb67ae85
    "41ffce"  # dec r14d
    "75be"  # jne round
    "891f"  # mov [rdi], ebx
    "896f04"  # mov [rdi+4], ebp
    "44896708"  # mov [rdi+8], r12d
    "44896f0c"  # mov [rdi+12], r13d
    "4883c710"  # add rdi, 16
    "4983c201"  # add r10, 1
    "4983d300"  # adc r11, 0
    "49ffcf"  # dec r15
    "0f8578ffffff"  # jne block
    "4803542408"  # add rdx, [rsp+8]
    "4883d100"  # adc rcx, 0
    "48ff0c24"  # dec [rsp]
    "0f855affffff"  # jne region
    "4883c418"  # add rsp, 24
    "415f"  # pop r15
    "415e"  # pop r14
    "415d"  # pop r13
    "415c"  # pop r12
    "5d"  # pop rbp
    "5b"  # pop rbx
    "c3"  # ret
)


@cache
def philox() -> Philox | None:
    """Return `run(result, stream, steps, stride, regions, first)`; None where it cannot run.

    It writes `regions * steps` blocks, one at least, to the address `result`. `stream` is the
    address of 64 bits of key and 128 of counter. Regions are `stride` blocks apart, and the first
    one is `first` blocks after the counter.
    """
    return _typed(ctypes.PYFUNCTYPE)


@cache
def long_philox() -> Philox | None:
    """Return the same function for many blocks: it releases the GIL."""
    return _typed(ctypes.CFUNCTYPE)


def _typed(convention: Callable[..., Any]) -> Philox | None:
    address = address_of_code(_CODE)
    if address is None:
        return None
    pointer, word = ctypes.c_void_p, ctypes.c_uint64
    function: Philox = convention(None, pointer, pointer, word, word, word, word)(address)
    return function
