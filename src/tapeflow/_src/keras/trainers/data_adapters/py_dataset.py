"""`PyDataset`: batches by number, which Python code makes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from tapeflow._src.keras.trainers.data_adapters.class_weights import weighted
from tapeflow._src.keras.trainers.data_adapters.iterables import as_batch
from tapeflow._src.keras.trainers.data_adapters.workers import items_in_order


class PyDataset:
    """Batches by index: a subclass defines `__getitem__`, and `__len__` or `num_batches`.

    With several workers batches are created ahead of time, in threads or in processes, and come in
    order. Processes pay where `__getitem__` is slow in Python itself; threads where it reads
    files or calls NumPy.

    Args:
        workers: Number of threads or processes that create batches; with 0 and 1 the main thread
            does.
        use_multiprocessing: Whether the workers are processes.
        max_queue_size: Number of batches that may wait to be used.

    Example:
        >>> class Squares(tf.keras.utils.PyDataset):
        ...     def __len__(self):
        ...         return 3
        ...
        ...     def __getitem__(self, index):
        ...         x = np.full((4, 2), index, "float32")
        ...         return x, x[:, :1] ** 2
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(Squares(workers=2), verbose=0)
        >>> history.params["steps"]
        3
    """

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        self._workers = workers
        self._use_multiprocessing = use_multiprocessing
        self._max_queue_size = max_queue_size

    def _setting(self, name: str, default: Any) -> Any:
        # Many subclasses do without `super().__init__()`.
        return self.__dict__.get(name, default)

    @property
    def workers(self) -> int:
        """How many threads or processes make batches."""
        return self._setting("_workers", 1)

    @workers.setter
    def workers(self, value: int) -> None:
        self._workers = value

    @property
    def use_multiprocessing(self) -> bool:
        """Whether the workers are processes."""
        return self._setting("_use_multiprocessing", False)

    @use_multiprocessing.setter
    def use_multiprocessing(self, value: bool) -> None:
        self._use_multiprocessing = value

    @property
    def max_queue_size(self) -> int:
        """How many batches are made ahead."""
        return self._setting("_max_queue_size", 10)

    @max_queue_size.setter
    def max_queue_size(self, value: int) -> None:
        self._max_queue_size = value

    def __getitem__(self, index: int) -> Any:
        """The batch of that number."""
        raise NotImplementedError(f"{type(self).__name__} has no `__getitem__` method.")

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the batches of one epoch, without end if their number is not known."""
        try:
            count = self.num_batches
        except NotImplementedError:
            count = None
        for index in itertools.count() if count is None else range(count):
            yield self[index]

    @property
    def num_batches(self) -> int | None:
        """How many batches there are; None means without end."""
        if not hasattr(self, "__len__"):
            raise NotImplementedError(
                f"{type(self).__name__} must define `__len__(self)`, or the property "
                f"`num_batches`, as the number of batches of an epoch (None for an endless one)."
            )
        return len(self)

    def on_epoch_begin(self) -> None:
        """Called before each epoch."""

    def on_epoch_end(self) -> None:
        """Called after each epoch."""


# The name in Keras 2.
Sequence = PyDataset


class PyDatasetAdapter:
    """The batches of a `PyDataset`, in order or in another order each time."""

    def __init__(self, dataset: PyDataset, class_weight: Any = None, shuffle: Any = False) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        self._shuffle = bool(shuffle)
        self.num_batches = dataset.num_batches

    def batches(self) -> Iterator[Any]:
        """The batches of one epoch."""
        for batch in self._made():
            tensors = as_batch(batch)
            if self._class_weight is not None:
                tensors = weighted(tensors, self._class_weight)
            yield tensors

    def _numbers(self) -> Iterator[int]:
        count = self.num_batches
        if count is None:
            number = 0
            while True:
                yield number
                number += 1
        elif self._shuffle:
            # By the generator of Python, which `keras.utils.set_random_seed` seeds, too.
            numbers = list(range(count))
            random.shuffle(numbers)
            yield from numbers
        else:
            yield from range(count)

    def _made(self) -> Iterator[Any]:
        dataset = self._dataset
        if dataset.workers <= (0 if dataset.use_multiprocessing else 1):
            for number in self._numbers():
                yield dataset[number]
            return
        yield from items_in_order(
            dataset,
            self._numbers(),
            dataset.workers,
            dataset.use_multiprocessing,
            dataset.max_queue_size,
        )

    def on_epoch_begin(self) -> None:
        """Tell the dataset."""
        self._dataset.on_epoch_begin()

    def on_epoch_end(self) -> None:
        """Tell the dataset."""
        self._dataset.on_epoch_end()
        self.num_batches = self._dataset.num_batches
