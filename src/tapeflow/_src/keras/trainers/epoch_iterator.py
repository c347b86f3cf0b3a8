"""The batches of one epoch after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import max_steps_per_epoch


class EpochIterator:
    """Iterator over the batches of an epoch; `begin` starts one.

    An epoch is all of the data or, with `steps_per_epoch`, so many batches: the next one goes on
    where it has ended, unless each is to `restart` with the first batch. The last execution of an
    epoch is complete: 5 steps are 6 batches with 2 `steps_per_execution`.
    """

    def __init__(
        self,
        adapter: Any,
        steps_per_epoch: int | None = None,
        restart: bool = False,
        steps_per_execution: int = 1,
    ) -> None:
        if steps_per_epoch is not None and steps_per_epoch < 0:
            raise ValueError(
                f"The number of steps in an epoch must be positive. Received: {steps_per_epoch}"
            )
        self.adapter = adapter
        self._restart = restart
        self._steps = steps_per_epoch
        self._source: Iterator[Any] | None = None
        self._per_execution = steps_per_execution
        self._left = 0
        # A batch that was looked at, and not yet given.
        self._ahead: list[Any] = []
        # How many batches of this epoch were given.
        self.seen = 0
        self.num_batches: int | None = steps_per_epoch or adapter.num_batches
        self._limit = max_steps_per_epoch()
        if self._limit is not None:
            self.num_batches = min(self.num_batches or self._limit, self._limit)

    def begin(self) -> EpochIterator:
        """Start an epoch."""
        self.adapter.on_epoch_begin()
        self.seen = 0
        self._ahead.clear()
        if self._steps is None or self._source is None or self._restart:
            self._source = iter(self.adapter.batches())
        limits = [limit for limit in (self._steps, self._limit) if limit is not None]
        # -1: all of the data.
        self._left = -(-min(limits) // self._per_execution) * self._per_execution if limits else -1
        return self

    def __iter__(self) -> EpochIterator:
        return self

    def __next__(self) -> Any:
        batch = self._ahead.pop() if self._ahead else self._fetched()
        self.seen += 1
        return batch

    def has_more(self) -> bool:
        """Whether there is another batch in this epoch."""
        if not self._ahead:
            try:
                self._ahead.append(self._fetched())
            except StopIteration:
                return False
        return True

    def _fetched(self) -> Any:
        if self._left == 0 or self._source is None:
            raise StopIteration
        try:
            batch = next(self._source)
        except StopIteration:
            batch = self._begin_anew()
        self._left -= 1
        return batch

    def _begin_anew(self) -> Any:
        """The first batch again, if the data ended where the last epoch did."""
        if self._steps is None:
            if self.num_batches is None:
                self.num_batches = self.seen
            elif self.seen < self.num_batches:
                self._warn()
            raise StopIteration
        if self.seen == 0:
            self._source = iter(self.adapter.batches())
            batch = next(self._source, None)
            if batch is not None:
                return batch
        self._source = None
        self._warn()
        raise StopIteration

    def _warn(self) -> None:
        warn_user(
            "The data ran out before `steps_per_epoch * epochs` steps: this epoch ends early. Pass "
            "fewer steps, repeat the dataset with `.repeat()`, or let the generator go on."
        )

    def end(self) -> None:
        """Tell the data that the epoch is over."""
        self.adapter.on_epoch_end()
