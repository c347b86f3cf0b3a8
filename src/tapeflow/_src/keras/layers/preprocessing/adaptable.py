"""Members that layers which are adapted to data have in Keras 2 besides `adapt`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Adaptable:
    """Mixin of layers with `update_state`: whether they are adapted, and steps of adapting.

    A layer calls `_tpf_set_adapted` at the end of `adapt` and in `reset_state`.
    """

    _tpf_is_adapted = False
    _tpf_batches_per_call = 1

    update_state: Callable[..., Any]

    def _tpf_set_adapted(self, adapted: bool) -> None:
        object.__setattr__(self, "_tpf_is_adapted", adapted)

    @property
    def is_adapted(self) -> bool:
        """Whether `adapt` was called since the state was last reset."""
        return self._tpf_is_adapted

    def compile(
        self, run_eagerly: bool | None = None, steps_per_execution: int | None = None
    ) -> None:
        """Configure `make_adapt_function`.

        Args:
            run_eagerly: Accepted for Keras 2; batches are counted eagerly in any case.
            steps_per_execution: Number of batches that a call of the function takes.
        """
        object.__setattr__(self, "_tpf_batches_per_call", steps_per_execution or 1)

    def make_adapt_function(self) -> Callable[[Iterator[Any]], None]:
        """Return a function that takes batches from an iterator into the state.

        >>> layer = tf.keras.layers.StringLookup()
        >>> step = layer.make_adapt_function()
        >>> step(iter(tf.data.Dataset.from_tensors(["a", "b"])))
        >>> layer.finalize_state()
        >>> layer.get_vocabulary()
        ['[UNK]', 'b', 'a']
        """

        def adapt_step(iterator: Iterator[Any]) -> None:
            for _ in range(self._tpf_batches_per_call):
                self.update_state(next(iterator))

        return adapt_step
