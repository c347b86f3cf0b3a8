"""Gradients through the functions are what TensorFlow's are, eagerly and traced."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.experimental_numpy.cases import describe
from tests.experimental_numpy.gradient_cases import CASES, POINT, gradients, run
from tests.experimental_numpy.test_recorded import close

GOLDEN = Path(__file__).parents[1] / "golden" / "experimental_numpy_gradients.json"
RECORDED = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_gradients(case: str, enable: Callable[..., None]) -> None:
    enable()
    assert close(run(tf, case), RECORDED[case], 1e-4)


@pytest.mark.parametrize("case", CASES)
def test_traced_gradients(case: str, enable: Callable[..., None]) -> None:
    enable()

    @tf.function(autograph=False)
    def function(x: Any, y: Any, m: Any) -> list[Any]:
        return gradients(tf, case, x, y, m)

    found = function(*(tf.constant(value) for value in POINT))
    assert close([None if g is None else describe(g) for g in found], RECORDED[case], 1e-4)
