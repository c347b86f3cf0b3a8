"""The programs on `tf.nn`, with the TensorFlow of `TAPEFLOW_TF_PYTHON` asked now."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.parity.nn_programs import PROGRAMS
from tests.parity.recorded_nn import check

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What TensorFlow says now."""
    python = os.environ.get("TAPEFLOW_TF_PYTHON")
    if not python or not Path(python).exists():
        pytest.skip("no TensorFlow to ask; `make parity` brings one")
    target = tmp_path_factory.mktemp("parity") / "nn.json"
    run = subprocess.run(
        [python, "-m", "tests.parity.record_nn", str(target)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    if "No module named 'tensorflow'" in run.stderr:
        pytest.skip(f"{python} has no TensorFlow")
    assert run.returncode == 0, run.stderr
    outcomes: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return outcomes


@pytest.mark.parametrize("name", PROGRAMS)
def test_live(name: str, live: dict[str, Any]) -> None:
    check(name, live)
