"""Slices with a computed offset and a static size, such as `x[i * n : (i + 1) * n]`.

The begin and the end of a slice are sums of multiples of the same values; if they differ by a
constant, that is the size. XLA supports such slices, and no others with a computed begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core.dtypes import INDEX
from tapeflow._src.core.registry import Op
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.strided import Entries, Span
from tapeflow._src.ops.math.arithmetic import add, add_v2, mul, neg, sub
from tapeflow._src.ops.math.cast import cast

# How many operations back the sums are followed.
_DEPTH = 16


class _Sum(NamedTuple):
    """`constant` plus multiples of values, by the identity of their tensors."""

    constant: int
    multiples: dict[int, int]

    def plus(self, other: _Sum, sign: int = 1) -> _Sum:
        multiples = dict(self.multiples)
        for key, factor in other.multiples.items():
            multiples[key] = multiples.get(key, 0) + sign * factor
        nonzero = {key: factor for key, factor in multiples.items() if factor}
        return _Sum(self.constant + sign * other.constant, nonzero)

    def times(self, factor: int) -> _Sum:
        multiples = {key: factor * value for key, value in self.multiples.items() if factor}
        return _Sum(factor * self.constant, multiples)


def computed_entries(node: Operation, values: Mapping[int, Any]) -> tuple[Any, Any] | None:
    """Return `begin` and `end` of a slice op entry by entry: numbers, spans, and traced scalars.

    None if they are not built from scalars.
    """
    names = node.definition.input_names
    begin, end = (node.operands[names.index(name)] for name in ("begin", "end"))
    starts, stops = _parts(begin, values), _parts(end, values)
    if starts is None or stops is None or len(starts) != len(stops):
        return None
    attrs = node.attrs
    whole = attrs["begin_mask"] | attrs["end_mask"] | attrs["shrink_axis_mask"]
    begins, ends = [], []
    for i, ((start, first), (stop, last)) in enumerate(zip(starts, stops, strict=True)):
        size = stop.plus(start, -1)
        spans = start.multiples and not size.multiples and not whole >> i & 1
        begins.append(Span(first, max(size.constant, 0)) if spans else first)
        ends.append(last)
    return Entries(begins), Entries(ends)


def _parts(tensor: SymbolicTensor, values: Mapping[int, Any]) -> list[tuple[_Sum, Any]] | None:
    """Return the entries of a vector, each as a sum and as a value."""
    value = values[id(tensor)]
    if isinstance(value, np.ndarray):
        return [(_Sum(int(v), {}), int(v)) for v in value]
    if tensor.op.definition is not pack or tensor.op.attrs["axis"] != 0:
        return None
    parts = []
    for scalar in tensor.op.inputs:
        total = _sum(scalar, values)
        parts.append((total, values[id(scalar)] if total.multiples else total.constant))
    return parts


def _sum(tensor: SymbolicTensor, values: Mapping[int, Any], depth: int = _DEPTH) -> _Sum:
    value = values.get(id(tensor))
    if isinstance(value, np.ndarray) and not value.ndim:
        return _Sum(int(value), {})
    if depth and tensor.dtype in INDEX and all(id(t) in values for t in tensor.op.inputs):
        operands = [_sum(t, values, depth - 1) for t in tensor.op.inputs]
        combined = _combined(tensor.op.definition, operands)
        if combined is not None:
            return combined
    return _Sum(0, {id(tensor): 1})


def _combined(op: Op, operands: list[_Sum]) -> _Sum | None:
    """Return the sum that an op computes of sums, if it is one."""
    if op in (add_v2, add):
        return operands[0].plus(operands[1])
    if op is sub:
        return operands[0].plus(operands[1], -1)
    if op is neg:
        return operands[0].times(-1)
    if op is mul:
        constants = [s.constant for s in operands if not s.multiples]
        others = [s for s in operands if s.multiples]
        return others[0].times(constants[0]) if len(constants) == len(others) == 1 else None
    if op in (identity, cast):
        return operands[0]
    return None
