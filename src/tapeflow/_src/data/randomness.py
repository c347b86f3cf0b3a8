"""Random words for datasets, equal to TensorFlow's for the same seeds; and seeds per iteration."""

from __future__ import annotations

import os
import threading

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.random_state import stream
from tapeflow._src.core.registry import op
from tapeflow._src.data.stage import HOST
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
            seed, seed2 = (int.from_bytes(os.urandom(8)) for _ in range(2))
        self._pair = seed, seed2
        self._words = Words(seed, seed2) if anew else None
        self._lock = threading.Lock()

    def next(self) -> tuple[int, int]:
        """Return the seeds of a new iteration."""
        if self._words is None:
            return self._pair
        with self._lock:
            return self._words.next(), self._words.next()


class SeedGenerator:
    """The resource of seeds that TensorFlow's ops take; here, datasets hold their own."""

    dtype = dtypes.resource
    value_dtype = dtypes.resource
    shape = ()
    ndim = 0
    size = 1


@op("DummySeedGenerator", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def dummy_seed_generator(xp):
    """Return a handle that ops take."""
    return SeedGenerator()
