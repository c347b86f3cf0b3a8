"""URL-safe base64 of packed strings, all of them as one text.

Each string is padded to whole groups of three bytes, or of four letters, so that the codes of all
strings lie one behind the other in the code of the whole.
"""

from __future__ import annotations

import binascii

import numpy as np

from tapeflow._src.kernels.strings.packed import PackedStrings, copy_words, padded, target_for

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
# The number of each letter; of other bytes one that is too large.
_NUMBERS = np.full(256, 255, np.uint8)
_NUMBERS[np.frombuffer(_LETTERS, np.uint8)] = np.arange(64)
_EQUALS = ord("=")


def encoded(strings: PackedStrings, pad: bool) -> PackedStrings:
    """Encode strings, with `=` behind incomplete groups if requested."""
    sizes = strings.sizes
    groups = (sizes + 2) // 3
    text, starts = _grouped(strings, sizes, groups, 3, 0)
    code = binascii.b2a_base64(text, newline=False).translate(_URL_SAFE)
    starts = starts // 3 * 4
    if not pad:
        return PackedStrings(padded(code), starts, (sizes * 4 + 2) // 3, strings.shape)
    letters = np.frombuffer(code, np.uint8).copy()
    ends = starts + groups * 4
    letters[ends[sizes % 3 != 0] - 1] = _EQUALS
    letters[ends[sizes % 3 == 1] - 2] = _EQUALS
    return PackedStrings(padded(letters.tobytes()), starts, groups * 4, strings.shape, True)


def decoded(strings: PackedStrings) -> PackedStrings | None:
    """Decode strings, or return None if one of them is no code."""
    ends = strings.starts + strings.sizes
    data = strings.data
    # How many of the last two letters are `=`.
    last = (data.take(ends - 1, mode="clip") == _EQUALS) & (strings.sizes > 0)
    before = last & (data.take(ends - 2, mode="clip") == _EQUALS) & (strings.sizes > 1)
    sizes = strings.sizes - last - before
    if bool((last & (strings.sizes % 4 != 0)).any()) or bool((sizes % 4 == 1).any()):
        return None
    text, starts = _grouped(strings, sizes, (sizes + 3) // 4, 4, ord("A"))
    numbers = _NUMBERS.take(np.frombuffer(text, np.uint8))
    if numbers.max(initial=0) > 63:
        return None
    return PackedStrings(padded(_bytes_of(numbers)), starts // 4 * 3, sizes * 3 // 4, strings.shape)


def _bytes_of(numbers: np.ndarray) -> bytes:
    """Return the three bytes of every four numbers of six bits."""
    halves = np.uint32(0x00FF00FF)
    groups = numbers.view("<u4")
    pairs = (groups & halves) << np.uint32(6)
    pairs |= groups >> np.uint32(8) & halves
    whole = (pairs << np.uint32(20)) | (pairs >> np.uint32(16) << np.uint32(8))
    # Elements of three bytes are copied as such; rows of three would be copied byte by byte.
    return np.ndarray(len(whole), "V3", whole.astype(">u4"), 0, (4,)).tobytes()


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
