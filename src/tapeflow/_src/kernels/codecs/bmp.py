"""BMP decoding in NumPy: uncompressed images of 8, 24 or 32 bits."""

from __future__ import annotations

import struct

import numpy as np

from tapeflow._src.core.errors import invalid


def decode(data: bytes, channels: int) -> np.ndarray:
    """Decode a file to `[height, width, channels]`; 0 channels means the file's own number."""
    if len(data) < 34:
        raise invalid(f"Incomplete bmp content, requires at least 34 bytes, got {len(data)}")
    start, _, width, height, _, bits, compression = struct.unpack_from("<IIiiHHI", data, 10)
    own = bits // 8
    if own not in (1, 3, 4) or bits % 8 or compression not in (0, 3):
        raise invalid(f"BMP files of {bits} bits and compression {compression} cannot be decoded")
    if channels not in (0, own):
        raise invalid(
            f"channels attribute {channels} does not match bits per pixel from file {own}"
        )
    rows = abs(height)
    # Rows are padded to multiples of four bytes, and stored bottom to top.
    stride = (bits * width + 31) // 32 * 4
    if width <= 0 or not rows or len(data) < start + (rows - 1) * stride + width * own:
        raise invalid(f"Incomplete bmp content: {width} x {rows} pixels of {bits} bits do not fit")
    body = data[start : start + rows * stride].ljust(rows * stride, b"\0")
    pixels = np.frombuffer(body, np.uint8).reshape(rows, stride)[:, : width * own]
    picture = pixels.reshape(rows, width, own)
    if height > 0:
        picture = picture[::-1]
    # Blue comes first.
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[own]
    return np.ascontiguousarray(picture[..., order])
