"""Iterables that a `for` loop can be staged over.

Anything whose class has a method `__autograph_for__(loop)`: it receives the loop (see `loop.Loop`)
and adds it to the graph. A dataset has one; here are those for tensors and their like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.autograph.operators.lists import StagedList
from tapeflow._src.autograph.operators.loop import Loop
from tapeflow._src.autograph.operators.staging import is_staged, placeholder
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.control_flow import while_loop
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.shape import shape
from tapeflow._src.ops.math.extremes import minimum
from tapeflow._src.ops.math.logical import logical_and, logical_or


def staged_iterable(value: Any) -> Any:
    """Return an object that stages a loop over `value`; None if the loop runs in Python."""
    if hasattr(type(value), "__autograph_for__"):
        return value
    if isinstance(value, SymbolicTensor) and value.op.type == "Range":
        return Counting(*value.op.inputs)
    if isinstance(value, Tensor | Variable):
        return rows(dispatch.convert(value))
    if isinstance(value, StagedList):
        return Numbered(value.size(), value.__getitem__)
    if isinstance(value, RaggedTensor):
        return ragged_rows(value)
    return None


class Numbered:
    """Items that are looked up by index."""

    def __init__(self, count: Any, item: Callable[[Any], Any]) -> None:
        self.count = count
        self.item = item

    def __autograph_for__(self, loop: Loop) -> None:
        """Count from zero, and look the items up."""
        sure = isinstance(self.count, int) and self.count > 0
        initial = loop.prepare(item=lambda: (self.item(placeholder(dtypes.int32)),), sure=sure)

        def step(index: Any, *leaves: Any) -> list[Any]:
            after = loop.step(leaves, self.item(index))
            return [index + 1, *after]

        _run(loop, dispatch.convert(0), initial, lambda index: index < self.count, step)

    def __iter__(self) -> Any:
        raise TypeError(
            "Items of a tensor are only there when the graph runs: loop over them with a `for` "
            "statement that AutoGraph can see, or use tf.map_fn."
        )


class Counting:
    """The numbers of `tf.range`, without materialising the tensor."""

    def __init__(self, start: Any, limit: Any, delta: Any) -> None:
        self._start, self._limit, self._delta = start, limit, delta

    def __autograph_for__(self, loop: Loop) -> None:
        """Count."""
        loop.begin_with(self._start)
        ends = [end.static_value for end in (self._start, self._limit, self._delta)]
        sure = all(e is not None for e in ends) and (ends[0] < ends[1]) == (ends[2] > 0)
        initial = loop.prepare(item=lambda: (placeholder(self._start.dtype),), sure=bool(sure))

        def step(number: Any, *leaves: Any) -> list[Any]:
            return [number + self._delta, *loop.step(leaves, number)]

        _run(loop, self._start, initial, self._precedes_limit, step)

    def _precedes_limit(self, number: Any) -> Any:
        delta = self._delta.static_value
        if delta is not None:
            return number < self._limit if delta >= 0 else number > self._limit
        rising = logical_and(self._delta >= 0, number < self._limit)
        return logical_or(rising, logical_and(self._delta < 0, number > self._limit))


def _run(
    loop: Loop,
    first: Any,
    initial: list[Any],
    within: Callable[[Any], Any],
    step: Callable[..., list[Any]],
) -> None:
    """Stage a loop with a counter before its own variables."""

    def going(counter: Any, *leaves: Any) -> Any:
        more = within(counter)
        on = loop.going(leaves)
        return more if on is None else logical_and(more, on)

    final = while_loop(
        going,
        step,
        [first, *initial],
        shape_invariants=loop.shape_invariants(TensorShape([])),
        maximum_iterations=loop.maximum_iterations,
    )
    loop.finish(final[1:])


def rows(tensor: Any) -> Numbered:
    """Return the slices of a tensor along its first axis."""
    count = length(tensor)
    dims = tensor.static_shape
    # A TensorArray accumulates its gradient row by row, without adding whole tensors.
    array = TensorArray(tensor.dtype, count, element_shape=None if dims is None else dims[1:])
    return Numbered(count, array.unstack(tensor).read)


def ragged_rows(tensor: RaggedTensor) -> Numbered:
    """Return the rows of a ragged tensor."""
    return Numbered(tensor.nrows(dtypes.int32), tensor.__getitem__)


def length(tensor: Any) -> Any:
    """Return the size of the first axis: a number if it is static, else a tensor."""
    dims = tensor.static_shape
    if dims == ():
        raise ValueError(
            f"len() of a scalar tensor is not defined: it has no axes (shape {tensor.shape})"
        )
    if dims is not None and dims[0] is not None:
        return dims[0]
    return shape(tensor)[0]


def numbered(value: Any) -> Numbered | None:
    """Return items that can be looked up by index while tracing, if `value` has such."""
    if isinstance(value, Numbered | StagedList):
        return staged_iterable(value) if isinstance(value, StagedList) else value
    return rows(dispatch.convert(value)) if is_staged(value) else None


def enumerated(items: Numbered, start: Any) -> Numbered:
    """Return items with their indices."""
    return Numbered(items.count, lambda index: (index + start, items.item(index)))


def zipped(several: Sequence[Numbered]) -> Numbered:
    """Return items side by side, as many as the shortest has."""
    return Numbered(
        _minimum_count([each.count for each in several]),
        lambda index: tuple(each.item(index) for each in several),
    )


def mapped(function: Callable[..., Any], several: Sequence[Numbered]) -> Numbered:
    """Return a function of items."""
    together = zipped(several)
    return Numbered(together.count, lambda index: function(*together.item(index)))


def _minimum_count(counts: list[Any]) -> Any:
    static_counts = [count for count in counts if isinstance(count, int)]
    fewest: Any = min(static_counts) if static_counts else None
    for count in counts:
        if not isinstance(count, int):
            fewest = count if fewest is None else minimum(count, fewest)
    return fewest
