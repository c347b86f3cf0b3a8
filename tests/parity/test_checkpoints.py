"""Checkpoints written here are read by TensorFlow, and back.

`make test` compares with files that TensorFlow wrote (`tests/golden/checkpoints`, made by
`run_checkpoints.py`); `make parity` has it write and read now.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tapeflow as tf
from tests.parity.checkpoints import described, read, values, write
from tests.parity.peer import ask_all

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "checkpoints"


def check_readable(folder: Path) -> None:
    found = read(tf, folder)
    assert found["counters"] == [1, 1]
    assert found["steps"] == [3, 3]
    assert found["trees"] == [described(values(tf, True))] * 3


def test_golden_files_are_read() -> None:
    check_readable(GOLDEN)


def test_the_same_files_are_written(tmp_path: Path) -> None:
    write(tf, tmp_path)
    check_readable(tmp_path)
    for name in ("checkpoint", *(f.name for f in GOLDEN.glob("*.index"))):
        assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes(), name
    for name in (f.name for f in GOLDEN.glob("*.data-*")):
        assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes(), name


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    write(tf, ours)
    ask_all("run_checkpoints", ("write", theirs), ("read", ours, tmp_path / "seen.json"))
    check_readable(theirs)
    seen = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    assert seen == json.loads(json.dumps(read(tf, ours)))
