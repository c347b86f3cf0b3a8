"""URL-safe base64 of packed strings, all of them as one text.

Each string is padded to whole groups of three bytes, or of four letters, so that the codes of all
strings lie one behind the other in the code of the whole. Strings of at most 16 bytes are rows of
one width.
"""

from __future__ import annotations

import binascii
from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.packed import PackedStrings, copy_words, padded, target_for

_EQUALS = ord("=")


# Of strings of up to 16 bytes: all bits of the bytes inside, and letters for zeros beyond.
_PIECE = 16
_INSIDE: Any = np.tri(_PIECE + 1, _PIECE, -1, np.uint8).reshape(-1) * np.uint8(255)
_BEYOND: Any = ~_INSIDE & np.uint8(ord("A"))
# Letters of the code of so many bytes, and bytes of so many letters: -1 where there are none.
_LETTERS = (np.arange(_PIECE + 1) * 4 + 2) // 3
_BYTES = np.where(np.arange(_PIECE + 1) % 4 == 1, -1, np.arange(_PIECE + 1) * 3 // 4)
_INSIDE, _BEYOND = (bits.view(f"V{_PIECE}") for bits in (_INSIDE, _BEYOND))


def encoded(strings: PackedStrings, pad: bool) -> PackedStrings:
    """Encode strings, with `=` behind incomplete groups if requested."""
    sizes, longest = strings.sizes, strings.longest
    if longest < _PIECE:
        width = (longest + 2) // 3
        text, starts = _rows(strings, sizes, 3 * width, None), _steps(len(sizes), 4 * width)
    else:
        text, starts = _grouped(strings, sizes, (sizes + 2) // 3, 3, 0)
        starts = starts // 3 * 4
    # Quicker than a translation: most codes of words have none of these.
    code = binascii.b2a_base64(text, newline=False).replace(b"+", b"-").replace(b"/", b"_")
    if not pad:
        lengths = _LETTERS.take(sizes) if longest <= _PIECE else (sizes * 4 + 2) // 3
        return PackedStrings(padded(code), starts, lengths, strings.shape)
    groups = (sizes + 2) // 3
    letters = np.frombuffer(code, np.uint8).copy()
    ends = starts + groups * 4
    letters[ends[sizes % 3 != 0] - 1] = _EQUALS
    letters[ends[sizes % 3 == 1] - 2] = _EQUALS
    return PackedStrings(padded(letters.tobytes()), starts, groups * 4, strings.shape)


def decoded(strings: PackedStrings) -> PackedStrings | None:
    """Decode strings, or return None if one of them is no code."""
    sizes = strings.sizes
    if b"=" in strings.text:
        # How many of the last two letters are `=`.
        ends = strings.starts + sizes
        last = (strings.data.take(ends - 1, mode="clip") == _EQUALS) & (sizes > 0)
        before = last & (strings.data.take(ends - 2, mode="clip") == _EQUALS) & (sizes > 1)
        if bool((last & (sizes % 4 != 0)).any()):
            return None
        sizes = sizes - last - before
    if strings.longest <= _PIECE:
        lengths = _BYTES.take(sizes)
        if lengths.min(initial=0) < 0:
            return None
        width = (strings.longest + 3) // 4
        text, starts = _rows(strings, sizes, 4 * width, _BEYOND), _steps(len(sizes), 3 * width)
    else:
        if bool((sizes & 3 == 1).any()):
            return None
        lengths = sizes * 3 // 4
        text, starts = _grouped(strings, sizes, (sizes + 3) // 4, 4, ord("A"))
        starts = starts // 4 * 3
    if any(letter in text for letter in (b"+", b"/", b"=")):
        return None
    try:
        decoded = binascii.a2b_base64(text.replace(b"-", b"+").replace(b"_", b"/"))
    except binascii.Error:
        return None
    # Bytes that are no letters are skipped.
    if 4 * len(decoded) != 3 * len(text):
        return None
    return PackedStrings(padded(decoded), starts, lengths, strings.shape)


def _steps(count: int, step: int) -> np.ndarray:
    """Return so many positions, `step` apart."""
    return np.arange(0, count * step, step) if step else np.zeros(count, np.int64)


def _rows(strings: PackedStrings, sizes: np.ndarray, width: int, fill: Any) -> bytes:
    """Return strings of at most 16 bytes as rows of `width`.

    Behind a string stands what `fill` has for its size, or zeros.
    """
    pieces: Any = np.ndarray((len(strings.text) - _PIECE + 1,), f"V{_PIECE}", strings.text, 0, (1,))
    words = pieces[strings.starts].view(np.uint64)
    words &= _INSIDE.take(sizes).view(np.uint64)
    if fill is not None:
        words |= fill.take(sizes).view(np.uint64)
    count = len(sizes)
    rows: Any = np.ndarray(count, f"V{width}", words, 0, (_PIECE,)) if width else np.empty(0)
    return rows.tobytes()


def _grouped(
    strings: PackedStrings, sizes: np.ndarray, groups: np.ndarray, width: int, fill: int
) -> tuple[bytes, np.ndarray]:
    """Return strings one behind the other, filled up to groups of `width`, and where they begin."""
    lengths = groups * width
    starts = np.cumsum(lengths) - lengths
    length = int(lengths.sum())
    target = target_for(length)
    copy_words(strings.text, strings.starts, sizes, target, starts)
    gaps = lengths - sizes
    ends = starts + sizes
    for offset in range(width - 1):
        target[ends[gaps > offset] + offset] = fill
    return target[:length].tobytes(), starts
