"""Strings and code points: decoding, encoding, transcoding, and the scripts of characters."""

from __future__ import annotations

import codecs
from itertools import pairwise

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.infer import require_rank, same_as
from tapeflow._src.core.registry import Free, Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE
from tapeflow._src.kernels.codecs.unicode_scripts import LAST_POINT, script_table
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array, each, one_of

_ERRORS = ("strict", "replace", "ignore")
_OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
# Without a mark that says otherwise these begin with the high byte.
_BIG_ENDIAN = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}
_MARKS = {
    "utf-16": ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")),
    "utf-32": ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be")),
}


def _codec(encoding: str) -> str:
    """Return Python's name of an encoding; raise InferError if it is not supported."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise InferError(f"Could not create converter for input encoding: {encoding}") from None


def _check_options(errors: str, replacement_char: int) -> None:
    one_of("errors", errors, _ERRORS)
    if not 0 <= replacement_char <= LAST_POINT:
        raise InferError("replacement_char out of unicode codepoint range")


# -- decoding ----------------------------------------------------------------------------------


class _Decoder:
    """Reads code points out of strings of one encoding."""

    def __init__(self, encoding: str, errors: str, replacement: int, controls: bool) -> None:
        self._codec = _codec(encoding)
        self._errors = errors
        self._replacement = replacement
        self._controls = controls

    def points(self, text: bytes) -> list[int]:
        """Return the code points of a string."""
        return [point for point, _ in self.located(text)]

    def located(self, text: bytes) -> list[tuple[int, int]]:
        """Return the code points of a string, each with the index of its first byte."""
        codec, start = self._skip_mark(text)
        located: list[tuple[int, int]] = []
        while start < len(text):
            try:
                decoded, bad, end = text[start:].decode(codec), None, len(text)
            except UnicodeDecodeError as error:
                bad, end = start + error.start, start + error.end
                decoded = text[start:bad].decode(codec)
            located += self._placed(decoded, start, codec)
            if bad is not None:
                self._take_malformed(located, bad)
            start = end
        return located

    def _placed(self, decoded: str, start: int, codec: str) -> list[tuple[int, int]]:
        placed: list[tuple[int, int]] = []
        at = start
        for character in decoded:
            point = ord(character)
            if self._controls and point < 32:
                self._take_malformed(placed, at)
            else:
                placed.append((point, at))
            at += len(character.encode(codec))
        return placed

    def _take_malformed(self, located: list[tuple[int, int]], at: int) -> None:
        if self._errors == "strict":
            raise invalid("Invalid formatting on input string")
        if self._errors == "replace":
            located.append((self._replacement, at))

    def _skip_mark(self, text: bytes) -> tuple[str, int]:
        for mark, codec in _MARKS.get(self._codec, ()):
            if text.startswith(mark):
                return codec, len(mark)
        return _BIG_ENDIAN.get(self._codec, self._codec), 0


def _row_splits(rows: list[list[tuple[int, int]]], kind: np.dtype) -> np.ndarray:
    return np.cumsum([0, *[len(row) for row in rows]]).astype(kind)


@op(
    "UnicodeDecode",
    dtypes=STRING,
    outputs=("row_splits", "char_values"),
    grad=None,
    host=HOST,
    checked=True,
)
def unicode_decode(
    xp,
    input,
    *,
    input_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
    Tsplits=dtypes.int64,
):
    """Return the code points of each string as flat values and row splits."""
    texts = input.reshape(-1).tolist()
    if _codec(input_encoding) == "utf-8" and not replace_control_characters:
        decoded = _decoded_together(texts)
        if decoded is not None:
            return decoded[0].astype(as_dtype(Tsplits).np), decoded[1]
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    rows = [decoder.located(text) for text in texts]
    points = np.array([point for row in rows for point, _ in row], np.int32)
    return _row_splits(rows, as_dtype(Tsplits).np), points


def _decoded_together(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return row splits, code points and offsets of valid UTF-8, decoded at once; else None."""
    # A line break between them keeps incomplete characters incomplete.
    whole = b"\n".join([*texts, b""])
    try:
        points = np.frombuffer(whole.decode().encode("utf-32-le"), np.int32)
    except UnicodeDecodeError:
        return None
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    ends = np.cumsum(sizes)
    if len(points) == len(whole):
        # One byte a character.
        characters = np.concatenate([[0], ends])
        offsets = np.arange(len(points)) - np.repeat(ends - sizes, sizes)
    else:
        begins = (np.frombuffer(whole, np.uint8) & 0xC0) != 0x80
        characters = np.concatenate([[0], np.cumsum(begins)[ends - 1]])
        offsets = np.flatnonzero(begins) - np.repeat(ends - sizes, np.diff(characters))
    is_character = np.ones(len(points), bool)
    is_character[characters[1:] - 1] = False
    splits = characters - np.arange(len(characters))
    return splits, points[is_character], offsets[is_character]


@op(
    "UnicodeDecodeWithOffsets",
    dtypes=STRING,
    outputs=("row_splits", "char_values", "char_to_byte_starts"),
    grad=None,
    host=HOST,
    checked=True,
)
def unicode_decode_with_offsets(
    xp,
    input,
    *,
    input_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
    Tsplits=dtypes.int64,
):
    """Like `UnicodeDecode`; return the byte offset of each character, too."""
    if _codec(input_encoding) == "utf-8" and not replace_control_characters:
        decoded = _decoded_together(input.reshape(-1).tolist())
        if decoded is not None:
            return decoded[0].astype(as_dtype(Tsplits).np), *decoded[1:]
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    rows = [decoder.located(text) for text in input.reshape(-1).tolist()]
    points = np.array([point for row in rows for point, _ in row], np.int32)
    starts = np.array([at for row in rows for _, at in row], np.int64)
    return _row_splits(rows, as_dtype(Tsplits).np), points, starts


@unicode_decode.infer
def _(input, *, input_encoding, errors, replacement_char, replace_control_characters, Tsplits):
    _codec(input_encoding)
    _check_options(errors, replacement_char)
    count = int(np.prod(input.shape, dtype=np.int64)) + 1 if input.is_static else None
    return Spec((count,), as_dtype(Tsplits)), Spec((None,), dtypes.int32)


@unicode_decode_with_offsets.infer
def _(input, **attrs):
    splits, points = unicode_decode.infer_rule(unicode_decode, (input,), attrs)
    return splits, points, Spec((None,), dtypes.int64)


# -- encoding ----------------------------------------------------------------------------------


@op("UnicodeEncode", grad=None, host=HOST, checked=True)
def unicode_encode(
    xp,
    input_values: Free,
    input_splits: Index,
    *,
    output_encoding,
    errors="replace",
    replacement_char=65533,
):
    """Encode rows of code points as strings."""
    splits = input_splits.tolist()
    if splits[0] != 0 or splits[-1] != input_values.size or np.any(np.diff(input_splits) < 0):
        raise invalid(f"input_splits must go from 0 to {input_values.size}, got {splits}")
    if len(splits) == input_values.size + 1 and np.all(np.diff(input_splits) == 1):
        return _encoded_alone(input_values, output_encoding, errors, replacement_char)
    surrogates = (input_values >= 0xD800) & (input_values <= 0xDFFF)
    if not (surrogates | (input_values < 0) | (input_values > LAST_POINT)).any():
        whole = input_values.astype("<i4").tobytes().decode("utf-32-le")
        if output_encoding == "UTF-8" and whole.isascii():
            ascii_bytes = whole.encode()
            return bytes_array([ascii_bytes[a:b] for a, b in pairwise(splits)])
        rows = [whole[a:b] for a, b in pairwise(splits)]
    else:
        points = [_encodable(point, errors, replacement_char) for point in input_values.tolist()]
        rows = ["".join(points[a:b]) for a, b in pairwise(splits)]
    return bytes_array([row.encode(output_encoding) for row in rows])


def _encoded_alone(points: np.ndarray, encoding: str, errors: str, replacement: int) -> np.ndarray:
    """Encode each code point as a string: one object per distinct one."""
    encodings = {
        p: _encodable(p, errors, replacement).encode(encoding) for p in set(points.tolist())
    }
    return bytes_array(list(map(encodings.__getitem__, points.tolist())))


def _encodable(point: int, errors: str, replacement: int) -> str:
    if 0 <= point <= LAST_POINT and not 0xD800 <= point <= 0xDFFF:
        return chr(point)
    if errors == "strict":
        raise invalid("Code point is out of range for Unicode, or is a surrogate.")
    return "" if errors == "ignore" else chr(replacement)


@unicode_encode.infer
def _(input_values, input_splits, *, output_encoding, errors, replacement_char):
    one_of("output_encoding", output_encoding, _OUTPUTS)
    _check_options(errors, replacement_char)
    require_rank(input_values, 1, "input_values")
    require_rank(input_splits, 1, "input_splits")
    if input_values.dtype is not dtypes.int32:
        raise InferError(f"input_values must be int32, got {input_values.dtype.name}")
    rows = input_splits.shape[0] if input_splits.shape else None
    if rows == 0:
        raise InferError("input_splits must not be empty")
    return Spec((None if rows is None else rows - 1,), dtypes.string)


@op("UnicodeTranscode", dtypes=STRING, grad=None, host=HOST, checked=True, traits=(ELEMENTWISE,))
def unicode_transcode(
    xp,
    input,
    *,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
):
    """Convert strings to another encoding."""
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)

    is_plain = _codec(input_encoding) == "utf-8" and not replace_control_characters
    target = _codec(output_encoding)
    if is_plain and target == "utf-8" and _is_valid(input):
        return input.copy()

    def transcode(text: bytes) -> bytes:
        if is_plain:
            try:
                return text.decode().encode(target)
            except UnicodeDecodeError:
                pass
        return "".join(map(chr, decoder.points(text))).encode(output_encoding)

    return each(transcode, input)


def _is_valid(array: np.ndarray) -> bool:
    """Whether all strings are UTF-8."""
    try:
        b"\n".join(array.reshape(-1).tolist()).decode()
    except UnicodeDecodeError:
        return False
    return True


@unicode_transcode.infer
def _(input, *, input_encoding, output_encoding, errors, replacement_char, **options):
    _codec(input_encoding)
    one_of("output_encoding", output_encoding, _OUTPUTS)
    _check_options(errors, replacement_char)
    return Spec(input.shape, dtypes.string)


# -- scripts -----------------------------------------------------------------------------------


@op(
    "UnicodeScript",
    infer=same_as("input"),
    dtypes=frozenset({dtypes.int32}),
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE,),
)
def unicode_script(xp, input):
    """Return the script number of each code point; -1 if it is invalid."""
    # Behind the numbers of all code points stands that of an invalid one, for negative ones, too.
    wrapped = np.minimum(input.view(np.uint32), np.uint32(LAST_POINT + 1))
    return script_table().take(wrapped.astype(np.intp)).astype(np.int32)
