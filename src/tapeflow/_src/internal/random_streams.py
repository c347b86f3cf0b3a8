"""Random permutations as `tf.random.shuffle` draws them in a function, for input pipelines."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core.random_state import (
    GraphSeeds,
    global_seed,
    initial_state,
    seed_pair,
    stream,
)
from tapeflow._src.kernels.random.permute import permutation, shuffle_blocks


class Permutations:
    """The permutations that one `tf.random.shuffle` in a newly traced function draws, in order.

    With a global seed, every object starts with the same permutation.
    """

    def __init__(self) -> None:
        self._key, self._counter = initial_state(*seed_pair(None, GraphSeeds(global_seed())))

    def draw(self, count: int) -> np.ndarray:
        """Return the indices below `count`, in random order."""
        drawn = permutation(np, stream(self._key, self._counter), count)
        self._counter += shuffle_blocks(count)
        return drawn
