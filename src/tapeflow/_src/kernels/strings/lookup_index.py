"""Batched lookup: hash tables with open addressing, whose slots are arrays.

A dictionary answers one key after the other, at fifty nanoseconds each. The keys of an immutable
table are also stored as words, in tables by the number of words, and NumPy probes the slots of all
keys of a call together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count, repeat
from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.encoding import encoding_of
from tapeflow._src.kernels.strings.words import (
    MOST_WORDS,
    PAIR_BYTES,
    WORD,
    hashes,
    read_words,
    slots,
)

# Keys that are probed together: their words stay in the cache.
_BLOCK = 16384


class _Slots:
    """Keys of one number of words, and their values."""

    def __init__(self, words: list[np.ndarray], values: np.ndarray, empty: Any) -> None:
        # Between a fourth and an eighth of the slots are used.
        self._bits = max(4, (4 * len(values)).bit_length())
        size = 1 << self._bits
        # A word that is no key's last word.
        self._empty = empty
        self._keys = [np.full(size, empty, WORD) for _ in words]
        self._values = np.empty(size, values.dtype)
        hashed = hashes(words)
        # Most keys that are missing share no hash with a present one, as far as these bits go.
        self._filter_bits = min(self._bits + 3, 24)
        self._filter = np.zeros(1 << self._filter_bits, bool)
        self._filter[slots(hashed, self._filter_bits)] = True
        slot = slots(hashed, self._bits)
        while len(slot):
            # The first of several keys for one slot wins: in vocabularies it is the most frequent.
            first = np.unique(slot, return_index=True)[1]
            first = first[self._keys[-1][slot[first]] == empty]
            for keys, word in zip(self._keys, words, strict=True):
                keys[slot[first]] = word[first]
            self._values[slot[first]] = values[first]
            rest = np.ones(len(slot), bool)
            rest[first] = False
            words, values = [word[rest] for word in words], values[rest]
            slot = (slot[rest] + 1) & (size - 1)

    def find(self, words: list[np.ndarray], default: Any) -> np.ndarray:
        """Return the values of keys; the default for missing ones."""
        count = len(words[0])
        values = np.full(count, default, self._values.dtype)
        # Blocks whose arrays stay in the cache; what is left of all of them is found together.
        left = [
            self._candidates([word[start : start + _BLOCK] for word in words]) + start
            for start in range(0, count, _BLOCK)
        ]
        where = np.concatenate(left) if len(left) > 1 else left[0]
        for start in range(0, len(where), _BLOCK):
            block = where[start : start + _BLOCK]
            some = words if len(block) == count else [word.take(block) for word in words]
            values[block] = self._find(some, hashes(some), default)
        return values

    def _candidates(self, words: list[np.ndarray]) -> np.ndarray:
        """Return the positions of keys that may be present."""
        return np.flatnonzero(self._filter.take(slots(hashes(words), self._filter_bits)))

    def _find(self, words: list[np.ndarray], hashed: np.ndarray, default: Any) -> np.ndarray:
        slot = slots(hashed, self._bits)
        values = self._values.take(slot)
        missing = np.flatnonzero(~self._hits(slot, words))
        if not missing.size:
            return values
        values[missing] = default
        where, slot = missing, slot.take(missing)
        words = [word.take(missing) for word in words]
        while where.size:
            # A key that is not in its slot is in the next ones, up to the first empty one.
            going = np.flatnonzero(self._keys[-1].take(slot) != self._empty)
            where, slot = where.take(going), slot.take(going) + 1
            slot &= (1 << self._bits) - 1
            words = [word.take(going) for word in words]
            hits = self._hits(slot, words)
            values[where[hits]] = self._values.take(slot[hits])
            misses = np.flatnonzero(~hits)
            where, slot = where.take(misses), slot.take(misses)
            words = [word.take(misses) for word in words]
        return values

    def _hits(self, slot: np.ndarray, words: list[np.ndarray]) -> np.ndarray:
        hits: np.ndarray = self._keys[-1].take(slot) == words[-1]
        for keys, word in zip(self._keys[:-1], words[:-1], strict=True):
            hits &= keys.take(slot) == word
        return hits


class StringIndex:
    """The values of strings."""

    def __init__(self, entries: Mapping[bytes, Any], dtype: Any) -> None:
        self._entries = entries
        self._dtype = dtype
        # Of keys that a pair of words distinguishes; of longer ones, by their number of words.
        self._pairs: _Slots | None = None
        self._slots: dict[int, _Slots] = {}
        values = filled(entries.values(), dtype)
        read = read_words(filled(entries, object))
        if read is None:
            return
        short = np.flatnonzero(read.sizes < PAIR_BYTES)
        if short.size:
            pair = [word[short] for word in read.pair()]
            self._pairs = _Slots(pair, values[short], WORD(0))
        for number, where in read.longer():
            if 2 < number <= MOST_WORDS:
                self._slots[number] = _Slots(read.words(number, where), values[where], WORD(0))

    def find(self, keys: Any, default: Any) -> np.ndarray | None:
        """Return the values of a vector of keys, or None if their memory cannot be read."""
        encoding = encoding_of(keys)
        if encoding is not None:
            values = self.find(keys[encoding.first], default)
            return None if values is None else values.take(encoding.codes)
        # Of packed keys words are read once, for all of them.
        if type(keys) is np.ndarray and len(keys) > _BLOCK:
            starts = range(0, len(keys), _BLOCK)
            blocks = [self._find(keys[start : start + _BLOCK], default) for start in starts]
            values_of = [block for block in blocks if block is not None]
            return np.concatenate(values_of) if len(values_of) == len(blocks) else None
        return self._find(keys, default)

    def _find(self, keys: Any, default: Any) -> np.ndarray | None:
        read = read_words(keys)
        if read is None:
            return None
        if self._pairs is None:
            values = np.full(len(keys), default, self._dtype)
        else:
            values = self._pairs.find(list(read.pair()), default)
        if int(read.sizes.max()) < PAIR_BYTES:
            return values
        for number, where in read.longer():
            table = self._slots.get(number)
            if number == 2:
                continue
            if number > MOST_WORDS:
                longer = read.objects(where)
                values[where] = list(map(self._entries.get, longer, repeat(default)))
            elif table is None:
                values[where] = default
            else:
                values[where] = table.find(read.words(number, where), default)
        return values


class IntegerIndex:
    """The values of integers."""

    def __init__(self, entries: Mapping[int, Any], dtype: Any) -> None:
        keys = filled(entries, np.int64)
        # A number that is no key marks empty slots.
        self._empty = next(number for number in count() if number not in entries)
        words = [keys.view(WORD)]
        self._slots = _Slots(words, filled(entries.values(), dtype), WORD(self._empty))

    def find(self, keys: np.ndarray, default: Any) -> np.ndarray | None:
        """Return the values of keys in a vector."""
        keys = keys.astype(np.int64, copy=False)
        values = self._slots.find([keys.view(WORD)], default)
        values[keys == self._empty] = default
        return values


def filled(items: Collection[Any], dtype: Any) -> np.ndarray:
    """Return an object vector of items, without inspecting them."""
    array = np.empty(len(items), dtype)
    array[:] = list(items)
    return array
