"""Random words for datasets, equal to TensorFlow's for the same seeds; and seeds per iteration."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core import random_state
from tapeflow._src.core.random_state import stream
from tapeflow._src.kernels.random.fill import uniform_full_int

# Words are computed so many at a time; a block of the generator has four.
_CHUNK = 1024
_PER_BLOCK = 4


class Words:
    """The 32-bit words of one stream, in order. `position` is how many have been used."""

    __slots__ = ("_counter", "_first", "_key", "_words", "position")

    def __init__(self, seed: int, seed2: int) -> None:
        self._key = seed & (2**64 - 1)
        self._counter = (seed2 & (2**64 - 1)) << 64
        self._first = 0
        self._words: list[int] = []
        self.position = 0

    def peek(self, count: int) -> list[int]:
        """Return the next words, which are consumed by advancing `position`."""
        start = self.position - self._first
        if not 0 <= start <= start + count <= len(self._words):
            self._first = self.position - self.position % _PER_BLOCK
            start = self.position - self._first
            blocks = stream(self._key, self._counter + self._first // _PER_BLOCK)
            size = max(_CHUNK, start + count)
            self._words = uniform_full_int(xp, blocks, size, np.uint32).tolist()
        return self._words[start : start + count]

    def next(self) -> int:
        """Return the next word."""
        (word,) = self.peek(1)
        self.position += 1
        return word


class Seeds:
    """The pair of seeds of each iteration over a dataset: constant, or new each time."""

    def __init__(self, seed: int, seed2: int, anew: bool) -> None:
        if not seed and not seed2:
            seed, seed2 = (int.from_bytes(random_state.entropy(8)) for _ in range(2))
        self._pair = seed, seed2
        self._words = Words(seed, seed2) if anew else None
        self._lock = threading.Lock()

    def next(self) -> tuple[int, int]:
        """Return the seeds of a new iteration."""
        if self._words is None:
            return self._pair
        with self._lock:
            return self._words.next(), self._words.next()

    def get_state(self) -> Any:
        """Return the seeds, and how many iterations have drawn from them."""
        return self._pair, None if self._words is None else self._words.position

    def set_state(self, state: Any) -> None:
        """Restore a state that `get_state` returned."""
        self._pair, position = state
        if position is not None:
            with self._lock:
                self._words = Words(*self._pair)
                self._words.position = position
