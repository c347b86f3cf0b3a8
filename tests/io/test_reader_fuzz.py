"""Every reader returns or raises an error of `tf.errors`, whatever the bytes, in bounded memory."""

from __future__ import annotations

import zlib

import pytest

from tests import fuzzing
from tests.io.reader_targets import READERS


@pytest.mark.parametrize("name", list(READERS))
@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.slow)])
def test_mutated_inputs_raise_only_errors_of_the_library(name: str, count: int) -> None:
    reader = READERS[name]
    seed = zlib.crc32(name.encode()) + count
    fuzzing.check(
        reader.read,
        reader.samples(),
        count,
        seed,
        seconds=10,
        memory=reader.memory,
        wrap=reader.wrap,
    )
