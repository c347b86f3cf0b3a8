"""Files of records written here are read by TensorFlow, and back.

`make test` compares with files that TensorFlow wrote (`tests/golden/records`, made by
`run_records.py`); `make parity` has it write and read now.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow._src.api.io.records import read_records
from tests.parity.peer import ask_all
from tests.parity.records import COMPRESSIONS, examples, parse, write

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "records"
UNPACK = {"plain": bytes, "zlib": zlib.decompress, "gzip": gzip.decompress}


def check_readable(folder: Path) -> None:
    for name, compression in COMPRESSIONS.items():
        records = list(read_records(folder / f"{name}.tfrecord", compression))
        assert records == examples(tf)
        assert [parse(tf, r)["number"] for r in records[:4]] == [[0, 0], [1, -1], [2, -2], [3, -3]]
        assert [parse(tf, r)["parts"] for r in records[:4]] == [[0.5] * i for i in range(4)]


def test_golden_files_are_read() -> None:
    check_readable(GOLDEN)


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_the_same_files_are_written(tmp_path: Path, name: str) -> None:
    write(tf, tmp_path)
    ours, theirs = ((f / f"{name}.tfrecord").read_bytes() for f in (tmp_path, GOLDEN))
    # Compressors may differ; what is compressed may not.
    assert UNPACK[name](ours) == UNPACK[name](theirs)


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    write(tf, ours)
    ask_all("run_records", ("write", theirs), ("read", ours, tmp_path / "seen.json"))
    check_readable(theirs)
    seen = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    expected = [record.decode("latin-1") for record in examples(tf)]
    for records, parsed in seen.values():
        assert records == expected
        assert parsed == [parse(tf, record) for record in examples(tf)[:4]]
