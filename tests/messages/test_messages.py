"""Errors and warnings of broken programs name the user's line, the cause and the repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages.program import Program, score
from tests.messages.programs import ALL
from tests.messages.running import file_of, shown_by


@pytest.mark.parametrize("program", ALL, ids=lambda program: program.topic)
def test_line_cause_and_repair_are_named(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_by(program, tmp_path)
    result = score(program, str(file_of(program, tmp_path)), shown)
    assert str(result) == "1/1/1", f"line/cause/repair are {result} in:\n{shown}"


def test_every_program_is_marked_and_asks_for_something() -> None:
    assert len({program.topic for program in ALL}) == len(ALL)
    for program in ALL:
        assert program.lines and program.cause and program.repair, program.topic
