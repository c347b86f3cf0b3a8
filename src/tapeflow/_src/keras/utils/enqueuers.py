"""Keras 2's enqueuers: items of a `Sequence` or of a generator, made ahead of time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.keras.trainers.data_adapters.workers import items_in_order

_POLL_SECONDS = 0.1


class _Failure:
    """An exception on its way to the thread that asks for items."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


class SequenceEnqueuer:
    """Base class: a thread fills a queue between `start` and `stop`, and `get` empties it.

    Args:
        sequence: Source of the items.
        use_multiprocessing: Whether processes, instead of threads, make the items.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.workers = 0
        self.queue: queue.Queue[Any] | None = None
        self.run_thread: threading.Thread | None = None
        self.stop_signal: threading.Event | None = None

    def is_running(self) -> bool:
        """Return whether items are being made."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Begin to make items.

        Args:
            workers: Number of threads or processes, at least 1.
            max_queue_size: How many items are made ahead.
        """
        self.workers = max(workers, 1)
        self.stop_signal = threading.Event()
        self.queue = queue.Queue(max_queue_size)
        arguments = (self.queue, self.stop_signal, max_queue_size)
        self.run_thread = threading.Thread(target=self._run, args=arguments, daemon=True)
        self.run_thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Stop, and wait until the workers have ended.

        Args:
            timeout: Seconds to wait at most; None for no limit.
        """
        if self.stop_signal is not None:
            self.stop_signal.set()
        if self.run_thread is not None:
            self.run_thread.join(timeout)

    def _run(self, items: Any, stopped: Any, ahead: int) -> None:
        made = self._items(ahead)
        try:
            for item in made:
                if not _put(items, item, stopped):
                    return
            _put(items, _END, stopped)
        except Exception as error:
            _put(items, _Failure(error), stopped)
        finally:
            close = getattr(made, "close", None)
            if close is not None and isinstance(self, OrderedEnqueuer):
                close()

    def _items(self, ahead: int) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define which items it makes.")

    def get(self) -> Iterator[Any]:
        """Yield the items in order, until `stop`."""
        while self.is_running() and self.queue is not None:
            try:
                item = self.queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if item is _END:
                return
            if isinstance(item, _Failure):
                self.stop()
                raise item.error
            yield item


def _put(items: Any, item: Any, stopped: Any) -> bool:
    """Put an item into the queue; False if nobody wants it any more."""
    while not stopped.is_set():
        try:
            items.put(item, timeout=_POLL_SECONDS)
        except queue.Full:
            continue
        return True
    return False


class OrderedEnqueuer(SequenceEnqueuer):
    """Queues the items of a `Sequence` in order, epoch after epoch.

    Args:
        sequence: A `keras.utils.Sequence`.
        use_multiprocessing: Whether processes, instead of threads, make the items.
        shuffle: Whether the order of the items is random in each epoch.
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _items(self, ahead: int) -> Iterator[Any]:
        while True:
            order = np.arange(len(self.sequence))
            if self.shuffle:
                np.random.shuffle(order)
            yield from items_in_order(
                self.sequence, order.tolist(), self.workers, self.use_multiprocessing, ahead
            )
            self.sequence.on_epoch_end()


class GeneratorEnqueuer(SequenceEnqueuer):
    """Queues the items of a generator, which one thread runs whatever `workers` is.

    Args:
        generator: An iterable.
        use_multiprocessing: False: processes would duplicate the data.
        random_seed: Accepted for Keras 2; not used.

    Raises:
        ValueError: `use_multiprocessing` is true.

    Example:
        >>> enqueuer = tf.keras.utils.GeneratorEnqueuer(iter([1, 2, 3]))
        >>> enqueuer.start()
        >>> list(enqueuer.get())
        [1, 2, 3]
        >>> enqueuer.stop()
    """

    def __init__(
        self, generator: Any, use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        if use_multiprocessing:
            raise ValueError(
                "A generator cannot be run by several processes without duplicated data: write a "
                "`keras.utils.Sequence` instead, or leave `use_multiprocessing` False."
            )
        super().__init__(generator, use_multiprocessing)
        self.random_seed = random_seed

    def _items(self, ahead: int) -> Iterator[Any]:
        return iter(self.sequence)
