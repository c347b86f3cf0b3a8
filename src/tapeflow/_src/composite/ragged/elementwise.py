"""Ragged tensors element-wise: the op runs on the values of rows brought into line."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged.broadcasting import Operand, align, flat
from tapeflow._src.composite.ragged.implementations import implements, implements_element_wise
from tapeflow._src.composite.ragged.kinds import as_values, is_ragged
from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.math.arithmetic import add_n
from tapeflow._src.ops.math.comparison import equal, not_equal
from tapeflow._src.ops.strings.text import string_join


@implements_element_wise
def map_elements(op: Op, *inputs: Any, **attrs: Any) -> Any:
    """Apply an element-wise `op` to inputs of which some are ragged."""
    inputs = tuple(_converted(op, inputs))
    return on_flat_values(lambda *values: op(*values, **attrs), inputs)


def _converted(op: Op, inputs: tuple[Any, ...]) -> list[Any]:
    """Convert the inputs to tensors; Python values take the dtype of a ragged operand."""
    shared = [v.dtype for v, kind in zip(inputs, op.kinds) if is_ragged(v) and kind == "T"]
    dtype = shared[0] if shared else None
    converted = []
    for value, kind in zip(inputs, op.kinds, strict=True):
        if is_ragged(value):
            converted.append(value)
        elif kind != "T":
            converted.append(dispatch.convert(value))
        elif hasattr(value, "dtype"):
            converted.append(dispatch.convert(value, None, dtype))
        else:
            converted.append(dispatch.convert(value, dtype))
    return converted


def on_flat_values(compute: Any, inputs: tuple[Any, ...]) -> Any:
    """Apply `compute` to the flat values of tensors broadcast to common rows."""
    ragged = [value for value in inputs if is_ragged(value)]
    first = ragged[0]
    if _need_no_alignment(first, inputs):
        values = [value.flat_values if is_ragged(value) else value for value in inputs]
        return first.with_flat_values(compute(*values))
    dtype = same_splits_dtype(ragged)
    taking_part = [Operand.of(value, dtype) for value in inputs if value.shape.rank != 0]
    partitions = align(taking_part, dtype)
    rank = max(operand.rank for operand in taking_part)
    flats = iter([flat(operand, len(partitions), rank) for operand in taking_part])
    values = [value if value.shape.rank == 0 else next(flats) for value in inputs]
    result = compute(*values)
    for partition in reversed(partitions):
        result = first._like(result, partition)
    return result


def same_splits_dtype(ragged: list[Any]) -> Any:
    """Return the row splits dtype of all; raise ValueError if they differ."""
    dtypes_used = {value._row_partition.dtype for value in ragged}
    if len(dtypes_used) > 1:
        raise ValueError(
            "The ragged tensors have row_splits of different dtypes: convert one of them with "
            ".with_row_splits_dtype(tf.int64)."
        )
    return dtypes_used.pop()


def _need_no_alignment(first: Any, inputs: tuple[Any, ...]) -> bool:
    """Whether all are scalars, or ragged tensors known to have equal rows."""
    rows = first._nested_row_partitions
    for value in inputs:
        if is_ragged(value):
            others = value._nested_row_partitions
            same = len(others) == len(rows) and value.shape.rank == first.shape.rank
            if not same or not all(a._same_as(b) for a, b in zip(rows, others)):
                return False
            if rows[0].dtype is not others[0].dtype:
                return False
        elif value.shape.rank != 0:
            return False
    return True


@implements(equal, not_equal)
def _(op: Op, x: Any, y: Any, *, incompatible_shape_error: bool = True) -> Any:
    """Compared with `==`, rows that do not fit are different."""
    try:
        return map_elements(op, x, y)
    except (InvalidArgumentError, ValueError):
        if incompatible_shape_error:
            raise
        return op is not_equal


@implements(add_n)
def _(op: Op, inputs: Any) -> Any:
    return on_flat_values(lambda *values: op(list(values)), tuple(inputs))


@implements(string_join)
def _(op: Op, inputs: Any, *, separator: str = "") -> Any:
    tensors = tuple(as_values(value) for value in inputs)
    return on_flat_values(lambda *values: op(list(values), separator=separator), tensors)
