"""Loads the machine code of one function from an ELF object file, as XLA's compiler emits it.

Only what such a function needs: its code and its constants, which refer to each other by absolute
addresses. Code that calls other functions is refused, with the exception of C's mathematics.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from dataclasses import dataclass

MAGIC = b"\x7fELF"
_X86_64 = 62
_PROGRAM, _SYMBOLS, _RELOCATIONS, _ZEROS = 1, 2, 4, 8
_ALLOCATED = 2
_FUNCTION = 2
_ABSOLUTE, _RELATIVE, _CALL = 1, 2, 4
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_EXTERNAL = frozenset(
    {"memset", "memcpy", "log", "logf", "log1p", "log1pf", "exp", "expf", "expm1", "expm1f"}
    | {"sin", "sinf", "cos", "cosf", "tan", "tanf", "tanh", "tanhf", "pow", "powf", "fmod", "fmodf"}
    | {"lgamma", "lgammaf", "sqrt", "sqrtf", "floor", "floorf", "rint", "rintf", "round", "roundf"}
    | {"atan2", "atan2f", "erf", "erff", "cbrt", "cbrtf"}
)


class UnsupportedCode(Exception):
    """An object file needs more than this loader does."""


@dataclass(frozen=True)
class _Section:
    name: int
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


@dataclass(frozen=True)
class _Symbol:
    name: str
    kind: int
    section: int
    value: int


class LoadedFunction:
    """The only function of an object file, in memory of its own: its name and its address."""

    def __init__(self, content: bytes) -> None:
        sections = _sections(content)
        offsets, size = _layout(sections)
        self._memory = mmap.mmap(-1, max(size, 1), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        base = address_of(self._memory)
        for index, start in offsets.items():
            section = sections[index]
            if section.kind == _PROGRAM:
                part = content[section.offset : section.offset + section.size]
                self._memory[start : start + section.size] = part
        symbols: list[_Symbol] = []
        for section in sections:
            if section.kind == _SYMBOLS:
                symbols = _symbols(content, section, sections[section.link])
        for section in sections:
            if section.kind == _RELOCATIONS and section.info in offsets:
                self._relocate(content, section, offsets, symbols, base)
        functions = [s for s in symbols if s.kind == _FUNCTION and s.section in offsets]
        if len(functions) != 1:
            raise UnsupportedCode(f"Expected one function, received {len(functions)}.")
        self.name = functions[0].name
        self.address = base + offsets[functions[0].section] + functions[0].value
        make_executable(self._memory)

    def _relocate(
        self,
        content: bytes,
        section: _Section,
        offsets: dict[int, int],
        symbols: list[_Symbol],
        base: int,
    ) -> None:
        """Write the addresses that code of one section refers to."""
        for offset, info, addend in _RELOCATION.iter_unpack(
            content[section.offset : section.offset + section.size]
        ):
            symbol = symbols[info >> 32]
            at = offsets[section.info] + offset
            if symbol.section in offsets:
                target = base + offsets[symbol.section] + symbol.value + addend
            elif symbol.section == 0 and symbol.name in _EXTERNAL:
                target = _external(symbol.name) + addend
            else:
                raise UnsupportedCode(f"The code refers to {symbol.name!r}.")
            kind = info & 0xFFFFFFFF
            if kind == _ABSOLUTE:
                struct.pack_into("<Q", self._memory, at, target)
            elif kind in (_RELATIVE, _CALL) and -(2**31) <= target - (base + at) < 2**31:
                struct.pack_into("<i", self._memory, at, target - (base + at))
            else:
                raise UnsupportedCode(f"Relocation {kind} of {symbol.name!r}.")


def address_of(memory: mmap.mmap) -> int:
    """Return the address of mapped memory; it is valid for as long as the object exists."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def make_executable(memory: mmap.mmap) -> None:
    """Make mapped memory executable, and no longer writable."""
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    mode = mmap.PROT_READ | mmap.PROT_EXEC
    if protect(address_of(memory), len(memory), mode):
        raise UnsupportedCode(f"Memory cannot be made executable: {ctypes.get_errno()}.")


def _external(name: str) -> int:
    """Return the address of a function of C's libraries."""
    for library in (None, "libm.so.6"):
        try:
            function = getattr(ctypes.CDLL(library), name)
        except (OSError, AttributeError):
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise UnsupportedCode(f"There is no function {name!r}.")


def _sections(content: bytes) -> list[_Section]:
    header = _HEADER.unpack_from(content)
    if header[0][:6] != MAGIC + b"\x02\x01" or header[2] != _X86_64:
        raise UnsupportedCode("Expected code for x86-64 processors.")
    first, size, count = header[6], header[11], header[12]
    rows = (_SECTION.unpack_from(content, first + i * size) for i in range(count))
    return [
        _Section(name, kind, flags, offset, length, link, info, alignment)
        for name, kind, flags, _, offset, length, link, info, alignment, _ in rows
    ]


def _layout(sections: list[_Section]) -> tuple[dict[int, int], int]:
    """Return where the sections of code and constants go, by their indices, and their size."""
    offsets, end = {}, 0
    for index, section in enumerate(sections):
        if section.flags & _ALLOCATED and section.kind in (_PROGRAM, _ZEROS):
            alignment = max(section.alignment, 1)
            offsets[index] = -(-end // alignment) * alignment
            end = offsets[index] + section.size
    return offsets, end


def _symbols(content: bytes, section: _Section, names: _Section) -> list[_Symbol]:
    text = content[names.offset : names.offset + names.size]
    rows = _SYMBOL.iter_unpack(content[section.offset : section.offset + section.size])
    return [
        _Symbol(text[name : text.index(b"\0", name)].decode(), info & 15, index, value)
        for name, info, _, index, value, _ in rows
    ]
