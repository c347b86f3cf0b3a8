"""The programs on `tf.nn`, with the TensorFlow of `TAPEFLOW_TF_PYTHON` asked now."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parity.nn_programs import PROGRAMS
from tests.parity.peer import live_answers
from tests.parity.recorded_nn import check

live = live_answers("record_nn")


@pytest.mark.peer
@pytest.mark.parametrize("name", PROGRAMS)
def test_live(name: str, live: dict[str, Any]) -> None:
    check(name, live)
