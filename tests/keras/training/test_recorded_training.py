"""Histories, results and weights are those that Keras gives (`programs`)."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tests.keras.oracle import difference, programs, recorded, run

PROGRAMS = programs("training")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_recorded(name: str) -> None:
    found = difference(run(tf, PROGRAMS[name]), recorded("training")[name])
    assert found is None, found


def test_nothing_is_recorded_in_vain() -> None:
    assert set(recorded("training")) == set(PROGRAMS)
