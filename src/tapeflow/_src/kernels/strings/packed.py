"""Packed strings: one text, and where in it each string begins and how long it is.

A `bytes` object costs 40 to 60 ns to create, as much as all that an op does with a short string.
Many strings are therefore passed from op to op as `PackedStrings`: cutting, moving and selecting
strings is arithmetic on positions, and NumPy works on the bytes of all strings together. Objects
are created when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.words import TextWords, byte_sizes

Array = np.ndarray[Any, Any]

# Tensors of fewer strings stay arrays of objects: NumPy's calls would take longer than the loop.
MANY = 256
# Zeros behind every text: words of eight bytes may be read from any byte of it.
_PADDING = bytes(16)
# The bytes that are copied at a time.
_PIECE = 16
_OBJECT = np.dtype(object)
# A text may be so many times as long as its strings together before they are copied out of it.
_MOST_SLACK = 4


class PackedStrings:
    """An array of strings in one text. Never changed: tensors and ops share it.

    Attributes:
        text: The bytes of the strings, and at least 16 bytes behind the last of them.
        starts: For each string, in row-major order, the position of its first byte.
        sizes: For each string its number of bytes.
        shape: The shape of the array.
        dtype: The dtype of arrays of strings, as kernels and shape rules look it up.
    """

    __slots__ = ("_dense", "_facts", "shape", "sizes", "starts", "text")
    dtype = _OBJECT

    def __init__(
        self,
        text: bytes,
        starts: Array,
        sizes: Array,
        shape: tuple[int, ...] | None = None,
        dense: bool = False,
    ) -> None:
        self.text = text
        self.starts = starts
        self.sizes = sizes
        self.shape = (len(sizes),) if shape is None else shape
        # Whether the strings fill the text from its beginning, one behind the other.
        self._dense = dense
        # Derived facts by name, cached; shared with the same strings in other shapes.
        self._facts: dict[str, Any] = {}

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return len(self.sizes)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return len(self.text) + self.starts.nbytes + self.sizes.nbytes

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def data(self) -> Array:
        """The bytes of the text, as an array."""
        return np.frombuffer(self.text, np.uint8)

    def words_at(self, positions: Array) -> Array:
        """Return the eight bytes from each of some positions on, as little-endian words."""
        # Eight bytes of no alignment, which NumPy copies as one word.
        windows: Array = np.ndarray((len(self.text) - 7,), "V8", self.text, 0, (1,))
        return windows[positions].view("<u8")

    @property
    def total(self) -> int:
        """Bytes of all strings together."""
        return int(self.sizes.sum())

    @property
    def longest(self) -> int:
        """Bytes of the longest string."""
        longest = self._facts.get("longest")
        if longest is None:
            longest = self._facts["longest"] = int(self.sizes.max(initial=0))
        return int(longest)

    @property
    def words(self) -> TextWords:
        """The words of a vector of strings, the first two of which are read once."""
        words = self._facts.get("words")
        if words is None:
            words = self._facts["words"] = PackedWords.padded(self.text, self.starts, self.sizes)
        return words

    def reshape(self, *shape: Any) -> PackedStrings:
        """Return the same strings in another shape; one size may be -1."""
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if sizes == (-1,):
            sizes = (self.size,)
        elif -1 in sizes:
            sizes = np.broadcast_to(np.int8(0), self.shape).reshape(sizes).shape
        if sizes == self.shape:
            return self
        same = PackedStrings(self.text, self.starts, self.sizes, tuple(sizes), self._dense)
        same._facts = self._facts
        return same

    def with_text(self, text: bytes) -> PackedStrings:
        """Return strings at the same positions of another text."""
        return PackedStrings(text, self.starts, self.sizes, self.shape, self._dense)

    def __getitem__(self, part: Any) -> Any:
        """Return one string of a vector, or the strings at a slice or at indices."""
        if isinstance(part, (int, np.integer)):
            start = int(self.starts[part])
            return self.text[start : start + int(self.sizes[part])]
        some = PackedStrings(self.text, self.starts[part], self.sizes[part])
        if isinstance(part, slice) and "words" in self._facts:
            some._facts["words"] = self._facts["words"].sliced(part)
        return some

    def tolist(self) -> list[bytes]:
        """Return the strings of a vector."""
        strings: list[bytes] = self.objects().tolist()
        return strings

    def take(self, indices: Array) -> PackedStrings:
        """Return the strings at row-major indices, in the shape of `indices`."""
        flat = indices.reshape(-1)
        selected = PackedStrings(
            self.text, self.starts.take(flat), self.sizes.take(flat), indices.shape
        )
        # A few strings must not keep a long text alive.
        return selected if 8 * selected.size > self.size else selected.copied()

    def character_counts(self) -> Array:
        """Return for each string its number of characters of UTF-8: of bytes that begin one."""
        packed = self.trimmed()
        if packed.text.isascii():
            return packed.sizes
        # The number of beginnings before each byte.
        begins = np.zeros(len(packed.text) + 1, np.int64)
        np.cumsum(packed.data & 0xC0 != 0x80, out=begins[1:])
        return begins[packed.starts + packed.sizes] - begins[packed.starts]

    # -- layout ------------------------------------------------------------------------------

    def dense(self) -> PackedStrings:
        """Return these strings, filling their text one behind the other."""
        if self._dense:
            return self
        starts, sizes = self.starts, self.sizes
        if not len(starts) or (
            starts[0] == 0 and bool((starts[1:] == starts[:-1] + sizes[:-1]).all())
        ):
            self._dense = True
            return self
        return self.copied()

    def trimmed(self) -> PackedStrings:
        """Return these strings in a text that is not much longer than they are."""
        if self._dense or len(self.text) <= _MOST_SLACK * self.total + 4096:
            return self
        return self.copied()

    def copied(self) -> PackedStrings:
        """Return these strings in a text of their own."""
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        target = target_for(int(ends[-1]) if len(ends) else 0)
        copy_words(self.text, self.starts, self.sizes, target, starts)
        return PackedStrings(target.tobytes(), starts, self.sizes, self.shape, dense=True)

    def separated(self, separator: int) -> bytes:
        """Return a text of all strings with a byte between each two of them."""
        if not self.size:
            return b""
        starts = np.cumsum(self.sizes + 1) - (self.sizes + 1)
        length = int(starts[-1] + self.sizes[-1])
        target = target_for(length)
        copy_words(self.text, self.starts, self.sizes, target, starts)
        target[starts[1:] - 1] = separator
        return target[:length].tobytes()

    def objects(self) -> Array:
        """Return the strings as an array of `bytes` objects."""
        count = self.size
        packed = self.trimmed()
        text = packed.separated(0)
        if text.count(b"\0") == count - 1:
            parts = text.split(b"\0")
        else:
            parts = packed._cut()
        return np.fromiter(parts, object, count).reshape(self.shape)

    def as_array(self) -> Array:
        """Return the strings as a read-only array of objects, which is created once."""
        objects = self._facts.get("objects")
        if objects is None:
            objects = self._facts["objects"] = _read_only(self.objects().reshape(-1))
        array: Array = objects.reshape(self.shape)
        return array

    def _cut(self) -> list[bytes]:
        """Return the strings of a text, some of which may contain zeros."""
        free = np.flatnonzero(np.bincount(self.data, minlength=256) == 0)
        if free.size and self.size:
            separator = int(free[0])
            return self.separated(separator).split(bytes([separator]))
        starts, ends = self.starts.tolist(), (self.starts + self.sizes).tolist()
        return [self.text[start:end] for start, end in zip(starts, ends)]


class PackedWords(TextWords):
    """The words of packed strings: they never change, so that two of each are kept."""

    _pair: tuple[Array, Array] | None = None
    _blocks: list[Array] | None = None

    def blocks(self) -> list[Array]:
        if self._blocks is None:
            object.__setattr__(self, "_blocks", super().blocks())
        return self._blocks  # type: ignore[return-value]

    def pair(self) -> tuple[Array, Array]:
        if self._pair is None:
            object.__setattr__(self, "_pair", super().pair())
        return self._pair  # type: ignore[return-value]

    def _load(self, starts: Array, index: int) -> Array:
        if index == 0 and starts is self._starts and self._pair is not None:
            return self._pair[0].copy()
        return super()._load(starts, index)

    def sliced(self, part: slice) -> PackedWords:
        """Return the words of some of the strings."""
        some = PackedWords(self.sizes[part], self._starts[part], self._windows)
        if self._pair is not None:
            object.__setattr__(some, "_pair", (self._pair[0][part], self._pair[1][part]))
        return some


def target_for(length: int) -> Array:
    """Return memory for a text of `length` bytes, and its padding, which is zero."""
    target = np.empty(length + len(_PADDING), np.uint8)
    target[length:] = 0
    return target


def copy_words(text: bytes, starts: Array, sizes: Array, target: Array, at: Array) -> None:
    """Copy strings to increasing positions `at` of `target`, where none overlaps the next one.

    Sixteen bytes are copied at a time, and the last ones of a string reach beyond it, into what
    follows. That is written later: the last pieces of all strings come first, their first pieces
    last, and pieces at the same index in order.
    """
    if not len(sizes):
        return
    length = len(target) - len(_PADDING)
    # Bytes of no alignment: NumPy copies them as one piece, without a buffer in between.
    source: Array = np.ndarray((len(text) - 15,), "V16", text, 0, (1,))
    into: Array = np.ndarray((len(target) - 15,), "V16", target, 0, (1,))
    most = (int(sizes.max()) + 15) >> 4
    for index in range(most - 1, 0, -1):
        where = np.flatnonzero(sizes > 16 * index)
        into[at[where] + 16 * index] = source.take(starts[where] + 16 * index)
    if most:
        into[at] = source.take(starts)
    target[length:] = 0


def pack(array: Array) -> PackedStrings:
    """Pack the strings of an array of objects."""
    flat = array.reshape(-1)
    sizes = byte_sizes(flat)
    text = b"".join([*flat.tolist(), _PADDING])
    starts = np.cumsum(sizes) - sizes
    packed = PackedStrings(text, starts, sizes, array.shape, dense=True)
    packed._facts["objects"] = _read_only(flat)
    return packed


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def packed_rows(rows: Array, sizes: Array, shape: tuple[int, ...]) -> PackedStrings:
    """Return as strings the last `sizes` bytes of the rows of a matrix."""
    count, width = rows.shape
    starts = np.arange(width, (count + 1) * width, width) - sizes
    return PackedStrings(padded(rows.tobytes()), starts, sizes, shape)


def padded(text: bytes) -> bytes:
    """Return a text with the zeros that must stand behind it."""
    return text + _PADDING


def as_packed(value: Any) -> PackedStrings:
    """Return an array of strings as packed ones, whichever it is."""
    return value if type(value) is PackedStrings else pack(value)


def together(parts: Sequence[Any]) -> list[PackedStrings]:
    """Return strings of several arrays, or packed ones, in one text."""
    packed = [as_packed(part) for part in parts]
    texts: dict[int, int] = {}
    pieces: list[bytes] = []
    length = 0
    for part in packed:
        if id(part.text) not in texts:
            texts[id(part.text)] = length
            pieces.append(part.text)
            length += len(part.text)
    if len(pieces) == 1:
        return packed
    text = b"".join(pieces)
    return [
        PackedStrings(text, part.starts + texts[id(part.text)], part.sizes, part.shape)
        for part in packed
    ]


def concatenated(columns: Sequence[PackedStrings], separator: bytes) -> PackedStrings:
    """Concatenate the strings of several arrays of one shape, with a separator between them.

    Columns of one string stand for as many as the others have.
    """
    shape = next((column.shape for column in columns if column.shape), ())
    count = max(column.size for column in columns)
    columns = together(columns)
    rows = _concatenated_rows(columns, separator, count, shape)
    if rows is not None:
        return rows
    starts = np.empty((count, len(columns)), np.int64)
    sizes = np.empty((count, len(columns)), np.int64)
    for index, column in enumerate(columns):
        starts[:, index] = column.starts
        sizes[:, index] = column.sizes
    return joined_rows(columns[0].text, starts, sizes, separator, shape)


def _concatenated_rows(
    columns: Sequence[PackedStrings], separator: bytes, count: int, shape: tuple[int, ...]
) -> PackedStrings | None:
    """Like `concatenated`, for short strings: each result begins a row of one width.

    Whole pieces of 16 bytes are copied, column by column: what one writes beyond the end of its
    string is overwritten by the next column, and behind the last one there is room in every row.
    None if strings are long, or so different in size that most of the text would be room.
    """
    widths = [column.longest for column in columns]
    if not count or max(widths) > _PIECE:
        return None
    between = len(separator) * (len(columns) - 1)
    width = sum(widths) + between + _PIECE
    mean = sum(column.total / column.size for column in columns) + between
    if width > _MOST_SLACK * mean:
        return None
    begins = np.arange(0, count * width, width)
    target = np.zeros(count * width, np.uint8)
    text = columns[0].text
    source: Array = np.ndarray((len(text) - _PIECE + 1,), "V16", text, 0, (1,))
    into: Array = np.ndarray((len(target) - _PIECE + 1,), "V16", target, 0, (1,))
    at = begins
    for index, column in enumerate(columns):
        if index == 0:
            into[::width] = source.take(column.starts)
        else:
            for byte in separator:
                target[at] = byte
                at = at + 1
            into[at] = source.take(column.starts)
        at = at + column.sizes
    return PackedStrings(target.tobytes(), begins, at - begins, shape)


def joined_rows(
    text: bytes, starts: Array, sizes: Array, separator: bytes, shape: tuple[int, ...]
) -> PackedStrings:
    """Join the strings of each row of a matrix: those of `sizes` bytes at `starts` of `text`."""
    count, width = sizes.shape
    between = len(separator)
    lengths = sizes + between
    lengths[:, -1] -= between
    at = np.cumsum(lengths) - lengths.reshape(-1)
    length = int(at[-1] + lengths[-1, -1]) if at.size else 0
    target = target_for(length)
    copy_words(text, starts.reshape(-1), sizes.reshape(-1), target, at)
    if between and width > 1:
        gaps = (at.reshape(count, width) + sizes)[:, :-1].reshape(-1)
        for offset, byte in enumerate(separator):
            target[gaps + offset] = byte
    begins = np.append(at[::width], length)
    return PackedStrings(target.tobytes(), begins[:-1], begins[1:] - begins[:-1], shape, True)


# -- parts of strings --------------------------------------------------------------------------

IS_SPACE = np.zeros(256, bool)
"""Whether a byte is white space: what C's `isspace` says."""
IS_SPACE[[9, 10, 11, 12, 13, 32]] = True


def stripped(strings: PackedStrings) -> PackedStrings:
    """Return strings without white space at their ends."""
    data, sizes = strings.data, strings.sizes
    begins = _skipped(data, strings.starts, sizes, 1)
    sizes = sizes - (begins - strings.starts)
    last = _skipped(data, begins + sizes - 1, sizes, -1)
    return PackedStrings(strings.text, begins, last - begins + 1, strings.shape)


def _skipped(data: Array, positions: Array, sizes: Array, step: int) -> Array:
    """Move positions in steps over white space, at most as many as `sizes` has."""
    space = IS_SPACE.take(data.take(positions, mode="clip"))
    space &= sizes > 0
    where = np.flatnonzero(space)
    if not where.size:
        return positions
    positions = positions.copy()
    left = sizes[where]
    while where.size:
        positions[where] += step
        left -= 1
        going = np.flatnonzero(left > 0)
        going = going[IS_SPACE.take(data.take(positions[where[going]], mode="clip"))]
        where, left = where[going], left[going]
    return positions


# -- comparing ---------------------------------------------------------------------------------


def equal_strings(x: Any, y: Any) -> Any:
    """Compare strings element-wise with those of the same shape, or with one; else NotImplemented.

    At least one side is packed.
    """
    if not y.shape:
        one, many = as_packed(y), x
    elif not x.shape:
        one, many = as_packed(x), y
    else:
        if x.shape != y.shape:
            return NotImplemented
        one, many = (as_packed(side) for side in (x, y))
    equal = many.sizes == one.sizes
    # Of strings that are as long as each other: their words, until there are none left.
    where = np.flatnonzero(equal)
    index = 0
    while where.size:
        sides = [_word(side, where, index) for side in (many, one)]
        differ = sides[0] != sides[1]
        equal[where[differ]] = False
        index += 8
        where = where[~differ & (many.sizes[where] > index)]
    return equal.reshape(many.shape)


_LAST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(8)] + [2**64 - 1], np.uint64)


def _word(strings: PackedStrings, where: Array, offset: int) -> Array:
    """Return eight bytes from an offset on, with zeros behind the end of a string."""
    if strings.size == 1:
        where = np.zeros(1, np.intp)
    words = strings.words_at(strings.starts[where] + offset)
    words &= _LAST_BYTES.take(strings.sizes[where] - offset, mode="clip")
    return words


def without(strings: PackedStrings, characters: bytes) -> PackedStrings:
    """Return strings without some bytes."""
    strings = strings.dense()
    total = strings.total
    deleted = np.zeros(256, bool)
    deleted[np.frombuffer(characters, np.uint8)] = True
    # The number of bytes that are left before each.
    left = np.zeros(total + 1, np.int64)
    np.cumsum(~deleted.take(strings.data[:total]), out=left[1:])
    starts = left[strings.starts]
    sizes = left[strings.starts + strings.sizes] - starts
    text = strings.text[:total].translate(None, characters)
    return PackedStrings(padded(text), starts, sizes, strings.shape, dense=True)


def split_at_zeros(text: bytes, shape: tuple[int, ...]) -> PackedStrings:
    """Return the strings between the bytes of 0 of a text."""
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == 0)
    starts = np.concatenate([[0], ends + 1])
    sizes = np.concatenate([ends, [len(text)]]) - starts
    return PackedStrings(padded(text), starts, sizes, shape)


def split_at(strings: PackedStrings, separator: int) -> tuple[Array, PackedStrings]:
    """Split strings at a byte; return the number of parts of each, and all parts."""
    strings = strings.dense()
    starts, ends = strings.starts, strings.starts + strings.sizes
    marks = np.flatnonzero(strings.data[: strings.total] == separator)
    before = np.searchsorted(marks, starts)
    counts = np.searchsorted(marks, ends) - before
    counts += 1
    # The parts of a string end at its marks, and the last of them where the string ends.
    last = np.cumsum(counts) - 1
    part_ends = np.empty(len(marks) + len(starts), np.int64)
    part_starts = np.empty_like(part_ends)
    is_last = np.zeros(len(part_ends), bool)
    is_last[last] = True
    part_ends[last] = ends
    part_ends[~is_last] = marks
    part_starts[1:] = part_ends[:-1] + 1
    part_starts[last - counts + 1] = starts
    return counts, PackedStrings(strings.text, part_starts, part_ends - part_starts)


def split_at_space(strings: PackedStrings) -> tuple[Array, PackedStrings]:
    """Split strings at white space; return the number of words of each, and all words."""
    strings = strings.dense()
    total = strings.total
    filled = strings.sizes > 0
    starts = strings.starts[filled]
    # Between two words there is white space, or the end of a string.
    in_word = np.zeros(total + 2, bool)
    in_word[1:-1] = ~IS_SPACE.take(strings.data[:total])
    begins = in_word[1:-1] & ~in_word[:-2]
    begins[starts] = in_word[1:-1][starts]
    ends = in_word[1:-1] & ~in_word[2:]
    final = starts + strings.sizes[filled] - 1
    ends[final] = in_word[1:-1][final]
    first = np.flatnonzero(begins)
    counts = np.diff(np.searchsorted(first, strings.starts + strings.sizes), prepend=0)
    return counts, PackedStrings(strings.text, first, np.flatnonzero(ends) + 1 - first)


def sliding(strings: PackedStrings, first: Array, width: int, separator: bytes) -> PackedStrings:
    """Join each string at `first` and those behind it, `width` in all."""
    indices = first[:, None] + np.arange(width)
    starts, sizes = strings.starts[indices], strings.sizes[indices]
    return joined_rows(strings.text, starts, sizes, separator, (len(first),))
