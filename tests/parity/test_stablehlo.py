"""TensorFlow runs the functions of JAX that SavedModels of ours hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.parity.peer import ask_all
from tests.saved_model.test_stablehlo import TWO, X, two, written


@pytest.mark.peer
def test_live(tmp_path: Path) -> None:
    written(tmp_path / "model", two, *TWO)
    np.save(tmp_path / "x.npy", X)
    ask_all("run_saved_models", ("run", tmp_path / "model", tmp_path / "seen.json"))
    seen = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    expected = two(X, X.T)
    for name in ("a", "b"):
        np.testing.assert_allclose(seen[name], expected[name], rtol=1e-5, atol=1e-6)
