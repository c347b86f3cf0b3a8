"""SavedModels written here are used by TensorFlow, and back.

`make test` uses models that TensorFlow wrote (`tests/golden/saved_models`, made by
`run_saved_models.py`, with what it found in them itself); `make parity` has it write and read now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.parity.peer import ask_all
from tests.parity.saved_models import save, use

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "saved_models"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))


def check(found: dict[str, Any]) -> None:
    assert found.keys() == EXPECTED.keys()
    for name, expected in EXPECTED.items():
        compare(json.loads(json.dumps(found[name])), expected, name)


def compare(found: Any, expected: Any, name: str) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), name
        for key in expected:
            compare(found[key], expected[key], f"{name}.{key}")
    elif isinstance(expected, list) and any(isinstance(e, (list, dict, str)) for e in expected):
        assert len(found) == len(expected), name
        for i, (a, b) in enumerate(zip(found, expected)):
            compare(a, b, f"{name}.{i}")
    elif isinstance(expected, (float, list)) and expected:
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name)
    else:
        assert found == expected, name


def test_golden_models_are_used() -> None:
    check(use(tf, GOLDEN))


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save(tf, tmp_path)
    check(use(tf, tmp_path))


def test_what_is_loaded_is_saved(tmp_path: Path) -> None:
    for name in ("model", "single", "tables"):
        loaded = tf.saved_model.load(GOLDEN / name)
        tf.saved_model.save(loaded, tmp_path / name, signatures=loaded.signatures)
    check(use(tf, tmp_path))


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    save(tf, ours)
    ask_all(
        "run_saved_models",
        ("write", theirs),
        ("read", ours, tmp_path / "seen.json"),
        ("session", ours, tmp_path / "session.json"),
    )
    check(use(tf, theirs))
    check(json.loads((tmp_path / "seen.json").read_text(encoding="utf-8")))
    session = json.loads((tmp_path / "session.json").read_text(encoding="utf-8"))
    (predicted, names), (found, _) = session
    compare(predicted, EXPECTED["by signature"], "predict in a session")
    assert names == [
        name for name, _ in tf.train.list_variables(ours / "model/variables/variables")
    ]
    before = [list(part) for part in EXPECTED["tables"]]
    compare([found[f"output_{i}"] for i in range(4)], before, "tables in a session")
