"""The recorded names of TensorFlow are those of the TensorFlow asked now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.peer import ask_all

RECORDED = Path(__file__).parents[2] / "src" / "tapeflow" / "_src" / "core" / "tensorflow_names.txt"


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    target = tmp_path / "names.txt"
    ask_all("record_names", (target,))
    assert target.read_text(encoding="utf-8") == RECORDED.read_text(encoding="utf-8")
