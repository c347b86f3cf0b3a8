"""SipHash-2-4 of one string, as machine code.

It takes eight rounds of fourteen operations on 64-bit words: half a microsecond each with Python's
integers. `ops.strings.hash` has the function in Python, for other processors.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from tapeflow._src.backends.machine_code import address_of_code

SipHash = Callable[[bytes, int, int, int], int]

# `hash(text, size, first key, second key)`, as System V calls functions.
_CODE = bytes.fromhex(
    "4989d0"  # mov r8, rdx
    "4989c9"  # mov r9, rcx
    "48b875657370656d6f73"  # movabs rax, 0x736f6d6570736575
    "4931c0"  # xor r8, rax
    "48b86d6f646e61726f64"  # movabs rax, 0x646f72616e646f6d
    "4931c1"  # xor r9, rax
    "4989d2"  # mov r10, rdx
    "48b86172656e6567796c"  # movabs rax, 0x6c7967656e657261
    "4931c2"  # xor r10, rax
    "4989cb"  # mov r11, rcx
    "48b87365747962646574"  # movabs rax, 0x7465646279746573
    "4931c3"  # xor r11, rax
    "4889f2"  # mov rdx, rsi
    "48c1e238"  # shl rdx, 0x38
    "4883fe08"  # next8: cmp rsi, 0x8
    "7218"  # jb rest
    "488b07"  # mov rax, [rdi]
    "4931c3"  # xor r11, rax
    "e851000000"  # call two
    "4931c0"  # xor r8, rax
    "4883c708"  # add rdi, 0x8
    "4883ee08"  # sub rsi, 0x8
    "ebe2"  # jmp next8
    "4885f6"  # rest: test rsi, rsi
    "7416"  # je last
    "48ffce"  # dec rsi
    "0fb60437"  # movzx eax, byte [rdi+rsi]
    "8d0cf500000000"  # lea ecx, [rsi*8+0x0]
    "48d3e0"  # shl rax, cl
    "4809c2"  # or rdx, rax
    "ebe5"  # jmp rest
    "4931d3"  # last: xor r11, rdx
    "e821000000"  # call two
    "4931d0"  # xor r8, rdx
    "4981f2ff000000"  # xor r10, 0xff
    "e812000000"  # call two
    "e80d000000"  # call two
    "4c89c0"  # mov rax, r8
    "4c31c8"  # xor rax, r9
    "4c31d0"  # xor rax, r10
    "4c31d8"  # xor rax, r11
    "c3"  # ret
    "e800000000"  # two: call one
    "4d01c8"  # one: add r8, r9
    "49c1c10d"  # rol r9, 0xd
    "4d31c1"  # xor r9, r8
    "49c1c020"  # rol r8, 0x20
    "4d01da"  # add r10, r11
    "49c1c310"  # rol r11, 0x10
    "4d31d3"  # xor r11, r10
    "4d01d8"  # add r8, r11
    "49c1c315"  # rol r11, 0x15
    "4d31c3"  # xor r11, r8
    "4d01ca"  # add r10, r9
    "49c1c111"  # rol r9, 0x11
    "4d31d1"  # xor r9, r10
    "49c1c220"  # rol r10, 0x20
    "c3"  # ret
)


@cache
def sip_hash() -> SipHash | None:
    """Return `hash(text, size, first key, second key)`; None where the code cannot run."""
    address = address_of_code(_CODE)
    if address is None:
        return None
    word = ctypes.c_uint64
    # It keeps the GIL: releasing it takes as long as a short string.
    call: Any = ctypes.PYFUNCTYPE(word, ctypes.c_char_p, ctypes.c_size_t, word, word)
    function: SipHash = call(address)
    return function
