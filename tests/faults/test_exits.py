"""Programs that end while their other threads are at work keep their exit code."""

from __future__ import annotations

import pytest

from tests.faults.exits import PROGRAMS, busy, end_programs


@pytest.mark.slow
def test_two_hundred_exits_under_load() -> None:
    with busy(4):
        ends = list(end_programs(list(PROGRAMS), 200, seed=1, jobs=4))
    wrong = [f"{name}: {what}" for name, what in ends if what is not None]
    assert not wrong, "\n".join(wrong)
    assert len(ends) == 200
