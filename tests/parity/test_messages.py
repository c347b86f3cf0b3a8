"""Every field of every message, with the TensorFlow of `TAPEFLOW_TF_PYTHON` asked now."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tapeflow._src.core import protos
from tests.parity.messages import serialized, structure, variants
from tests.parity.peer import ask

ROOT = Path(__file__).parents[2]
NAMES = list(json.loads((ROOT / "tests" / "golden" / "messages.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What TensorFlow says now."""
    target = tmp_path_factory.mktemp("parity") / "messages.json"
    ask("record_messages", target, questions=json.dumps(NAMES))
    records: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return records


@pytest.mark.peer
@pytest.mark.parametrize("name", NAMES)
def test_live(name: str, live: dict[str, Any]) -> None:
    cls = protos.schema().find(name)
    assert json.loads(json.dumps(structure(cls.DESCRIPTOR))) == live[name]["structure"]
    ours = variants(cls)
    assert [base64.b64encode(serialized(m)).decode() for m in ours] == live[name]["bytes"]
    assert [str(m) for m in ours] == live[name]["text"]
