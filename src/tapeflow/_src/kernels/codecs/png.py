"""PNG encoding, and decoding of some files, in NumPy.

Pillow has no 16-bit colours, and takes longer to open a small file than its pixels take.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from tapeflow._src.core.errors import InternalError, invalid

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# PNG's color types by number of channels, and back.
_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}
_CHANNELS = {kind: channels for channels, kind in _COLOURS.items()}


def encode(picture: np.ndarray, compression: int = -1) -> bytes:
    """Encode an image `[height, width, channels]` of 8 or 16 bits."""
    height, width, channels = picture.shape
    if not picture.size:
        raise InternalError(None, None, f"PNG encoding failed: the picture is {picture.shape}")
    bits = picture.dtype.itemsize * 8
    rows = picture.astype(picture.dtype.newbyteorder(">")).reshape(height, -1).view(np.uint8)
    step = channels * bits // 8
    # The Sub filter, byte minus that of the pixel to its left: smooth images compress well.
    less = rows.copy()
    less[:, step:] -= rows[:, :-step]
    filtered = np.concatenate([np.ones((height, 1), np.uint8), less], axis=1)
    header = struct.pack(">IIBBBBB", width, height, bits, _COLOURS[channels], 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), compression)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b""))
    return _SIGNATURE + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bit_depth(data: bytes) -> int:
    """Return the bit depth in the header."""
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise invalid(f"Expected a PNG file, received {len(data)} bytes without its header.")
    return data[24]


# Deflate compresses at most 1,032 bytes into one.
_MOST_PACKED = 1032


def check_size(data: bytes) -> None:
    """Raise for a file that cannot hold the pixels that its header claims."""
    bits = bit_depth(data)
    width, height = struct.unpack_from(">II", data, 16)
    if width * height * bits // 8 > _MOST_PACKED * len(data):
        raise invalid(
            f"Expected a PNG file that holds the {width} x {height} pixels of its header, received "
            f"{len(data)} bytes."
        )


_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt", b"iCCP", b"eXIf")


def without_text(data: bytes) -> bytes:
    """Return the file without chunks that do not affect its pixels, which may be of any size."""
    if not any(kind in data for kind in _TEXT_CHUNKS):
        return data
    chunks = [data[start:end] for kind, start, end in _chunks(data) if kind not in _TEXT_CHUNKS]
    return _SIGNATURE + b"".join(chunks)


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each chunk, where it starts and where it ends."""
    at = len(_SIGNATURE)
    while at + 8 <= len(data):
        (size,) = _SIZE.unpack_from(data, at)
        yield data[at + 4 : at + 8], at, at + 12 + size
        at += 12 + size


_SIZE, _HEADER = struct.Struct(">I"), struct.Struct(">IIBBBBB")
# Bytes of pixels up to which opening a file with Pillow takes longer than decoding it.
_SMALL = 1 << 15


def decode_small(data: bytes) -> np.ndarray | None:
    """Decode a small 8-bit file like those that `encode` writes; return None for any other.

    Its rows are stored as they are or as differences, and it has no chunks beside its pixels.
    """
    width, height, bits, kind, *methods = _HEADER.unpack_from(data, 16)
    channels = _CHANNELS.get(kind)
    if bits != 8 or channels is None or methods != [0, 0, 0]:
        return None
    stride = 1 + width * channels
    if height * stride > _SMALL:
        return None
    packed = _packed_pixels(data)
    if packed is None:
        return None
    unpacking = zlib.decompressobj()
    try:
        raw = unpacking.decompress(packed, height * stride + 1)
    except zlib.error:
        return None
    if len(raw) != height * stride or not unpacking.eof or not raw:
        return None
    filters = raw[::stride]
    differences = filters.count(1)
    if differences + filters.count(0) < height:
        return None
    rows = np.frombuffer(raw, np.uint8).reshape(height, stride)
    pixels = rows[:, 1:].reshape(height, width, channels)
    added = np.add.accumulate(pixels, 1, np.uint8)
    if differences == height:
        return added
    return np.where(rows[:, :1, None] == 1, added, pixels)


def _packed_pixels(data: bytes) -> bytes | memoryview | None:
    """Return what the chunks of pixels hold; None if there are others, or one is damaged."""
    parts: list[memoryview] = []
    expected = b"IHDR"
    view = memoryview(data)
    for kind, start, end in _chunks(data):
        content = view[start + 4 : end - 4]
        if end > len(data) or zlib.crc32(content) != _SIZE.unpack_from(data, end - 4)[0]:
            return None
        if kind == b"IDAT" and expected != b"IHDR":
            parts.append(content[4:])
        elif kind != expected and (kind != b"IEND" or not parts):
            return None
        elif kind == b"IEND":
            whole = parts[0] if len(parts) == 1 else b"".join(parts)
            return whole if end == len(data) else None
        expected = b"IDAT"
    return None


def decode(data: bytes) -> np.ndarray:
    """Decode a 16-bit file to `[height, width, channels]`."""
    width, height, _, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    if interlaced or kind not in _CHANNELS:
        raise invalid("PNG files of 16 bits that are interlaced cannot be decoded")
    channels = _CHANNELS[kind]
    stride = 1 + width * channels * 2
    packed = b"".join([data[a + 8 : b - 4] for kind, a, b in _chunks(data) if kind == b"IDAT"])
    try:
        # Never more than the header claims, whatever the compressed size.
        raw = zlib.decompressobj().decompress(packed, height * stride)
        rows = np.frombuffer(raw, np.uint8).reshape(height, stride)
    except (zlib.error, ValueError) as error:
        raise invalid(
            f"Expected a PNG file of {width} x {height} pixels, received {len(data)} damaged "
            f"bytes: {error}."
        ) from None
    pixels = _unfiltered(rows[:, 0], rows[:, 1:].reshape(height, width, channels * 2))
    return pixels.reshape(height, -1).view(">u2").reshape(height, width, channels).astype(np.uint16)


def _unfiltered(filters: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Undo the row filters of pixels `[height, width, bytes]`."""
    height, width, size = rows.shape
    result = np.empty_like(rows)
    above = np.zeros((width, size), np.uint8)
    for y in range(height):
        match int(filters[y]):
            case 0:
                result[y] = rows[y]
            case 1:
                result[y] = np.cumsum(rows[y], axis=0, dtype=np.uint8)
            case 2:
                result[y] = rows[y] + above
            case 3 | 4 as kind:
                result[y] = _by_neighbours(rows[y], above, kind)
            case other:
                raise invalid(f"Invalid PNG data: there is no filter {other}")
        above = result[y]
    return result


def _by_neighbours(row: np.ndarray, above: np.ndarray, kind: int) -> np.ndarray:
    """Undo the Average or Paeth filter of a row, in which pixels depend on the one to the left."""
    result = np.empty_like(row)
    left = np.zeros(row.shape[1], np.int64)
    corner = left
    for x in range(len(row)):
        up = above[x].astype(np.int64)
        if kind == 3:
            guess = (left + up) // 2
        else:
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
        result[x] = (row[x] + guess) & 255
        left, corner = result[x].astype(np.int64), up
    return result


def as_channels(picture: np.ndarray, channels: int) -> np.ndarray:
    """Convert to that many channels, by libpng's rules; 0 keeps the image's own."""
    own = picture.shape[-1]
    if channels in (0, own):
        return picture.copy()
    colour = picture[..., : own - (own % 2 == 0)]
    if channels == 1:
        return _gray(colour) if colour.shape[-1] == 3 else colour.copy()
    if colour.shape[-1] == 1:
        colour = colour.repeat(3, axis=-1)
    if channels == 3:
        return colour.copy()
    most = np.iinfo(picture.dtype).max
    opaque = np.full_like(picture[..., :1], most) if own % 2 else picture[..., -1:]
    return np.concatenate([colour, opaque], axis=-1)


# Of 32768, as libpng computes them from 0.299 and 0.587: both rounded down, blue is the rest.
_WEIGHTS = np.array([9797, 19234, 3737], np.int64)


def _gray(colour: np.ndarray) -> np.ndarray:
    """Convert to luminance; libpng rounds 16-bit values to nearest, and 8-bit ones down."""
    half = 1 << 14 if colour.dtype == np.uint16 else 0
    return (colour.astype(np.int64) @ _WEIGHTS + half >> 15).astype(colour.dtype)[..., None]
