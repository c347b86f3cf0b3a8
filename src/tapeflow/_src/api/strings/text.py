"""Join, slice, measure and match strings."""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.composite.ragged.reductions import in_segments
from tapeflow._src.composite.ragged.reshaping import with_axis
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.ragged.text import to_text
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.ops.array.common import expand_dims, range_, scalar_int
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.shape import rank
from tapeflow._src.ops.graph.printing import string_format
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.strings import regex as regex
from tapeflow._src.ops.strings import text as ops


def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Join strings element-wise; scalars are broadcast.

    `tf.strings.reduce_join` joins along an axis of one tensor.

    Args:
        inputs: A list of string tensors of one shape, or scalars.
        separator: The text between them.
        name: Name of the op in a graph.

    Returns:
        A string tensor of their shape.

    Example:

        >>> tf.strings.join([["a", "b"], "x"], separator="-").numpy().tolist()
        [b'a-x', b'b-x']
    """
    separator = as_text(separator, "separator")
    parts = [as_strings(part) for part in inputs]
    if any(isinstance(part, RaggedTensor) for part in parts):
        return _join_ragged(parts, separator, name=name)
    return ops.string_join(parts, separator=separator, name=name)


@scoped("RaggedStringJoin")
def _join_ragged(parts: list[Any], separator: str, name: str | None) -> Any:
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    for part in parts:
        if not isinstance(part, RaggedTensor) and part.shape.rank != 0:
            raise ValueError(
                f"tf.strings.join of ragged tensors takes ragged tensors and scalars, got a tensor "
                f"of shape {part.shape}. Make it ragged with tf.RaggedTensor.from_tensor."
            )
    values = [part.flat_values if isinstance(part, RaggedTensor) else part for part in parts]
    joined = ops.string_join(values, separator=separator, name=name)
    return RaggedTensor.from_nested_row_splits(joined, ragged[0].nested_row_splits, validate=False)


def reduce_join(
    inputs: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Join strings along axes, by default all.

    Args:
        inputs: A string tensor, or ragged strings.
        axis: An axis, a list of axes (in the order of joining), or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        separator: The text between strings.
        name: Name of the op in a graph.

    Returns:
        A string tensor without the reduced axes.

    Example:

        >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator=" ").numpy().tolist()
        [b'a b', b'c d']
    """
    separator = as_text(separator, "separator")
    inputs = as_strings(inputs)
    if isinstance(inputs, RaggedTensor):
        return _reduce_ragged(inputs, axis, keepdims, separator, name)
    return _reduce_tensor(inputs, axis, keepdims, separator, name)


@scoped("ReduceJoin")
def _reduce_tensor(
    inputs: Any, axis: Any, keepdims: bool, separator: str, op_name: str | None
) -> Any:
    if axis is None:
        static_rank = inputs.shape.rank
        if static_rank is None:
            last = rank(inputs)
            one = scalar_int(1)
            axis = range_(last - one, scalar_int(-1), scalar_int(-1))
        else:
            axis = list(range(static_rank - 1, -1, -1))
    axes = dispatch.convert(axis, dtypes.int32 if not isinstance(axis, Tensor) else None)
    return ops.reduce_join(inputs, axes, keep_dims=keepdims, separator=separator, name=op_name)


def _reduce_ragged(rows: Any, axis: Any, keepdims: bool, separator: str, name: str | None) -> Any:
    depth = rows.shape.rank
    if axis is None:
        op_name = name or "RaggedSegmentJoin"
        whole = _reduce_tensor(rows.flat_values, None, False, separator, op_name)
        return _boxed(whole, depth) if keepdims else whole
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    for one in axes:
        if not -depth <= one < depth:
            raise ValueError(f"axis={one} out of bounds: expected {-depth}<=axis<{depth}")
    innermost_first = sorted({one % depth for one in axes}, reverse=True)
    return _reduce_axes(rows, innermost_first, keepdims, separator, name)


@scoped("RaggedSegmentJoin")
def _reduce_axes(
    rows: Any, axes: list[int], keepdims: bool, separator: str, name: str | None
) -> Any:
    for one in axes:
        rows = _reduce_axis(rows, one, keepdims, separator)
    return rows


def _reduce_axis(rows: Any, axis: int, keepdims: bool, separator: str) -> Any:
    if not isinstance(rows, RaggedTensor):
        return reduce_join(rows, axis, keepdims, separator)
    if axis > 1:
        return rows.with_values(_reduce_axis(rows.values, axis - 1, keepdims, separator))
    ids, count = rows.value_rowids(), rows.nrows()
    if axis == 0:
        # Strings at the same position of their rows are joined.
        positions = range_(scalar(0, count), rows.row_splits[-1], scalar(1, count))
        ids = positions - gather_v2(rows.row_starts(), ids, scalar_int(0))
        count = rows.bounding_shape(axis=1)
    join_segments = partial(ops.unsorted_segment_join, separator=separator)
    joined = in_segments(join_segments, rows.values, ids, count)
    return with_axis(joined, axis) if keepdims else joined


def _boxed(value: TensorLike, depth: int) -> Any:
    for _ in range(depth):
        value = expand_dims(value, scalar_int(0))
    return value


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Join the strings of each segment.

    Args:
        inputs: A string tensor.
        segment_ids: The segment of each string, of the shape of the first axes of `inputs`, in
            `[0, num_segments)`.
        num_segments: The number of segments.
        separator: The text between strings.
        name: Name of the op in a graph.

    Returns:
        A string tensor of shape `[num_segments, ...]`; empty strings for empty segments.

    Example:

        >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, "-").numpy().tolist()
        [b'b', b'a-c']
    """
    separator = as_text(separator, "separator")
    return ops.unsorted_segment_join(
        as_strings(inputs), segment_ids, num_segments, separator=separator, name=name
    )


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert to lower case: ASCII letters, or all with encoding "utf-8".

    Args:
        input: A string tensor, or ragged strings.
        encoding: "" for bytes, of which ASCII letters are converted, or "utf-8".
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.lower(["Ab", "c"]).numpy().tolist()
        [b'ab', b'c']
    """
    return ops.string_lower(as_strings(input), encoding=as_text(encoding, "encoding"), name=name)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert to upper case: ASCII letters, or all with encoding "utf-8".

    Args:
        input: A string tensor, or ragged strings.
        encoding: "" for bytes, of which ASCII letters are converted, or "utf-8".
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.upper(["Ab", "c"]).numpy().tolist()
        [b'AB', b'C']
    """
    return ops.string_upper(as_strings(input), encoding=as_text(encoding, "encoding"), name=name)


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Strip leading and trailing white space.

    Args:
        input: A string tensor, or ragged strings.
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.strip(["  a b "]).numpy().tolist()
        [b'a b']
    """
    return ops.string_strip(as_strings(input), name=name)


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Return the length in bytes, or in characters with unit "UTF8_CHAR".

    Args:
        input: A string tensor, or ragged strings.
        unit: "BYTE" or "UTF8_CHAR".
        name: Name of the op in a graph.

    Returns:
        An int32 tensor of the shape of `input`.

    Example:

        >>> tf.strings.length(["é", "ab"]).numpy().tolist()
        [2, 2]
        >>> tf.strings.length(["é", "ab"], unit="UTF8_CHAR").numpy().tolist()
        [1, 2]
    """
    return ops.string_length(as_strings(input), unit=as_text(unit, "unit"), name=name)


def substr(
    input: TensorLike, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """Extract the substring of each string at `pos`; negative positions count from the end.

    Args:
        input: A string tensor, or ragged strings.
        pos: Where it starts: an integer, or one per string.
        len: How long it is; shorter at the end of a string.
        unit: "BYTE" or "UTF8_CHAR".
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape that all broadcast to.

    Raises:
        InvalidArgumentError: A position lies outside of its string.

    Example:

        >>> tf.strings.substr(["hello", "world"], 1, 3).numpy().tolist()
        [b'ell', b'orl']
    """
    hint = next((v.dtype for v in (pos, len) if isinstance(v, Tensor)), dtypes.int32)
    start, count = dispatch.convert(pos, None, hint), dispatch.convert(len, None, hint)
    return ops.substr(as_strings(input), start, count, unit=as_text(unit, "unit"), name=name)


def regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Tensor:
    """Return whether each string fully matches the pattern, in RE2 syntax.

    Args:
        input: A string tensor, or ragged strings.
        pattern: The pattern, a string or a scalar tensor.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape of `input`.

    Example:

        >>> tf.strings.regex_full_match(["cat", "cats"], "c.t").numpy().tolist()
        [True, False]
    """
    input = as_strings(input)
    if isinstance(pattern, (str, bytes)):
        return regex.static_regex_full_match(input, pattern=pattern, name=name)
    return regex.regex_full_match(input, dispatch.convert(pattern, dtypes.string), name=name)


def regex_replace(
    input: TensorLike,
    pattern: Any,
    rewrite: Any,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Replace matches of a pattern by `rewrite`, where `\1` is the first group and `\0` the match.

    Args:
        input: A string tensor, or ragged strings.
        pattern: The pattern in RE2 syntax, a string or a scalar tensor.
        rewrite: The replacement, with references to groups.
        replace_global: Whether to replace all matches; else the first one only.
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.regex_replace(["a1b22"], "[0-9]+", "#").numpy().tolist()
        [b'a#b#']
        >>> tf.strings.regex_replace("key=value", "(.*)=(.*)", r"\2=\1").numpy()
        b'value=key'
    """
    input = as_strings(input)
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return regex.static_regex_replace(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return regex.regex_replace(
        input,
        dispatch.convert(pattern, dtypes.string),
        dispatch.convert(rewrite, dtypes.string),
        replace_global=replace_global,
        name=name,
    )


def format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """Fill the text of tensors into the placeholders of `template`.

    Args:
        template: The text, with a placeholder per tensor.
        inputs: A tensor, or a list of tensors.
        placeholder: The text that stands for a tensor.
        summarize: How many elements at the ends of each axis are shown; -1 for all.
        name: Name of the op in a graph.

    Returns:
        A scalar string tensor.

    Raises:
        ValueError: The number of placeholders is another.

    Example:

        >>> tf.strings.format("x: {}, y: {}", [tf.constant([1, 2]), tf.constant(3)]).numpy()
        b'x: [1 2], y: 3'
    """
    listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    expected = template.count(placeholder)
    if expected != len(listed):
        raise ValueError(
            f"The template has {expected} placeholders {placeholder!r}, one for each tensor. "
            f"Received {len(listed)} tensors"
        )
    if any(isinstance(value, RaggedTensor) for value in listed):
        return _format_ragged(template.split(placeholder), listed, summarize, name)
    tensors = [dispatch.convert(value) for value in listed]
    return string_format(
        tensors, template=template, placeholder=placeholder, summarize=summarize, name=name
    )


@scoped("StringFormat")
def _format_ragged(pieces: list[str], inputs: list[Any], summarize: int, name: str | None) -> Any:
    texts = [_text_of(value, summarize) for value in inputs]
    first, *between = (dispatch.convert(piece) for piece in pieces)
    parts = [part for pair in zip(texts, between, strict=True) for part in pair]
    return ops.string_join([first, *parts])


def _text_of(value: TensorLike, summarize: int) -> Any:
    if isinstance(value, RaggedTensor):
        return to_text(value, summarize)
    return format("{}", value, summarize=summarize)
