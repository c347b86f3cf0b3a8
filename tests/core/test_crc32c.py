"""CRC-32C: known checksums, and that of a whole follows from those of its parts."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow._src.core.crc32c import crc32c, mask, masked_crc32c

BYTES = np.random.default_rng(0).bytes((1 << 22) + (1 << 18) + 4321)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
)
def test_known_sums(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


@pytest.mark.parametrize("size", [1 << 17, (1 << 17) + 1, (1 << 18) - 1, 300_001, len(BYTES)])
def test_a_sum_goes_on_where_another_ended(size: int) -> None:
    data = memoryview(BYTES)[:size]
    whole = crc32c(data)
    pieces = 0
    for at in range(0, size, 60_000):
        pieces = crc32c(data[at : at + 60_000], pieces)
    assert pieces == whole
    assert crc32c(data[77:], crc32c(data[:77])) == whole


def test_masks() -> None:
    # The sum that an empty tensor has in a checkpoint of TensorFlow's.
    assert masked_crc32c(b"") == mask(0) == 0xA282EAD8
