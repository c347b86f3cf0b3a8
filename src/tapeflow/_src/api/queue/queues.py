"""Bounded queues of tensors between threads; they are Python objects that graphs call.

An element is a tuple of tensors, one for each dtype. `enqueue` blocks until there is room,
`dequeue` until there is an element; a closed queue accepts no elements and returns those left.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import as_dtype, int32, int64
from tapeflow._src.core.dtypes import bool as bool_dtype
from tapeflow._src.core.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from tapeflow._src.core.host_functions import HostFunction, Token
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.graph.python_functions import py_func

Element = tuple[Any, ...]


def _as_list(value: TensorLike) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


Compute = Callable[..., Sequence[Any]]


class _Call(HostFunction):
    """A call of a queue's method by a graph."""

    def __init__(self, compute: Compute, dtypes: Sequence[Any]) -> None:
        self._compute = compute
        self._dtypes = dtypes

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
            results = _run_eagerly(self._compute, [EagerTensor(a) for a in arrays], self._dtypes)
        return [tensor._array for tensor in results]


def _run_eagerly(compute: Compute, inputs: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    return [dispatch.convert(v, d) for v, d in zip(compute(*inputs), dtypes, strict=True)]


def _run_or_defer(
    compute: Compute, inputs: Sequence[Any], dtypes: Sequence[Any], shapes: Sequence[Any]
) -> list[Any]:
    """Return the tensors that `compute` returns for `inputs`: now, or whenever the graph runs."""
    if not tracing():
        return _run_eagerly(compute, inputs, dtypes)
    tensors = [dispatch.convert(value) for value in inputs]
    results = py_func(tensors, token=Token(_Call(compute, dtypes)), Tout=list(dtypes))
    for result, shape in zip(results, shapes, strict=True):
        result.set_shape(shape)
    return list(results)


class QueueBase:
    """Base class of queues, which differ in the order of elements.

    Args:
        dtypes: The dtype of each component.
        shapes: The shape of each component.
        names: The names of the components.
        queue_ref: The name of the queue.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: str) -> None:
        self._dtypes = [as_dtype(d) for d in _as_list(dtypes)]
        listed = None if shapes is None else list(shapes)
        if listed is not None and len(self._dtypes) == 1 and len(listed) != 1:
            listed = [shapes]
        if listed is not None and len(listed) != len(self._dtypes):
            raise ValueError(
                f"Expected one shape for each of the {len(self._dtypes)} dtypes of the queue, "
                f"received shapes={listed}."
            )
        self._shapes = [TensorShape(s) for s in listed or [None] * len(self._dtypes)]
        self._names = None if names is None else _as_list(names)
        self._capacity = float("inf")
        self._name = queue_ref
        self._elements: list[Element] = []
        self._closed = False
        self._changed = threading.Condition()

    def _bound(self, capacity: int | None) -> None:
        """Set the capacity; unbounded if negative."""
        if capacity is not None and capacity >= 0:
            self._capacity = int(capacity)

    # -- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        return self._names

    def size(self, name: str | None = None) -> Any:
        """Return the number of elements in the queue.

        Example:
            >>> queue = tf.queue.FIFOQueue(3, [tf.int32])
            >>> queue.enqueue(5)
            >>> int(queue.size())
            1
        """
        return _run_or_defer(lambda: [len(self._elements)], (), [int32], [()])[0]

    def is_closed(self, name: str | None = None) -> Any:
        """Whether the queue is closed."""
        return _run_or_defer(lambda: [self._closed], (), [bool_dtype], [()])[0]

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Close the queue: no more elements can be added.

        Args:
            cancel_pending_enqueues: Whether waiting calls of `enqueue` are cancelled.
        """
        _run_or_defer(self._close, (), (), ())

    def _close(self) -> tuple[()]:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        return ()

    # -- putting in --------------------------------------------------------------------------

    def _components(self, values: TensorLike) -> list[Any]:
        """Return the tensors of an element, or of many, in the order of the dtypes."""
        if self._names is not None:
            if not isinstance(values, dict) or sorted(values) != sorted(self._names):
                raise ValueError(f"This queue takes a dictionary with the keys {self._names}.")
            values = [values[key] for key in self._names]
        parts = _as_list(values) if len(self._dtypes) > 1 or _is_tuple(values) else [values]
        if len(parts) != len(self._dtypes):
            raise InvalidArgumentError(
                None,
                None,
                f"{type(self).__name__} takes {len(self._dtypes)} tensors an element, got "
                f"{len(parts)}.",
            )
        return [dispatch.convert(v, d) for v, d in zip(parts, self._dtypes, strict=True)]

    def _put(self, *element: Any) -> tuple[()]:
        with self._changed:
            while len(self._elements) >= self._capacity and not self._closed:
                self._changed.wait()
            if self._closed:
                raise CancelledError(None, None, f"{type(self).__name__} '{self._name}' is closed.")
            self._insert(element)
            self._changed.notify_all()
        return ()

    def _insert(self, element: Element) -> None:
        self._elements.append(element)

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Add an element; blocks while the queue is full.

        Args:
            vals: A tensor, a list with one tensor per component, or a dict by name.

        Raises:
            tf.errors.CancelledError: If the queue is closed.
        """
        parts = self._components(vals)
        for part, shape in zip(parts, self._shapes, strict=True):
            part.shape.assert_is_compatible_with(shape)
        _run_or_defer(self._put, parts, (), ())

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Add the rows of the tensors one by one.

        Args:
            vals: Tensors with one row per element.

        Example:
            >>> queue = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[]])
            >>> queue.enqueue_many([5, 6])
            >>> queue.dequeue_many(2).numpy()
            array([5, 6], dtype=int32)
        """
        parts = self._components(vals)
        for part, shape in zip(parts, self._shapes, strict=True):
            part.shape[1:].assert_is_compatible_with(shape)
        if len({part.shape[0] for part in parts} - {None}) > 1:
            raise ValueError("All tensors given to enqueue_many must have as many rows.")
        _run_or_defer(self._put_rows, parts, (), ())

    def _put_rows(self, *parts: Any) -> tuple[()]:
        for row in zip(*parts, strict=True):
            self._put(*row)
        return ()

    # -- taking out --------------------------------------------------------------------------

    def _take(self, count: int, *, all_of_them: bool) -> list[Element]:
        with self._changed:
            while not self._closed and not self._can_give(count):
                self._changed.wait()
            left = len(self._elements)
            if left < count and (all_of_them or left == 0) and count:
                raise OutOfRangeError(
                    None,
                    None,
                    f"{type(self).__name__} '{self._name}' is closed and has insufficient elements "
                    f"(requested {count}, current size {left})",
                )
            elements = [self._remove() for _ in range(min(count, left))]
            self._changed.notify_all()
        return elements

    def _can_give(self, count: int) -> bool:
        return len(self._elements) >= count

    def _remove(self) -> Element:
        return self._elements.pop(0)

    def _result(self, parts: Sequence[Any]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, parts, strict=True))
        return parts[0] if len(parts) == 1 else list(parts)

    def dequeue(self, name: str | None = None) -> Any:
        """Remove an element and return it; blocks while the queue is empty.

        Returns:
            A tensor, or a list or dict of them.

        Raises:
            tf.errors.OutOfRangeError: If the queue is closed and empty.
        """
        parts = _run_or_defer(
            lambda: self._take(1, all_of_them=True)[0], (), self._dtypes, self._shapes
        )
        return self._result(parts)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Remove `n` elements and return them stacked.

        Args:
            n: Number of elements.

        Returns:
            Tensors with one row per element.

        Raises:
            tf.errors.OutOfRangeError: If the queue is closed and has fewer elements.
        """
        return self._taken(n, all_of_them=True)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Remove up to `n` elements and return them stacked; fewer if the queue is closed.

        Args:
            n: Number of elements.

        Returns:
            Tensors with one row per element.
        """
        return self._taken(n, all_of_them=False)

    def _taken(self, n: Any, *, all_of_them: bool) -> Any:
        if not all(self._stacks(shape) for shape in self._shapes):
            raise InvalidArgumentError(
                None,
                None,
                f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to "
                f"have specified shapes.",
            )
        rows = TensorShape([n if all_of_them and isinstance(n, int) else None])
        parts = _run_or_defer(
            lambda n: self._stacked(self._take(int(n), all_of_them=all_of_them)),
            (n,),
            self._dtypes,
            [rows.concatenate(shape) for shape in self._shapes],
        )
        return self._result(parts)

    def _stacks(self, shape: TensorShape) -> bool:
        return shape.is_fully_defined()

    def _stacked(self, elements: list[Element]) -> list[Any]:
        columns = zip(*elements, strict=True) if elements else [()] * len(self._dtypes)
        return [
            dispatch.convert(self._stack([t.numpy() for t in column], shape), dtype)
            for column, shape, dtype in zip(columns, self._shapes, self._dtypes, strict=True)
        ]

    def _stack(self, arrays: list[Any], shape: TensorShape) -> Any:
        return np.stack(arrays) if arrays else np.zeros((0, *(n or 0 for n in shape)))


def _is_tuple(values: TensorLike) -> bool:
    return isinstance(values, (tuple, list)) and len(values) == 1


class FIFOQueue(QueueBase):
    """A first-in, first-out queue.

    Args:
        capacity: The largest number of elements; enqueueing blocks beyond.
        dtypes: The dtype of each component.
        shapes: The shape of each component; needed by `dequeue_many`.
        names: The names of the components, for dicts.
        shared_name: Accepted for compatibility.

    Example:
        >>> queue = tf.queue.FIFOQueue(2, [tf.int32])
        >>> queue.enqueue(1)
        >>> queue.enqueue(2)
        >>> int(queue.dequeue()), int(queue.dequeue())
        (1, 2)
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, name)
        self._bound(capacity)


class PaddingFIFOQueue(FIFOQueue):
    """A first-in, first-out queue; elements of different sizes are zero-padded when stacked.

    Args:
        capacity: The largest number of elements; enqueueing blocks beyond.
        dtypes: The dtype of each component.
        shapes: The shape of each component, None for sizes that vary.
        names: The names of the components, for dicts.
        shared_name: Accepted for compatibility.

    Example:
        >>> queue = tf.queue.PaddingFIFOQueue(2, [tf.int32], shapes=[[None]])
        >>> queue.enqueue([[1, 2]])
        >>> queue.enqueue([[3]])
        >>> queue.dequeue_many(2).numpy()
        array([[1, 2],
               [3, 0]], dtype=int32)
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _stacks(self, shape: TensorShape) -> bool:
        return shape.rank is not None

    def _stack(self, arrays: list[Any], shape: TensorShape) -> Any:
        if not arrays:
            return super()._stack(arrays, shape)
        sizes = np.max([a.shape for a in arrays], axis=0) if shape.rank else ()
        empty = b"" if arrays[0].dtype == object else 0
        stacked = np.full((len(arrays), *sizes), empty, arrays[0].dtype)
        for row, array in zip(stacked, arrays, strict=True):
            row[tuple(slice(n) for n in array.shape)] = array
        return stacked


class PriorityQueue(QueueBase):
    """A priority queue, smallest first: the first component is the priority, an int64.

    Args:
        capacity: The largest number of elements; enqueueing blocks beyond.
        types: The dtypes of the components after the priority.
        shapes: The shape of each component; needed by `dequeue_many`.
        names: The names of the components, for dicts.
        shared_name: Accepted for compatibility.

    Example:
        >>> queue = tf.queue.PriorityQueue(2, [tf.string], shapes=[[]])
        >>> queue.enqueue([9, "late"])
        >>> queue.enqueue([1, "soon"])
        >>> queue.dequeue()[1].numpy()
        b'soon'
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        dtypes = [int64, *_as_list(types)]
        element_shapes = [None] * len(_as_list(types)) if shapes is None else _as_list(shapes)
        super().__init__(dtypes, [(), *element_shapes], names, name)
        self._bound(capacity)

    def _remove(self) -> Element:
        first = min(range(len(self._elements)), key=lambda i: int(self._elements[i][0]))
        return self._elements.pop(first)


class RandomShuffleQueue(QueueBase):
    """A queue in random order that keeps `min_after_dequeue` elements until it is closed.

    Args:
        capacity: The largest number of elements; enqueueing blocks beyond.
        min_after_dequeue: How many elements stay, so that there is something to shuffle.
        dtypes: The dtype of each component.
        shapes: The shape of each component; needed by `dequeue_many`.
        names: The names of the components, for dicts.
        seed: Seed of the order.
        shared_name: Accepted for compatibility.

    Example:
        >>> queue = tf.queue.RandomShuffleQueue(3, 0, [tf.int32], shapes=[[]], seed=1)
        >>> queue.enqueue_many([1, 2, 3])
        >>> sorted(queue.dequeue_many(3).numpy().tolist())
        [1, 2, 3]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, name)
        self._bound(capacity)
        self._min_after_dequeue = int(min_after_dequeue)
        self._draw: Callable[[int], int] = random.Random(seed).randrange

    def _can_give(self, count: int) -> bool:
        return len(self._elements) >= count + self._min_after_dequeue

    def _remove(self) -> Element:
        return self._elements.pop(self._draw(len(self._elements)))
