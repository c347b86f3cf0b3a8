"""Dictionary-encoded vectors of strings: distinct values, and codes into them.

Words of texts repeat: of 400,000 there may be 10,000 distinct ones. An op that returns many words
creates one `bytes` object per distinct word, and counting or lookup then works on the distinct
ones. The array is read-only and plain outside of this file; its encoding belongs to its base
memory, so that views of all of it share it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.words import (
    MOST_WORDS,
    TextWords,
    byte_sizes,
    group_words,
    read_words,
)


class EncodedStrings(np.ndarray[Any, Any]):
    """A dictionary-encoded vector of strings.

    Attributes:
        first: the first index of each distinct string, in that order.
        codes: for each string, the index of its distinct value.
    """

    first: np.ndarray
    codes: np.ndarray


def encoded(different: np.ndarray, first: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the vector `different[codes]`, where `different` are the distinct strings."""
    # It owns its memory, so that it is the base of its views.
    array = EncodedStrings(len(codes), object)
    different.take(codes, out=array)
    array.first, array.codes = first, codes
    array.flags.writeable = False
    return np.asarray(array)


def encoding_of(array: Any) -> EncodedStrings | None:
    """Return the encoding of an array of any shape with all strings of an encoded vector."""
    base: Any = array
    while base is not None and type(base) is not EncodedStrings:
        base = base.base if isinstance(base, np.ndarray) else None
    if base is None or base.size != array.size or not array.flags.c_contiguous:
        return None
    return base


# From this many strings on, comparing arrays of words is worth it (measured at 4,000 to 8,000).
MANY_STRINGS = 8192
# Texts are split so many at a time: the arrays of their words stay in the cache.
_BLOCK = 8192
_SAMPLE = 2048


def split_texts(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split texts at white space; return the number of words of each, and all words."""
    if len(texts) < MANY_STRINGS:
        return _split_as_one(texts)
    blocks = [_Block(texts[start : start + _BLOCK]) for start in range(0, len(texts), _BLOCK)]
    blocks[0].split()
    if 2 * len(blocks[0].different) > len(blocks[0].codes):
        # Most words differ: all of them need objects anyway.
        return _split_as_one(texts)
    for block in blocks[1:]:
        block.split()
    numbers: dict[bytes, int] = {}
    first: list[np.ndarray] = []
    codes: list[np.ndarray] = []
    done = 0
    for block in blocks:
        total = len(numbers)
        global_codes = [numbers.setdefault(word, len(numbers)) for word in block.different]
        global_code = np.array(global_codes, np.intp)
        codes.append(global_code.take(block.codes))
        # New words are numbered in the order in which they occur.
        first.append(block.first[global_code >= total] + done)
        done += len(block.codes)
    different = np.empty(len(numbers), object)
    different[:] = list(numbers)
    counts = np.concatenate([block.counts for block in blocks])
    return counts, encoded(different, np.concatenate(first), np.concatenate(codes))


def encode_texts(texts: list[str]) -> np.ndarray | None:
    """Return the bytes of many texts as an encoded vector, or None if few or mostly distinct."""
    sample = texts[:_SAMPLE]
    if len(texts) < MANY_STRINGS or 2 * len(set(sample)) > len(sample):
        return None
    different = list(dict.fromkeys(texts))
    numbers = dict(zip(different, range(len(different))))
    codes = np.fromiter(map(numbers.__getitem__, texts), np.intp, len(texts))
    first = np.empty(len(different), np.intp)
    # The last of several assignments stays, which is the first occurrence if they go backwards.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    as_bytes = np.empty(len(different), object)
    as_bytes[:] = list(map(str.encode, different))
    return encoded(as_bytes, first, codes)


def _split_as_one(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split without a list for each text, which the garbage collector would visit."""
    whole, begins, _, counts = _find_words(texts)
    words = np.empty(len(begins), object)
    words[:] = whole.split()
    return counts, words


class _Block:
    """A block of texts and, once split, its words as in `EncodedStrings`."""

    def __init__(self, texts: np.ndarray) -> None:
        self._texts = texts
        self.different: list[bytes] = []

    def split(self) -> None:
        whole, begins, sizes, self.counts = _find_words(self._texts)
        if len(sizes) and sizes.max() < 8 * MOST_WORDS:
            self.first, self.codes = group_words(TextWords.of(whole, begins, sizes))
            starts, ends = begins[self.first], (begins + sizes)[self.first]
            spans = zip(starts.tolist(), ends.tolist())
            self.different = [whole[start:end] for start, end in spans]
        else:
            self.different = whole.split()
            self.first = self.codes = np.arange(len(begins))


def _find_words(texts: np.ndarray) -> tuple[bytes, np.ndarray, np.ndarray, np.ndarray]:
    """Return all texts as one, the offsets and sizes of its words, and how many each text has."""
    whole = b"\n".join([*texts.tolist(), b""])
    codes = np.frombuffer(whole, np.uint8)
    # Tab, line feed, vertical tab, form feed, carriage return, and the space.
    is_space = (codes - np.uint8(9) <= 4) | (codes == 32)
    # Words begin where space ends, and end where it begins; behind the last text there is space.
    changes = np.flatnonzero(is_space[1:] != is_space[:-1]) + 1
    if not is_space[0]:
        changes = np.concatenate([[0], changes])
    begins = changes[0::2]
    ends = np.cumsum(byte_sizes(texts) + 1)
    counts = np.diff(np.searchsorted(begins, ends), prepend=0)
    return whole, begins, changes[1::2] - begins, counts


def group_strings(array: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the first index of each distinct string, in that order, and the code of each.

    None if the strings cannot be read, or are too long for it to pay.
    """
    encoding = encoding_of(array)
    if encoding is not None:
        return encoding.first, encoding.codes
    read = read_words(array)
    if read is None or int(read.sizes.max()) >= 8 * MOST_WORDS:
        return None
    return group_words(read)
