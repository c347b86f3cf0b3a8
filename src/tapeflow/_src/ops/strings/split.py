"""Taking strings apart, and joining neighbours into n-grams."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import PACKS
from tapeflow._src.kernels.strings.encoding import split_texts
from tapeflow._src.kernels.strings.packed import sliding, split_at, split_at_space
from tapeflow._src.kernels.strings.words import byte_sizes
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array


def _sparse_rows(rows: list[list[bytes]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return _sparse(lengths, bytes_array(list(chain.from_iterable(rows))))


def _sparse(lengths: np.ndarray, parts: Any) -> tuple[np.ndarray, Any, np.ndarray]:
    """Return rows of parts as a sparse matrix."""
    starts = np.cumsum(lengths) - lengths
    indices = np.empty((int(lengths.sum()), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(lengths)), lengths)
    indices[:, 1] = np.arange(len(indices)) - np.repeat(starts, lengths)
    longest = int(lengths.max(initial=0))
    return indices, parts, np.array([len(lengths), longest], np.int64)


# From this many texts on they are split as one: below it, counting words costs more.
_FEW_STRINGS = 16


def _infer_parts(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, ...]:
    require_rank(specs[0], 1, "input")
    require_rank(specs[1], 0, op.input_names[1])
    return Spec((None, 2), dtypes.int64), Spec((None,), dtypes.string), Spec((2,), dtypes.int64)


@op(
    "StringSplitV2",
    infer=_infer_parts,
    dtypes=STRING,
    outputs=("indices", "values", "shape"),
    grad=None,
    host=HOST,
    checked=True,
    traits=(PACKS,),
)
def string_split_v2(xp, input, sep, *, maxsplit=-1):
    """Split each string at `sep`, or at white space if it is empty, into a sparse matrix."""
    texts = input.tolist()
    if maxsplit == 0:
        return _sparse_rows([[text] for text in texts])
    separator = sep.item()
    if len(separator) == 1 and maxsplit < 0 and texts:
        counts = np.fromiter((text.count(separator) for text in texts), np.int64, len(texts))
        return _sparse(counts + 1, bytes_array(separator.join(texts).split(separator)))
    if separator:
        return _sparse_rows([text.split(separator, maxsplit) for text in texts])
    if maxsplit < 0 and len(texts) >= _FEW_STRINGS:
        return _sparse(*split_texts(input))
    return _sparse_rows([_words(text, maxsplit) for text in texts])


@string_split_v2.kernel("packed")
def _(xp, input, sep, *, maxsplit):
    separator = sep.item()
    if maxsplit >= 0 or len(separator) > 1:
        return NotImplemented
    if separator:
        return _sparse(*split_at(input, separator[0]))
    return _sparse(*split_at_space(input))


def _words(text: bytes, maxsplit: int) -> list[bytes]:
    """Return the parts between white space; what follows the last split is a part even if empty."""
    words = text.split(None, maxsplit)
    return [*words, b""] if len(words) == maxsplit else words


@op(
    "StringSplit",
    infer=_infer_parts,
    dtypes=STRING,
    outputs=("indices", "values", "shape"),
    grad=None,
    host=HOST,
    checked=True,
)
def string_split(xp, input, delimiter, *, skip_empty=True):
    """Split each string at any byte of `delimiter`, or into bytes if it is empty."""
    marks = delimiter.item()
    texts = input.tolist()
    if not marks:
        codes = np.frombuffer(b"".join(texts), np.uint8)
        return _sparse(byte_sizes(input), _BYTES.take(codes))
    # All marks become the first one: then there is one thing to split at.
    table = bytes.maketrans(marks, marks[:1] * len(marks))
    rows = []
    for text in texts:
        parts = text.translate(table).split(marks[:1])
        rows.append([part for part in parts if part or not skip_empty])
    return _sparse_rows(rows)


# One object for each byte.
_BYTES = np.array([bytes([code]) for code in range(256)], object)


@op(
    "StringNGrams",
    dtypes=STRING,
    outputs=("ngrams", "ngrams_splits"),
    grad=None,
    host=HOST,
    checked=True,
    traits=(PACKS,),
)
def string_n_grams(
    xp,
    data,
    data_splits: Index,
    *,
    separator,
    ngram_widths,
    left_pad,
    right_pad,
    pad_width,
    preserve_short_sequences,
):
    """Join neighbours in each row, for every width; rows are padded at both ends."""
    splits = data_splits.tolist()
    _check_splits(splits, data.size)
    if not data.size:
        # Rows are not padded where there is no string at all.
        return bytes_array([]), np.zeros(len(splits), data_splits.dtype)
    between = separator.encode()
    if len(ngram_widths) == 1 and not preserve_short_sequences and not pad_width:
        return _unpadded_grams(data.tolist(), data_splits, ngram_widths[0], between)
    tokens = data.tolist()
    rows = [tokens[a:b] for a, b in pairwise(splits)]
    grams: list[bytes] = []
    ends = [0]
    pads = left_pad.encode(), right_pad.encode()
    for row in rows:
        joined_grams: list[bytes] = []
        for width in ngram_widths:
            padding = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            padded = [pads[0]] * padding + row + [pads[1]] * padding if padding else row
            # The row, the row from its second part on, …: side by side they are the neighbours.
            shifted = [padded[i:] for i in range(width)]
            joined_grams += padded if width == 1 else map(between.join, zip(*shifted))
        if preserve_short_sequences and not joined_grams and row and ngram_widths:
            # A row too short for every width stays one gram, with its padding.
            padding = max(0, pad_width)
            joined_grams = [between.join([pads[0]] * padding + row + [pads[1]] * padding)]
        grams += joined_grams
        ends.append(len(grams))
    return bytes_array(grams), np.array(ends, data_splits.dtype)


@string_n_grams.kernel("packed")
def _(xp, data, data_splits, *, separator, ngram_widths, pad_width, **options):
    if len(ngram_widths) > 1 or options["preserve_short_sequences"] or pad_width:
        return NotImplemented
    _check_splits(data_splits.tolist(), data.size)
    (width,) = ngram_widths
    first, ends = _gram_starts(data_splits, width)
    return sliding(data, first, width, separator.encode()), ends


def _gram_starts(splits: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the grams of rows begin, and how many there are up to the end of each row."""
    lengths = np.maximum(np.diff(splits) - (width - 1), 0)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(splits.dtype)
    # Behind the grams that begin in a row come those that reach into the next one.
    return np.arange(int(ends[-1])) + np.repeat(splits[:-1] - ends[:-1], lengths), ends


def _unpadded_grams(
    tokens: list[bytes], splits: np.ndarray, width: int, between: bytes
) -> tuple[np.ndarray, np.ndarray]:
    """Join all neighbours, as if there were one row; those that belong to two rows are left out."""
    within, ends = _gram_starts(splits, width)
    shifted = [tokens[i:] for i in range(width)]
    grams = map(between.join, zip(*shifted)) if width > 1 else tokens
    total = max(len(tokens) - (width - 1), 0)
    joined = np.fromiter(grams, object, total)
    return joined.take(within), ends


def _check_splits(splits: list[int], count: int) -> None:
    if not splits:
        if count:
            raise invalid(f"If splits has no elements, data must be empty, got {count} strings")
        return
    if splits[0] != 0:
        raise invalid(f"First split value must be 0, got {splits[0]}")
    if any(a > b for a, b in pairwise(splits)) or splits[-1] != count:
        raise invalid(f"Splits must not decrease and end at {count}, got {splits}")


@string_n_grams.infer
def _(data, data_splits, *, ngram_widths, **options):
    require_rank(data, 1, "data")
    require_rank(data_splits, 1, "data_splits")
    if any(width <= 0 for width in ngram_widths):
        raise InferError(f"ngram_widths must be positive, got {list(ngram_widths)}")
    return Spec((None,), dtypes.string), Spec(data_splits.shape, data_splits.dtype)
