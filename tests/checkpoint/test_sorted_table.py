"""Tables of keys and values: what is written is read back, and damage is noticed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.checkpoint.sorted_table import (
    decode_varint,
    encode_varint,
    read_table,
    write_table,
)

ENTRIES = st.dictionaries(st.binary(max_size=40), st.binary(max_size=60), max_size=80)


@given(st.integers(0, 1 << 64))
def test_numbers_of_any_length(value: int) -> None:
    data = encode_varint(value)
    assert decode_varint(data, 0) == (value, len(data))


@settings(max_examples=50, deadline=None)
@given(ENTRIES)
def test_what_is_written_is_read(entries: dict[bytes, bytes]) -> None:
    items = sorted(entries.items())
    assert list(read_table(write_table(items), "file")) == items


def test_tables_of_several_blocks() -> None:
    items = [(b"key%06d" % i, b"v" * 1000) for i in range(1000)]
    assert list(read_table(write_table(items), "file")) == items


@pytest.mark.parametrize("at", [0, 5, -60, -46, -1])
def test_damage_is_noticed(at: int) -> None:
    file = bytearray(write_table([(b"a", b"1"), (b"ab", b"2")]))
    file[at] ^= 1
    with pytest.raises(tf.errors.DataLossError, match="name is not a whole table"):
        list(read_table(bytes(file), "name"))


def test_files_cut_short() -> None:
    file = write_table([(b"a", b"1")])
    for size in (0, 10, len(file) - 1):
        with pytest.raises(tf.errors.DataLossError, match="magic number"):
            list(read_table(file[:size], "name"))
