"""Ragged tensors as text, put together by ops: of rows that are there, or of a graph's."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.joining import with_levels
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.masking import boolean_mask
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.math.arithmetic import sub
from tapeflow._src.ops.math.comparison import equal, greater, greater_equal, less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_and, logical_not, logical_or
from tapeflow._src.ops.strings.numbers import as_string
from tapeflow._src.ops.strings.text import string_join, unsorted_segment_join

_regex = LazyModule("tapeflow._src.ops.strings.regex")


def to_text(rows: Any, summarize: int) -> Any:
    """Return `[[1, 2], [3]]` as a scalar: of long rows the first and the last `summarize` elements.

    A negative `summarize` leaves nothing out.
    """
    levels = with_levels(rows, len(rows.shape) - 1, rows.row_splits.dtype)
    words = _words(levels.flat_values)
    for partition in reversed(levels._nested_row_partitions):
        words = _joined(words, partition, summarize)
    count = sizes.count(words, dtypes.int64)
    everything = RowPartition.from_uniform_row_length(count, count, scalar(1, count), False)
    return reshape(_joined(words, everything, summarize), static_ints(()))


def _words(values: Any) -> Any:
    """Return each value as a string; strings are quoted and escaped."""
    if values.dtype is dtypes.string:
        quote = dispatch.convert("'")
        escaped = _regex.static_regex_replace(values, pattern=r"(['\\])", rewrite=r"\\\1")
        return string_join([quote, escaped, quote])
    return as_string(values)


def _joined(words: Any, partition: RowPartition, summarize: int) -> Any:
    """Return the words of each row, in brackets and separated by commas."""
    ids = partition.value_rowids()
    if summarize >= 0:
        words, ids = _shortened(words, ids, partition, summarize)
    rows = unsorted_segment_join(words, ids, partition.nrows(), separator=", ")
    return string_join([dispatch.convert("["), rows, dispatch.convert("]")])


def _shortened(words: Any, ids: Any, partition: RowPartition, summarize: int) -> tuple[Any, Any]:
    """Return the first and last words of long rows, with dots in between."""
    offsets = partition.offsets_in_rows()
    lengths = gather_v2(partition.row_lengths(), ids, scalar_int(0))
    ends = scalar(summarize, offsets)
    is_long = greater(lengths, scalar(2 * summarize, offsets))
    # The first word after those at the beginning makes room for the dots.
    dots = logical_and(is_long, equal(offsets, ends))
    outside = logical_or(less(offsets, ends), greater_equal(offsets, sub(lengths, ends)))
    mask = logical_or(logical_or(logical_not(is_long), outside), dots)
    words = select_v2(dots, dispatch.convert("..."), words)
    return boolean_mask(words, mask), boolean_mask(ids, mask)
