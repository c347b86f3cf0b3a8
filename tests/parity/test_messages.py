"""Every field of every message, with the TensorFlow of `TAPEFLOW_TF_PYTHON` asked now."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tapeflow._src.core import protos
from tests.parity.messages import serialized, structure, variants
from tests.parity.peer import live_answers

ROOT = Path(__file__).parents[2]
NAMES = list(json.loads((ROOT / "tests" / "golden" / "messages.json").read_text(encoding="utf-8")))


live = live_answers("record_messages", questions=json.dumps(NAMES))


@pytest.mark.peer
@pytest.mark.parametrize("name", NAMES)
def test_live(name: str, live: dict[str, Any]) -> None:
    cls = protos.schema().find(name)
    assert json.loads(json.dumps(structure(cls.DESCRIPTOR))) == live[name]["structure"]
    ours = variants(cls)
    assert [base64.b64encode(serialized(m)).decode() for m in ours] == live[name]["bytes"]
    assert [str(m) for m in ours] == live[name]["text"]
