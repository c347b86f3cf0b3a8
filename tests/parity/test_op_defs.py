"""The recorded signatures of TensorFlow's ops are those of the TensorFlow asked now."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_live(tmp_path: Path) -> None:
    python = os.environ.get("TAPEFLOW_TF_PYTHON")
    if not python or not Path(python).exists():
        pytest.skip("no TensorFlow to ask; `make parity` brings one")
    target = tmp_path / "op_defs.txt"
    run = subprocess.run(
        [python, "-m", "tests.parity.record_op_defs", str(target)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    if "No module named 'tensorflow'" in run.stderr:
        pytest.skip(f"{python} has no TensorFlow")
    assert run.returncode == 0, run.stderr
    recorded = ROOT / "src" / "tapeflow" / "graph" / "op_defs.txt"
    assert target.read_text(encoding="utf-8") == recorded.read_text(encoding="utf-8")
