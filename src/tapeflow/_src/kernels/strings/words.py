"""The strings of an array as 64-bit words: what comparing and hashing many of them at once takes.

Copying 100,000 strings into one buffer takes longer than looking all of them up, so their words
are read where they are: in the memory of the `bytes` objects. That needs CPython, whose layout of
these objects is checked once; elsewhere `read_words` returns None, and callers take one string
after the other.

A string of `n` bytes has `n // 8 + 1` words. Behind its last byte, in the last word, stands a byte
of 1 and then zeros: strings with the same words are equal, and no last word is zero.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty

WORD = np.uint64
# In a `bytes` object: its type, its size, a hash, and the characters.
_CHARACTERS = bytes.__basicsize__ - 1
_SIZE = _CHARACTERS - 16
_TYPE = _SIZE - 8
# Strings with more words than these are not worth arrays.
MOST_WORDS = 4
# Up to this many strings Python's loop is quicker.
_FEW_STRINGS = 512
# Strings of two words: those that `StringWords.pair` distinguishes.
PAIR_BYTES = 16
_BEFORE_END = np.array([(1 << 8 * count) - 1 for count in range(8)], WORD)
_END = np.array([1 << 8 * count for count in range(8)], WORD)
# Of this process: nobody can choose strings that have the same hash.
_FACTOR = WORD(int.from_bytes(os.urandom(8), "little") | 1)


BLOCKS = (1024, 4096, 16384)
"""Strings that compiled programs take in one call."""


def blocks_of(count: int) -> list[slice]:
    """Divide strings into blocks, of which the last one may reach beyond them."""
    small, middle, large = BLOCKS
    whole, rest = divmod(count, large)
    sizes = [large] * whole
    if rest > large - middle:
        sizes.append(large)
    elif rest or not whole:
        more, rest = divmod(rest, middle)
        sizes += [middle] * more
        if rest or not sizes:
            sizes.append(small if rest <= small else middle)
    ends = list(accumulate(sizes))
    return [slice(end - size, end) for end, size in zip(ends, sizes)]


class _Memory:
    """Words from an address on, for NumPy."""

    def __init__(self, address: int, count: int, typestr: str) -> None:
        self.__array_interface__ = {
            "data": (address, True),
            "shape": (count,),
            "typestr": typestr,
            "version": 3,
        }


@cache
def _all_memory() -> Any:
    """Return the words at all addresses but the first, or None if `bytes` objects are laid out
    otherwise.

    A word of it is read only where a string begins that is alive, or goes on: objects begin at
    multiples of eight bytes, so that no such word reaches into a page that is not theirs.
    """
    if sys.implementation.name != "cpython" or sys.byteorder != "little":
        return None
    for sample in (b"", b"a", b"layout of objects", bytes(range(256))):
        address = id(sample)
        fields = (_TYPE, id(bytes)), (_SIZE, len(sample))
        if address % 8 or any(
            ctypes.c_size_t.from_address(address + offset).value != value
            for offset, value in fields
        ):
            return None
        if ctypes.string_at(address + _CHARACTERS, len(sample)) != sample:
            return None
    return np.asarray(_Memory(8, 2**59, "<u8"))


@dataclass(frozen=True)
class StringWords:
    """Strings of `sizes` bytes, as words."""

    sizes: np.ndarray
    _starts: np.ndarray

    def _load(self, starts: np.ndarray, index: int) -> np.ndarray:
        """Return the words at an offset from the beginning of strings, with what follows them."""
        raise NotImplementedError

    def _load_last(self, starts: np.ndarray, sizes: np.ndarray, back: int) -> np.ndarray:
        """Return the eight bytes that begin `back` bytes before the end of strings."""
        raise NotImplementedError

    def part(self, where: np.ndarray) -> WordsOf:
        """Return the strings at `where`, to read words of."""
        return WordsOf(self, self._starts[where], self.sizes[where])

    def all(self) -> WordsOf:
        """Return all strings, to read words of."""
        return WordsOf(self, self._starts, self.sizes)

    def words(self, count: int, where: np.ndarray) -> list[np.ndarray]:
        """Return the words of the strings at `where`, all of which have `count` words."""
        starts = self._starts[where]
        ends = self.sizes[where] & 7
        words = [self._load(starts, index) for index in range(count)]
        words[-1] &= _BEFORE_END.take(ends)
        words[-1] |= _END.take(ends)
        return words

    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first two words of strings; the second is all ones if there is but one.

        Strings of less than `PAIR_BYTES` bytes are equal if both words are; their second word is
        never zero.
        """
        first = _ended(self._load(self._starts, 0), self.sizes)
        beyond = self.sizes - 8
        second = _ended(self._second(), beyond)
        # The sign: all ones for strings that end in the first word.
        second |= (beyond >> 63).view(WORD)
        return first, second

    def _second(self) -> np.ndarray:
        """Return the second word of strings; of strings that have one, any."""
        raise NotImplementedError

    def blocks(self) -> list[np.ndarray]:
        """Return the first two words and the sizes as rows of blocks, as compiled programs take
        them.

        A word is two halves: JAX takes arrays of 64 bits for 32 bits, but for its own ones.
        """
        count = len(self.sizes)
        values = (*self.pair(), self.sizes)
        blocks = []
        for block in blocks_of(count):
            size = block.stop - block.start
            rows = aligned_empty((3, size), WORD)
            rows[:, count - block.start :] = 0
            for row, words in zip(rows, values):
                row[: count - block.start] = words[block]
            blocks.append(rows.view(np.uint32).reshape(3, size, 2))
        return blocks

    def longer(self) -> Iterator[tuple[int, np.ndarray]]:
        """Return the positions of strings by number of words above one.

        Beyond `MOST_WORDS` together.
        """
        most = int(self.sizes.max()) // 8 + 1
        if most == 1:
            return
        where = np.flatnonzero(self.sizes >= 8)
        counts = np.minimum(self.sizes[where] // 8 + 1, MOST_WORDS + 1)
        for count in range(2, min(most, MOST_WORDS + 1) + 1):
            of_count = where[counts == count]
            if of_count.size:
                yield count, of_count


@dataclass(frozen=True)
class WordsOf:
    """Some strings, with words of eight bytes as they lie in memory."""

    _strings: StringWords
    _starts: np.ndarray
    sizes: np.ndarray

    def word(self, index: int) -> np.ndarray:
        """Return a word; strings that end in it are followed by other bytes."""
        return self._strings._load(self._starts, index)

    def last(self, back: int) -> np.ndarray:
        """Return the word `back` bytes before the end (a multiple of eight, within the strings)."""
        return self._strings._load_last(self._starts, self.sizes, back)


@dataclass(frozen=True)
class ObjectWords(StringWords):
    """The words of `bytes` objects, which are alive as long as this object and the array are."""

    strings: np.ndarray

    def _load(self, starts: np.ndarray, index: int) -> np.ndarray:
        return _all_memory().take(starts + index if index else starts)

    def _load_last(self, starts: np.ndarray, sizes: np.ndarray, back: int) -> np.ndarray:
        # Both words lie in the object: the zero behind a string's last byte is in the second one
        # at the latest.
        at = starts + (sizes >> 3) - back // 8
        shift = (sizes.view(WORD) & WORD(7)) << WORD(3)
        words = _all_memory().take(at) >> shift
        at += 1
        words |= _all_memory().take(at) << (WORD(64) - shift)
        return words

    def _second(self) -> np.ndarray:
        return _all_memory().take(self._starts + (self.sizes >= 8))

    def first_words(self) -> np.ndarray:
        """Return the words of strings that have one; of longer ones, some word."""
        return _ended(_all_memory().take(self._starts), self.sizes)

    def objects(self, where: np.ndarray) -> list[bytes]:
        """Return the strings at `where`."""
        strings: list[bytes] = self.strings[where].tolist()
        return strings


def read_words(array: Any) -> ObjectWords | TextWords | None:
    """Return the words of strings in an array or packed; None if they cannot be read."""
    if type(array) is not np.ndarray:
        words: TextWords = array.words
        return words
    memory = _all_memory()
    if memory is None or not array.size:
        return None
    # The arrays of tensors never change, so that holding one holds its strings: copying their
    # references would touch every string twice, a quarter of a lookup's time.
    strings = np.ascontiguousarray(array).reshape(-1)
    addresses = np.asarray(_Memory(strings.ctypes.data, strings.size, "<i8"))
    if not addresses.all():
        return None
    at = (addresses >> 3) + (_TYPE // 8 - 1)
    if not (memory.take(at) == id(bytes)).all():
        return None
    at += (_SIZE - _TYPE) // 8
    sizes = memory.take(at).view(np.int64)
    at += (_CHARACTERS - _SIZE) // 8
    return ObjectWords(sizes, at, strings)


# Strings whose sizes are read together: their arrays stay in the cache.
_BLOCK = 16384


def byte_sizes(array: np.ndarray) -> np.ndarray:
    """Return the number of bytes of each string of a vector."""
    count = len(array)
    if count <= _FEW_STRINGS or _all_memory() is None:
        return np.fromiter(map(len, array.tolist()), np.int64, count)
    if count <= _BLOCK:
        read = read_words(array)
        return read.sizes if read is not None else np.fromiter(map(len, array), np.int64, count)
    sizes = np.empty(count, np.int64)
    for start in range(0, count, _BLOCK):
        sizes[start : start + _BLOCK] = byte_sizes(array[start : start + _BLOCK])
    return sizes


_CONTINUATION = bytes(range(0x80, 0xC0))
_LOW_BITS = WORD(0x0101010101010101)


def character_counts(array: np.ndarray) -> np.ndarray:
    """Return the number of characters of UTF-8 of each string of a vector: bytes that begin one."""
    count = len(array)
    counts = np.empty(count, np.int64)
    if count <= _FEW_STRINGS or _all_memory() is None:
        counts[:] = [len(text.translate(None, _CONTINUATION)) for text in array.tolist()]
        return counts
    for start in range(0, count, _BLOCK):
        read = read_words(array[start : start + _BLOCK])
        part = counts[start : start + _BLOCK]
        if read is None:
            texts = array[start : start + _BLOCK].tolist()
            part[:] = [len(text.translate(None, _CONTINUATION)) for text in texts]
            continue
        part[:] = read.sizes
        part -= _continuations(read.first_words())
        for number, where in read.longer():
            if number > MOST_WORDS:
                longer = read.objects(where)
                part[where] = [len(text.translate(None, _CONTINUATION)) for text in longer]
            else:
                words = read.words(number, where)
                part[where] = read.sizes[where] - sum(_continuations(word) for word in words)
    return counts


def _continuations(words: np.ndarray) -> np.ndarray:
    """Count the bytes of words that continue a character: their upper bits are 1 and 0."""
    marks = words >> WORD(7) & ~(words >> WORD(6)) & _LOW_BITS
    return np.bitwise_count(marks)


@dataclass(frozen=True)
class TextWords(StringWords):
    """The words of parts of one text, which begin at any byte."""

    _windows: np.ndarray

    @classmethod
    def of(cls, text: bytes, starts: np.ndarray, sizes: np.ndarray) -> TextWords:
        """Return the parts of a text that begin at `starts`."""
        return cls.padded(text + bytes(16), starts, sizes)

    @classmethod
    def padded(cls, text: bytes, starts: np.ndarray, sizes: np.ndarray) -> TextWords:
        """Return the parts of a text that goes on for 16 bytes behind the last of them."""
        # Eight bytes of no alignment, which NumPy copies as one word.
        return cls(sizes, starts, np.ndarray((len(text) - 7,), "V8", text, 0, (1,)))

    def _load(self, starts: np.ndarray, index: int) -> np.ndarray:
        return self._windows[starts + 8 * index if index else starts].view(WORD)

    def _load_last(self, starts: np.ndarray, sizes: np.ndarray, back: int) -> np.ndarray:
        return self._windows[starts + sizes - back].view(WORD)

    def _second(self) -> np.ndarray:
        return self._load(self._starts, 1)

    def first_words(self) -> np.ndarray:
        """Return the words of strings that have one; of longer ones, some word."""
        return _ended(self._load(self._starts, 0), self.sizes)

    def objects(self, where: np.ndarray) -> list[bytes]:
        """Return the strings at `where`."""
        text: Any = self._windows.base
        spans = zip(self._starts[where].tolist(), self.sizes[where].tolist())
        return [text[start : start + size] for start, size in spans]


def _ended(words: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Mark the end of strings in their first words, in place."""
    # Shifts by 64 bits and more yield zero: longer strings have no end in this word.
    end = WORD(1) << (sizes.view(WORD) << WORD(3))
    words &= end - WORD(1)
    words |= end
    return words


def hashes(words: list[np.ndarray]) -> np.ndarray:
    """Compute a hash of each string; its upper bits are the best ones."""
    hashed = words[0] * _FACTOR
    for word in words[1:]:
        hashed ^= hashed >> WORD(32)
        hashed += word
        hashed *= _FACTOR
    return hashed


def slots(hashed: np.ndarray, bits: int) -> np.ndarray:
    """Return the upper bits of hashes, as indices."""
    return (hashed >> WORD(64 - bits)).view(np.int64)


def group_words(read: StringWords) -> tuple[np.ndarray, np.ndarray]:
    """Return the first occurrence of each distinct string, in that order, and the group of each.

    No string has more than `MOST_WORDS` words.
    """
    if int(read.sizes.max()) < PAIR_BYTES:
        first = _first_equal(list(read.pair()))
    else:
        # For each string, where its first equal is.
        first = np.empty(len(read.sizes), np.intp)
        short = np.flatnonzero(read.sizes < 8)
        for count, where in ((1, short), *read.longer()):
            first[where] = where[_first_equal(read.words(count, where))]
    different = (first == np.arange(len(first))).nonzero()[0]
    if len(different) == len(first):
        return different, different
    number = np.empty(len(first), np.intp)
    number[different] = np.arange(len(different))
    return different, number.take(first)


def _first_equal(words: list[np.ndarray]) -> np.ndarray:
    """Return for each string the first one with the same words."""
    # A table of which few slots are shared takes few rounds. Most words of texts are among few
    # different ones: a small table stays in the cache.
    count = len(words[0])
    bits = min(count.bit_length() + 3, 17)
    table = np.empty(1 << bits, np.intp)
    first = where = np.arange(count)
    hashed = hashes(words)
    while where.size:
        slot = slots(hashed, bits)
        positions = where if first is where else np.arange(len(where))
        # The last of several assignments stays, which is the first string if they go backwards.
        table[slot[::-1]] = positions[::-1]
        candidates = table.take(slot)
        equal = words[0].take(candidates) == words[0]
        for word in words[1:]:
            equal &= word.take(candidates) == word
        if first is where:
            first = candidates
        else:
            first[where] = where[candidates]
        # Those that share a slot with others take another one.
        rest = (~equal).nonzero()[0]
        if not rest.size:
            break
        where = where.take(rest)
        words = [word.take(rest) for word in words]
        hashed = hashed.take(rest)
        hashed ^= hashed >> WORD(32)
        hashed *= _FACTOR
    return first
