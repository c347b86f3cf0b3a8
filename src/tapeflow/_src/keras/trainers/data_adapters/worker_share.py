"""The share of one of several workers in batches that all of them read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.distribute import any_worker, arrays_of_first_worker, batch_of_worker


class WorkerAdapter:
    """Splits each batch of another adapter by rows, and takes the part of this worker.

    Arrays are shuffled in the order of the first worker. Where the number of batches is unknown,
    workers that have no more get batches without rows until all are done.
    """

    def __init__(self, adapter: Any, strategy: Any) -> None:
        self._adapter = adapter
        self._strategy = strategy
        self.num_batches = adapter.num_batches
        if hasattr(adapter, "same_order"):
            adapter.same_order = lambda order: arrays_of_first_worker([order], strategy)[0]

    def batches(self) -> Iterator[Any]:
        """The parts of the batches of an epoch."""
        last: Any = None
        source = iter(self._adapter.batches())
        while True:
            batch = next(source, None)
            if self.num_batches is None and not any_worker(batch is not None, self._strategy):
                return
            if batch is None and self.num_batches is not None:
                return
            if batch is not None:
                last = batch_of_worker(batch, self._strategy)
                yield last
            elif last is None:
                raise ValueError(
                    "This worker has no data, while others have: its generator yields nothing."
                )
            else:
                yield tf.nest.map_structure(lambda leaf: None if leaf is None else leaf[:0], last)

    def on_epoch_begin(self) -> None:
        """Pass the notice on."""
        self._adapter.on_epoch_begin()

    def on_epoch_end(self) -> None:
        """Pass the notice on."""
        self._adapter.on_epoch_end()
