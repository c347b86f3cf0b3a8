"""Split strings, and n-grams."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings, even_splits, over_values, rows_of_sparse
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.ops.array.common import concat_v2, reshape, shape_of, static_ints
from tapeflow._src.ops.array.shape import ensure_shape
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.strings.split import string_n_grams, string_split, string_split_v2


@scoped("StringSplit")
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Split strings at separators, or at white space, into a ragged tensor.

    Args:
        input: A string tensor, or ragged strings.
        sep: The separator; runs of white space by default. Empty parts between two separators are
            kept.
        maxsplit: The largest number of splits; -1 for all.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 1 for a scalar, else a `tf.RaggedTensor` of one rank more.

    Example:

        >>> tf.strings.split(["a b  c", "d"]).to_list()
        [[b'a', b'b', b'c'], [b'd']]
        >>> tf.strings.split("1,2,,3", sep=",").numpy().tolist()
        [b'1', b'2', b'', b'3']
    """
    if isinstance(input, RaggedTensor):
        return over_values(lambda flat: split(flat, sep, maxsplit), input)
    input = dispatch.convert(input, dtypes.string)
    if input.shape.rank is None:
        # Strings of unknown rank are assumed to be a vector, which is checked at run time.
        input = ensure_shape(input, shape=(None,))
    separator = dispatch.convert("" if sep is None else sep, dtypes.string)
    # The tensor itself, where it is a vector: it keeps its packed form for the next call.
    is_vector = isinstance(input, EagerTensor) and input.ndim == 1
    flat = input if is_vector else reshape(input, static_ints((-1,)))
    indices, values, shape = string_split_v2(flat, separator, maxsplit=maxsplit)
    return rows_of_sparse(input, indices, values, shape)


@scoped("StringsByteSplit")
def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """Split strings into bytes.

    Args:
        input: A string tensor, or ragged strings.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 1 for a scalar, else a `tf.RaggedTensor` of one rank more.

    Example:

        >>> tf.strings.bytes_split(["abc", ""]).to_list()
        [[b'a', b'b', b'c'], []]
    """
    input = as_strings(input)
    if isinstance(input, RaggedTensor):
        return over_values(bytes_split, input)
    flat = reshape(input, static_ints((-1,)))
    indices, values, shape = string_split(flat, dispatch.convert(""))
    return rows_of_sparse(input, indices, values, shape)


@scoped("StringNGrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Join neighbours along the last axis, `ngram_width` at a time.

    Args:
        data: Strings of rank 1 or more, or ragged.
        ngram_width: How many strings are joined, or a list of such numbers.
        separator: The text between them.
        pad_values: A string, or one for the left and one for the right, put at the ends of a row.
        padding_width: How often; by default, and at most, as often as leaves one string in each
            n-gram.
        preserve_short_sequences: Whether a row shorter than the width is joined as a whole; else it
            yields nothing.
        name: Name of the op in a graph.

    Returns:
        A dense or ragged tensor of strings, as `data`.

    Raises:
        ValueError: A width is below 1, or `data` is a scalar.

    Example:

        >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
        [b'a b', b'b c']
    """
    widths = (ngram_width,) if isinstance(ngram_width, int) else tuple(ngram_width)
    for width in widths:
        if width < 1:
            raise ValueError(f"`ngram_width` must be 1 or more. Received: {ngram_width}")
    separator = as_text(separator, "separator")
    left, right, padding = _padding(pad_values, padding_width)
    data = as_strings(data)
    if data.shape.rank == 0:
        raise ValueError("Data must have rank>0")
    options: dict[str, Any] = {
        "separator": separator,
        "ngram_widths": widths,
        "left_pad": left,
        "right_pad": right,
        "pad_width": padding,
        "preserve_short_sequences": preserve_short_sequences,
    }
    if isinstance(data, RaggedTensor):
        *outer, inner = data.nested_row_splits
        values, splits = string_n_grams(data.flat_values, inner, **options)
        return RaggedTensor.from_nested_row_splits(values, [*outer, splits], validate=False)
    if data.shape.rank == 1:
        count = cast(shape_of(data), DstT=dtypes.int64)[0]
        whole = even_splits(dispatch.convert(1, dtypes.int64), count)
        return string_n_grams(data, whole, **options)[0]
    return _of_even_rows(data, options)


def _of_even_rows(data: Any, options: dict[str, Any]) -> Any:
    """Reshape the n-grams of rows of equal length to a dense tensor."""
    sizes = cast(shape_of(data), DstT=dtypes.int64)
    splits = even_splits(prod(sizes[:-1], static_ints((0,))), sizes[-1])
    values, splits = string_n_grams(reshape(data, static_ints((-1,))), splits, **options)
    dims = data.shape.as_list()
    if None not in dims[:-1]:
        return reshape(values, static_ints((*dims[:-1], -1)))
    rows = RaggedTensor.from_row_splits(values, splits, validate=False).to_tensor()
    if len(dims) == 2:
        return rows
    length = cast(shape_of(rows), DstT=dtypes.int64)[-1:]
    return reshape(rows, concat_v2((sizes[:-1], length), static_ints(0)))


def _padding(pad_values: Any, padding_width: int | None) -> tuple[str, str, int]:
    if pad_values is None:
        if padding_width is not None:
            raise ValueError(
                f"padding_width={padding_width} needs `pad_values`, the strings to pad with."
            )
        return "", "", 0
    if padding_width is not None and padding_width < 1:
        raise ValueError("padding_width must be greater than 0.")
    left, right = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    for pad in (left, right):
        if not isinstance(pad, (str, bytes)):
            raise TypeError(
                f"`pad_values` must be one string or a pair of them, for left and right. Received: "
                f"{pad_values!r}"
            )
    left, right = as_text(left, "pad_values"), as_text(right, "pad_values")
    return left, right, -1 if padding_width is None else padding_width
