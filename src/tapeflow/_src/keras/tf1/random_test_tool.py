"""`DeterministicRandomTestTool`: the same random numbers eagerly, in functions and in sessions."""

from __future__ import annotations

from contextlib import AbstractContextManager

import tapeflow as tf
from tapeflow._src.internal.random_seeds import choose_seeds

_MODES = ("constant", "num_random_ops")


class DeterministicRandomTestTool:
    """Seeds stateful random ops independently of how the program is executed.

    Code for sessions and its translation to eager execution then draw the same numbers, and their
    results can be compared.

    Args:
        seed: The global seed inside of `scope`.
        mode: "constant": every op has the same seed; "num_random_ops": the seed of an op is the
            number of random ops before it.

    >>> tool = tf.compat.v1.keras.utils.DeterministicRandomTestTool(mode="num_random_ops")
    >>> with tool.scope():
    ...     a = tf.random.uniform([2])
    >>> tool.operation_seed
    1
    """

    def __init__(self, seed: int = 42, mode: str = "constant") -> None:
        if mode not in _MODES:
            raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
        self._mode = mode
        self._seed = seed
        self._used: set[int] = set()
        self.operation_seed = 0

    def scope(self) -> AbstractContextManager[None]:
        """A context in which the tool chooses the seeds."""
        tf.random.set_seed(self._seed)
        return choose_seeds(self._next_seeds)

    def _next_seeds(self) -> tuple[int, int]:
        chosen = self.operation_seed
        if self._mode == "constant":
            # Every op starts its stream anew.
            tf.random.set_seed(chosen)
        else:
            if chosen in self._used:
                raise ValueError(
                    f"The operation seed {chosen} of this tool is used already, so that two random "
                    f"ops would draw the same numbers. Expected `operation_seed` to be set to a "
                    f"number from which counting meets no seed that was used: {sorted(self._used)}."
                )
            self._used.add(chosen)
            self.operation_seed = chosen + 1
        return self._seed, chosen
