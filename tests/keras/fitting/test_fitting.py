"""Training gives what it gives in Keras: losses, metrics and weights."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tests.keras.fitting.programs import PROGRAMS
from tests.keras.oracle import difference, recorded, run

GOLDEN = recorded("fitting")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_recorded(name: str) -> None:
    found = difference(run(tf, PROGRAMS[name]), GOLDEN[name], 2e-4)
    assert found is None, found
