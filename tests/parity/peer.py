"""Asking TensorFlow now: the python that `TAPEFLOW_TF_PYTHON` names, as `make parity` does."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# On some processors TensorFlow leaves oneDNN off, and then has no convolution by channels first.
SETTINGS = {"PYTHONPATH": "", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "1"}


def ask(module: str, *arguments: object, questions: str = "") -> subprocess.CompletedProcess[str]:
    """Run a module of `tests.parity` under TensorFlow; skip the test where there is none.

    The caller reads the files that the module was asked to write.
    """
    python = os.environ.get("TAPEFLOW_TF_PYTHON", "")
    if not Path(python).is_file():
        pytest.skip("no TensorFlow to ask; `make parity` brings one")
    process = subprocess.run(
        [python, "-m", f"tests.parity.{module}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **SETTINGS},
        input=questions,
        capture_output=True,
        text=True,
    )
    if "No module named 'tensorflow'" in process.stderr:
        pytest.skip(f"{python} has no TensorFlow")
    # Less than 0 is a signal: `test_graph_defs` expects that of TensorFlow.
    assert process.returncode <= 0, process.stderr
    return process


def ask_all(module: str, *requests: tuple[object, ...]) -> None:
    """Run a module once for every tuple of arguments; each run must end well."""
    for arguments in requests:
        process = ask(module, *arguments)
        assert process.returncode == 0, process.stderr


def live_answers(module: str, questions: str = "") -> Callable[..., Any]:
    """Return a fixture: the JSON that a module of `tests.parity` writes under TensorFlow now."""

    @pytest.fixture(scope="session")
    def live(tmp_path_factory: pytest.TempPathFactory) -> Any:
        target = tmp_path_factory.mktemp("parity") / "answers.json"
        process = ask(module, target, questions=questions)
        assert process.returncode == 0, process.stderr
        return json.loads(target.read_text(encoding="utf-8"))

    return live
