"""A dataset at run time: an immutable `Stage`, and a `Cursor` that iterates over it.

An element is a tuple of arrays. Cursors return one element at a time, or many as rows of arrays:
batches are made of these, and elements that are in arrays already need no work each. The state of
a cursor can be saved and restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes, probes
from tapeflow._src.core.errors import InvalidArgumentError, NotFoundError, fmt_shape, invalid
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.arguments import UNKNOWN
from tapeflow._src.data.tables import Table

Element = tuple[Any, ...]

# What every op that makes a dataset gives, and why XLA does not run it.
A_DATASET = fixed((), dtypes.variant)
HOST = "datasets run in Python"


class Stage:
    """A dataset that can be run; the value of a variant tensor, used in place of an array."""

    dtype = dtypes.variant
    value_dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    # The call of an op that made the stage (`dataset_op.Origin`).
    origin: Any = None

    def cursor(self) -> Cursor:
        """Return a new cursor at the first element."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is walked through.")

    def cardinality(self) -> int:
        """Return the number of elements, UNKNOWN or INFINITE."""
        return UNKNOWN

    def table(self) -> Table | None:
        """Return all elements as rows of arrays if they exist already, else None."""
        return None

    def leading(self) -> int | None:
        """Return the size of the first axis of every element if all are equal, else None."""
        return None

    def get_shared(self) -> Any:
        """Return the state that all cursors of the stage share, None if there is none."""
        return None

    def set_shared(self, state: Any) -> None:
        """Restore a state that `get_shared` of an equal stage returned."""
        raise NotImplementedError(f"{type(self).__name__} has no state of its own.")


class Cursor:
    """A position in a stage. At the end `next` raises StopIteration."""

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> Element:
        raise NotImplementedError(f"{type(self).__name__} does not say what comes next.")

    def rows(self, count: int) -> Element | None:
        """Return up to `count` next elements as rows; None at the end."""
        elements = list(islice(self, count))
        return stacked(elements) if elements else None

    def skip(self, count: int) -> None:
        """Skip `count` elements."""
        for _ in islice(self, count):
            pass

    def get_state(self) -> Any:
        """Return the position as plain numbers, arrays, tuples and lists."""
        raise NotImplementedError(f"{type(self).__name__} cannot be saved.")

    def set_state(self, state: Any) -> None:
        """Restore a position that `get_state` of a cursor of the same stage returned."""
        raise NotImplementedError(f"{type(self).__name__} cannot be restored.")


def _stage_name(cursor: Cursor, *arguments: Any) -> str:
    return type(cursor).__name__.strip("_").removesuffix("Cursor")


probes.register(Cursor, "__next__", "data", _stage_name, subclasses=True)
probes.register(Cursor, "rows", "data", _stage_name, subclasses=True)
probes.register(Stage, "cursor", "cursor", lambda stage: type(stage).__name__, subclasses=True)


# -- positions ---------------------------------------------------------------------------------


def get_position(stage: Stage, cursor: Cursor) -> Any:
    """Return the position of a cursor with the state of all stages that its stage reads."""
    # First of all, as it stops threads that read ahead.
    state = cursor.get_state()
    stages = upstream(stage)
    states = [each.get_shared() for each in stages]
    shared = [(index, each) for index, each in enumerate(states) if each is not None]
    return [_kind(each) for each in stages], shared, state


def set_position(stage: Stage, cursor: Cursor, position: Any) -> None:
    """Restore a position that `get_position` returned for an equal stage.

    Raises:
        tf.errors.NotFoundError: if it belongs to a dataset of other stages.
    """
    saved, shared, state = position
    stages = upstream(stage)
    names = [_kind(each) for each in stages]
    # Older positions have the number of stages only.
    if saved != (len(names) if isinstance(saved, int) else names):
        raise NotFoundError(
            None,
            None,
            f"The saved position of an iterator belongs to another dataset: expected the stages "
            f"{saved}, received a dataset of {names}. Restore it with the pipeline that was saved.",
        )
    _set_shared(stages, shared)
    cursor.set_state(state)
    # Cursors that were created on the way have drawn seeds.
    _set_shared(stages, shared)


def _kind(stage: Stage) -> str:
    """Return the name of the op that made a stage, or of its class."""
    name: str = type(stage).__name__ if stage.origin is None else stage.origin.op.name
    return name


def _set_shared(stages: Sequence[Stage], shared: Sequence[tuple[int, Any]]) -> None:
    for index, state in shared:
        stages[index].set_shared(state)


def upstream(stage: Stage) -> list[Stage]:
    """Return a stage and all that it reads, each once, in an order that equal datasets share."""
    stages: dict[int, Stage] = {}
    pending: list[Any] = [stage]
    while pending:
        value = pending.pop()
        if isinstance(value, list | tuple):
            pending.extend(reversed(value))
        elif isinstance(value, Stage) and id(value) not in stages:
            stages[id(value)] = value
            if value.origin is not None:
                pending.append(value.origin.inputs)
    return list(stages.values())


# -- tables ------------------------------------------------------------------------------------


class TableCursor(Cursor):
    """Iterates over existing rows."""

    __slots__ = ("_length", "_position", "_table")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._length = table.length
        self._position = 0

    def __next__(self) -> Element:
        position = self._position
        if position >= self._length:
            raise StopIteration
        self._position = position + 1
        return self._table.element(position)

    def rows(self, count: int) -> Element | None:
        start = self._position
        if start >= self._length:
            return None
        self._position = stop = min(start + count, self._length)
        return self._table.rows(start, stop)

    def skip(self, count: int) -> None:
        self._position = min(self._position + count, self._length)

    def get_state(self) -> int:
        return self._position

    def set_state(self, state: int) -> None:
        self._position = state


def stacked(elements: Sequence[Element]) -> Element:
    """Stack elements into rows of arrays."""
    return tuple([_stack(arrays, index) for index, arrays in enumerate(zip(*elements))])


def _stack(arrays: tuple[Any, ...], index: int) -> Any:
    first = arrays[0]
    shape = first.shape
    if len({array.shape for array in arrays}) > 1:
        raise misfit([array.shape for array in arrays], index)
    if type(first) is not np.ndarray:
        return VariantArray.stacked(arrays)
    if shape:
        return np.concatenate(arrays).reshape(len(arrays), *shape)
    return np.array([array[()] for array in arrays], first.dtype)


def joined(parts: Sequence[Element]) -> Element:
    """Join the rows of several parts."""
    if len(parts) == 1:
        return parts[0]
    columns = list(zip(*parts))
    for index, pieces in enumerate(columns):
        if len({piece.shape[1:] for piece in pieces}) > 1:
            raise misfit([piece.shape[1:] for piece in pieces], index)
    return tuple([_join(pieces) for pieces in columns])


def _join(pieces: Sequence[Any]) -> Any:
    arrays = all(type(piece) is np.ndarray for piece in pieces)
    return np.concatenate(pieces) if arrays else VariantArray.joined(pieces)


def unstacked(rows: Element) -> Iterator[Element]:
    """Yield the elements that are rows of arrays."""
    for index in range(rows[0].shape[0]):
        yield tuple([array[index, ...] for array in rows])


def misfit(shapes: Sequence[tuple[int, ...]], index: int) -> InvalidArgumentError:
    """Create the error for batching elements of different shapes."""
    first = shapes[0]
    other = next(i for i, shape in enumerate(shapes) if shape != first)
    return invalid(
        f"Cannot batch tensors with different shapes in component {index}. First element had "
        f"shape {fmt_shape(first)} and element {other} had shape {fmt_shape(shapes[other])}. "
        "Use padded_batch or ragged_batch instead of batch, or map the elements to one shape."
    )
