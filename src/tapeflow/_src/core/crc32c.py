"""CRC-32C, the checksum of TensorFlow's files, computed by `google-crc32c`."""

from __future__ import annotations

from typing import Any

import numpy as np
from google_crc32c import extend as _extend

_MASK_DELTA = 0xA282EAD8
_ONES = 0xFFFFFFFF


def crc32c(data: bytes | memoryview, start: int = 0) -> int:
    """Return the checksum of `data`; `start` is the checksum of what precedes it."""
    # The library takes bytes and arrays, but no memoryview.
    readable: Any = data if isinstance(data, bytes) else np.frombuffer(data, np.uint8)
    checksum: int = _extend(start, readable)
    return checksum


def mask(checksum: int) -> int:
    """Return a checksum as files store it: rotated and shifted, since data may contain checksums
    too.
    """
    return (((checksum >> 15) | (checksum << 17)) + _MASK_DELTA) & _ONES


def masked_crc32c(data: bytes | memoryview) -> int:
    """Return the checksum of `data` as files store it."""
    return mask(crc32c(data))
