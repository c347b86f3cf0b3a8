"""The same small programs under Tapeflow and under TensorFlow come to the same thing.

`make test` compares with what TensorFlow said when it was last asked (`tests/golden/parity.json`,
recorded by `record_programs.py`); `make parity` asks it now.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.parity.peer import live_answers
from tests.parity.program import Outcome, difference, digest, execute
from tests.parity.programs import programs

ROOT = Path(__file__).parents[2]
PROGRAMS = programs()
RECORDED: dict[str, Any] = json.loads(
    (ROOT / "tests" / "golden" / "parity.json").read_text(encoding="utf-8")
)


live = live_answers("record_programs")


@cache
def ours(name: str) -> Outcome:
    """What a program comes to here: run once, as names of eager templates are counted on.

    Through JSON, as the recorded outcome went.
    """
    outcome: Outcome = json.loads(json.dumps(execute(PROGRAMS[name], tf)))
    return outcome


def check(name: str, expected: Outcome) -> None:
    reason = difference(ours(name), expected)
    assert reason is None, f"{reason}\n\n{PROGRAMS[name]}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_recorded(name: str) -> None:
    record = RECORDED.get(name, {})
    assert record.get("code") == digest(PROGRAMS[name]), (
        "TensorFlow was not asked about this program; where it is installed, run "
        "`python -m tests.parity.record_programs`"
    )
    check(name, record["outcome"])


@pytest.mark.peer
@pytest.mark.parametrize("name", PROGRAMS)
def test_live(name: str, live: dict[str, Any]) -> None:
    check(name, live[name]["outcome"])


def test_nothing_stale_is_recorded() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
