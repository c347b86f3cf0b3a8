"""Optimizers and schedules give the numbers that Keras gives."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tests.keras.optimizers.programs import PROGRAMS
from tests.keras.oracle import difference, recorded, run

GOLDEN = recorded("optimizers")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_recorded(name: str) -> None:
    found = difference(run(tf, PROGRAMS[name]), GOLDEN[name])
    assert found is None, found


def test_nothing_is_recorded_in_vain() -> None:
    assert set(GOLDEN) == set(PROGRAMS)
