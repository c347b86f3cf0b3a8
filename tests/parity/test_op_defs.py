"""The recorded signatures of TensorFlow's ops are those of the TensorFlow asked now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.peer import ask_all

ROOT = Path(__file__).parents[2]


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    target = tmp_path / "op_defs.txt"
    ask_all("record_op_defs", (target,))
    recorded = ROOT / "src" / "tapeflow" / "_src" / "graph" / "op_defs.txt"
    assert target.read_text(encoding="utf-8") == recorded.read_text(encoding="utf-8")
