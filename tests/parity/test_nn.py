"""The programs on `tf.nn`, with the TensorFlow of `TAPEFLOW_TF_PYTHON` asked now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.parity.nn_programs import PROGRAMS
from tests.parity.peer import ask_all
from tests.parity.recorded_nn import check

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What TensorFlow says now."""
    target = tmp_path_factory.mktemp("parity") / "nn.json"
    ask_all("record_nn", (target,))
    outcomes: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return outcomes


@pytest.mark.peer
@pytest.mark.parametrize("name", PROGRAMS)
def test_live(name: str, live: dict[str, Any]) -> None:
    check(name, live)
