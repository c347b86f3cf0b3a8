"""`ragged[key]`: rows by number, and slices of rows, of which each row is sliced by itself."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.ranges import ragged_range
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import expand_dims, scalar_int
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, sub
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum, minimum

_WHOLE = slice(None)


def get_ragged_item(rows: Any, key: Any) -> Any:
    """Return `rows[key]`: ints, slices, `...`, `tf.newaxis` and scalar tensors, one
    for each axis.
    """
    if not is_ragged(rows):
        raise TypeError(f"Ragged __getitem__ expects a ragged tensor. Received: {type(rows)}")
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    return _outer(rows, _without_ellipsis(rows, keys))


def _without_ellipsis(rows: Any, keys: list[Any]) -> list[Any]:
    """Return the keys with `...` written out as the slices it stands for."""
    ellipses = [i for i, item in enumerate(keys) if item is Ellipsis]
    if not ellipses:
        return keys
    rank = rows.shape.rank
    if ellipses[0] == len(keys) - 1:
        return keys[:-1]
    if rank is None:
        raise ValueError(
            "`...` cannot index a RaggedTensor of unknown rank: write out a slice for each axis."
        )
    at = ellipses[0]
    # A second `...` stands for one axis.
    rest = [_WHOLE if item is Ellipsis else item for item in keys[at + 1 :]]
    indexed = sum(1 for item in (*keys[:at], *rest) if item is not None)
    return [*keys[:at], *[_WHOLE] * (rank - indexed), *rest]


def _outer(rows: Any, keys: list[Any]) -> Any:
    """Index `rows` by `keys`, of which the first selects rows."""
    if not keys:
        return rows
    if not is_ragged(rows):
        return get_item(rows, tuple(keys))
    first, *rest = keys
    if first is None:
        return _under_new_axis(rows, _outer(rows, rest))
    if isinstance(first, slice):
        return _inner(_some_rows(rows, first), rest)
    row = _index(first)
    _require_row(rows._row_partition, row)
    splits = rows._row_partition.row_splits()
    starts, limits = get_item(splits, _BUT_LAST), get_item(splits, _BUT_FIRST)
    within = slice(get_item(starts, row), get_item(limits, row))
    return _outer(_value_range(rows.values, within), rest)


_BUT_LAST, _BUT_FIRST = slice(None, -1), slice(1, None)


def _under_new_axis(rows: Any, value: Any) -> Any:
    """Add a first axis of size 1."""
    if not is_ragged(value):
        return expand_dims(value, scalar_int(0))
    total = value._row_partition.nrows()
    one = scalar(1, total)
    return rows._like(value, RowPartition.from_uniform_row_length(total, total, one))


def _inner(rows: Any, keys: list[Any]) -> Any:
    """Index each element along the first axis of `rows` by `keys`."""
    if not keys:
        return rows
    if not is_ragged(rows):
        return get_item(rows, (_WHOLE, *keys))
    first, *rest = keys
    partition = rows._row_partition
    if first is None:
        inner = _inner(rows, rest)
        total = partition.nrows()
        return rows._like(
            inner, RowPartition.from_uniform_row_length(scalar(1, total), total, total)
        )
    if isinstance(first, slice):
        if first == _WHOLE:
            return rows._like(_inner(rows.values, rest), partition)
        lengths, positions = _within_rows(partition, first)
        chosen = _inner(take(rows.values, positions), rest)
        return rows._like(chosen, lengths)
    if not partition.is_uniform():
        raise ValueError(
            "An inner ragged dimension cannot be indexed by a number: its rows have different "
            "lengths. Use a slice (x[:, i:i + 1]), or tf.gather with batch_dims."
        )
    return _inner(_one_of_each(rows, _index(first)), rest)


def _one_of_each(rows: Any, index: Any) -> Any:
    """Return the element at `index` of every row, where all rows have one length."""
    partition = rows._row_partition
    length = partition.uniform_row_length()
    position = sizes.as_dtype_of(dispatch.convert(index, None, length.dtype), length.dtype)
    # A lookup among the positions of a row fails for an index out of range like any tensor.
    position = get_item(sizes.numbers_below(length), position)
    positions = add_v2(mul(sizes.numbers_below(partition.nrows()), length), position)
    return take(rows.values, positions)


def _index(item: Any) -> Any:
    if isinstance(item, Tensor) and item.dtype is not dtypes.bool:
        return item
    if not isinstance(item, bool) and hasattr(item, "__index__"):
        return item.__index__()
    raise TypeError(
        "A ragged tensor is indexed by integers, slices, `...`, tf.newaxis and scalar int32 or "
        f"int64 tensors, received {item!r}. For masks and lists of rows use tf.ragged.boolean_mask "
        "and tf.gather."
    )


def _require_row(partition: RowPartition, row: Any) -> None:
    """Raise IndexError if a row is statically out of range."""
    count = partition.static_nrows
    number = row.static_value if isinstance(row, Tensor) else row
    if count is not None and number is not None and not -count <= number < count:
        raise IndexError(f"Row key {number} out of bounds: there are {count} rows")


# -- slices -----------------------------------------------------------------------------------


def _some_rows(rows: Any, key: slice) -> Any:
    """Return `rows[key]` for a slice."""
    if key == _WHOLE:
        return rows
    partition = rows._row_partition
    step = 1 if key.step is None else key.step
    if isinstance(step, int) and step == 1:
        splits = partition.row_splits()
        starts = get_item(splits, _BUT_LAST)
        # One split more than rows, and at least one: that of no rows.
        chosen = get_item(starts, key)
        count = sizes.count(chosen, dtypes.int32)
        first = _first_row(splits, key)
        splits = get_item(splits, slice(first, add_v2(first, add_v2(count, scalar(1, count)))))
        inner = _value_range(rows.values, slice(get_item(splits, 0), get_item(splits, -1)))
        splits = sub(splits, get_item(splits, 0))
        if partition.is_uniform():
            return rows._like(inner, _evenly(partition, splits))
        return rows._like(inner, RowPartition(splits, internal=True))
    positions = get_item(sizes.numbers_below(partition.nrows()), key)
    return take(rows, positions)


def _evenly(partition: RowPartition, splits: Any) -> RowPartition:
    rows = sub(sizes.count(splits, partition.dtype), scalar(1, splits))
    length = partition.uniform_row_length()
    return RowPartition(splits, None, None, rows, length, mul(rows, length), internal=True)


def _first_row(splits: Any, key: slice) -> Any:
    """Return the number of the first row of a slice; that of no row may be any that there is."""
    start = 0 if key.start is None else key.start
    rows = sub(sizes.count(splits, dtypes.int32), scalar_int(1))
    first = sizes.as_dtype_of(dispatch.convert(start, None, dtypes.int32), dtypes.int32)
    return _clipped(first, rows, scalar(0, rows), rows)


def _clipped(bound: Any, length: Any, least: Any, most: Any) -> Any:
    """Return a bound of a slice, counted from the front and within limits."""
    zero = scalar(0, length)
    counted = select_v2(less(bound, zero), add_v2(bound, length), bound)
    return minimum(maximum(counted, least), most)


def _within_rows(partition: RowPartition, key: slice) -> tuple[RowPartition, Any]:
    """Slice each row: return the new row partition and the indices of the remaining values."""
    lengths, starts = partition.row_lengths(), partition.row_starts()
    dtype = partition.dtype
    step = sizes.as_dtype_of(
        dispatch.convert(1 if key.step is None else key.step, None, dtype), dtype
    )
    zero, one = scalar(0, lengths), scalar(1, lengths)
    forwards = less(zero, step)
    # Backwards, a slice begins at the last element and may end before the first.
    least = select_v2(forwards, zero, neg(one))
    most = select_v2(forwards, lengths, sub(lengths, one))

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default
        tensor = sizes.as_dtype_of(dispatch.convert(value, None, dtype), dtype)
        return _clipped(tensor, lengths, least, most)

    begin = bound(key.start, select_v2(forwards, least, most))
    end = bound(key.stop, select_v2(forwards, most, least))
    splits, positions = ragged_range(
        add_v2(starts, begin), add_v2(starts, end), step, Tsplits=dtype
    )
    rows = RowPartition(splits, nvals=sizes.count(positions, dtype), internal=True)
    length = _static_length(partition.static_uniform_row_length, key)
    return (rows if length is None else rows._with_length(length)), positions


def _static_length(length: int | None, key: slice) -> int | None:
    """Return the static length of a slice of rows of one length, or None."""
    bounds = []
    for part in (key.start, key.stop, key.step):
        value = part.static_value if isinstance(part, Tensor) else part
        if length is None or (value is None and part is not None):
            return None
        bounds.append(None if value is None else int(value))
    return len(range(*slice(*bounds).indices(length)))  # type: ignore[arg-type]


# -- by position ------------------------------------------------------------------------------


def _value_range(values: Any, within: slice) -> Any:
    """Return values from one index up to another, both scalar tensors."""
    return _some_rows(values, within) if is_ragged(values) else get_item(values, within)


def take(values: Any, positions: Any) -> Any:
    """Gather elements along the first axis at a vector of indices."""
    if not is_ragged(values):
        return gather_v2(values, positions, scalar_int(0))
    partition = values._row_partition
    starts = gather_v2(partition.row_starts(), positions, scalar_int(0))
    limits = gather_v2(partition.row_limits(), positions, scalar_int(0))
    splits, inner = ragged_range(starts, limits, scalar(1, starts), Tsplits=partition.dtype)
    rows = RowPartition(splits, nvals=sizes.count(inner, partition.dtype), internal=True)
    if partition.is_uniform():
        rows = _evenly(partition, splits)
    return values._like(take(values.values, inner), rows)
