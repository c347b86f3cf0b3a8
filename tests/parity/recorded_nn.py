"""What TensorFlow made of the programs on `tf.nn`, to compare with what Tapeflow makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tapeflow as tf
from tests.parity.nn_programs import PRELUDE, PROGRAMS
from tests.parity.program import difference, execute

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "nn.json").read_text(encoding="utf-8")
)


def check(name: str, recorded: dict[str, Any] = RECORDED) -> None:
    """Fail unless the program comes to what was recorded."""
    code, expected = recorded.get(name, ("", None))
    assert code == PROGRAMS[name] and recorded["prelude"] == PRELUDE, (
        "TensorFlow was not asked about this program; where it is installed, run "
        "`python -m tests.parity.record_nn`"
    )
    # Through JSON, as the recorded outcome went.
    ours = json.loads(json.dumps(execute(PRELUDE + code, tf)))
    reason = difference(ours, expected)
    assert reason is None, f"{reason}\n\n{code}"
