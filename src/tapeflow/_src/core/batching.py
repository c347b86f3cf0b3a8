"""Batch rules: how an op runs once for a whole batch of inputs (see `gradients.vectorize`).

A rule is declared with its op, `@op(..., batch=on_values)` or `@the_op.batch`, and is called as
`rule(batch, *inputs, **attributes)`. It returns the results with the batch as first axis, `Shared`
results that are the same for all members, or NotImplemented to have the call made for each member.
Ops with an element-wise shape rule need none. Here are the rules that several ops share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any


class Shared:
    """A result that is the same for all members of a batch."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class Batch(ABC):
    """The context of a rule: the op, the number of members, and accessors for inputs.

    Sizes and axes in arguments are those of one member; the batch axis comes before them.
    """

    op: Any
    size: int

    @abstractmethod
    def has(self, tensor: Any) -> bool:
        """Return whether an input differs among the members."""

    @abstractmethod
    def values(self, tensor: Any) -> Any:
        """Return the values of an input with the batch as first axis."""

    @abstractmethod
    def aligned(self, *tensors: Any) -> list[Any]:
        """Return operands that broadcast member by member."""

    @abstractmethod
    def ints(self, *values: int) -> Any:
        """Return a vector of integers."""

    @abstractmethod
    def reshape(self, tensor: Any, *dims: int) -> Any:
        """Return `tensor` in another shape."""

    @abstractmethod
    def broadcast(self, tensor: Any, *dims: int) -> Any:
        """Return `tensor` broadcast to a shape."""

    @abstractmethod
    def axis(self, axis: Any, rank: int) -> Any:
        """Return a scalar tensor that names the axis in tensors with the batch; None if unknown."""

    @abstractmethod
    def axes(self, axes: Any, rank: int, flat: bool = True) -> Any:
        """Return `axis` for any number of axes; a scalar stays one if not `flat`."""

    @abstractmethod
    def move_axis(self, tensor: Any, start: int, end: int) -> Any:
        """Return `tensor` with one axis moved; the others keep their order."""

    @abstractmethod
    def merge(self, tensor: Any, axis: int) -> Any:
        """Return `values(tensor)` with the batch merged into `axis`, as the slower of the two."""

    @abstractmethod
    def split(self, tensor: Any, axis: int) -> Any:
        """Undo `merge`."""

    @abstractmethod
    def member_indices(self, indices: Any) -> Any:
        """Return indices into the whole batch: the member's index precedes each."""

    def scaled(self, sizes: Any, axis: int) -> Any:
        """Return a vector of known sizes, one of them multiplied by the size of the batch."""
        static_sizes = [int(n) for n in sizes.static_value]
        static_sizes[axis] *= self.size
        return self.ints(*static_sizes)


def is_static(*tensors: Any) -> bool:
    """Return whether the values of all tensors are known."""
    return all(tensor.static_value is not None for tensor in tensors)


def on_values(batch: Batch, *inputs: Any, **attrs: Any) -> Any:
    """Batch ops that are element-wise, or work on the last axes, with any leading axes."""
    return batch.op(*[batch.values(x) for x in inputs], **attrs)


def on_list(batch: Batch, inputs: Iterable[Any], **attrs: Any) -> Any:
    """Like `on_values`, for ops whose input is a list."""
    return batch.op([batch.values(x) for x in inputs], **attrs)


def on_first(batch: Batch, x: Any, *settings: Any, **attrs: Any) -> Any:
    """Like `on_values`; inputs after the first are settings, the same for all members."""
    if any(batch.has(s) for s in settings):
        return NotImplemented
    return batch.op(batch.values(x), *settings, **attrs)


def on_first_two(batch: Batch, x: Any, y: Any, *settings: Any, **attrs: Any) -> Any:
    """Like `on_first`, with two data inputs."""
    if any(batch.has(s) for s in settings):
        return NotImplemented
    return batch.op(batch.values(x), batch.values(y), *settings, **attrs)


def on_aligned(batch: Batch, *inputs: Any, **attrs: Any) -> Any:
    """Batch ops whose operands are broadcast against each other."""
    return batch.op(*batch.aligned(*inputs), **attrs)


def along_axes(batch: Batch, x: Any, axis: Any, **attrs: Any) -> Any:
    """Batch ops along the axes that the second input lists."""
    axes = batch.axes(axis, len(x.static_shape))
    return NotImplemented if axes is None else batch.op(batch.values(x), axes, **attrs)


def along_axis(batch: Batch, x: Any, axis: Any, **attrs: Any) -> Any:
    """Batch ops along the axis that is the second input."""
    after = batch.axis(axis, len(x.static_shape))
    return NotImplemented if after is None else batch.op(batch.values(x), after, **attrs)


def in_first_axis(batch: Batch, *inputs: Any, **attrs: Any) -> Any:
    """Batch ops with a batch axis of their own, into which the batch is merged."""
    if any(
        len(x.static_shape) == 0 or x.static_shape[0] != inputs[0].static_shape[0] for x in inputs
    ):
        return NotImplemented
    result = batch.op(*[batch.merge(x, 0) for x in inputs], **attrs)
    if batch.op.single_output:
        return batch.split(result, 0)
    return tuple(batch.split(r, 0) for r in result)


def in_rows(batch: Batch, data: Any, *ids: Any, **attrs: Any) -> Any:
    """Batch ops on the rows of `data`, which become longer."""
    if any(batch.has(i) for i in ids):
        return NotImplemented
    rows = batch.move_axis(batch.values(data), 0, 1)
    return batch.move_axis(batch.op(rows, *ids, **attrs), 1, 0)


def of_sizes_first(batch: Batch, sizes: Any, gradient: Any, **attrs: Any) -> Any:
    """Batch gradients w.r.t. inputs that have a batch axis, given the sizes of the input."""
    if not is_static(sizes):
        return NotImplemented
    result = batch.op(batch.scaled(sizes, 0), batch.merge(gradient, 0), **attrs)
    return batch.split(result, 0)
