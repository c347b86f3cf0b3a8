"""`tf.image` gives what TensorFlow gave: exactly for integers, to single precision for floats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.image.cases import CASES, DRAWN, names, outputs

RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "image.json").read_text())


def assert_as_recorded(result: Any, recorded: list[dict[str, Any]]) -> None:
    arrays = outputs(result)
    assert len(arrays) == len(recorded)
    for array, expected in zip(arrays, recorded, strict=True):
        assert array.dtype.name == expected["dtype"]
        assert list(array.shape) == expected["shape"]
        values = np.array(expected["values"]).reshape(array.shape)
        if array.dtype.kind == "f":
            # Results of a thousandth's size come from sums of numbers up to 255.
            np.testing.assert_allclose(array.astype(float), values, rtol=2e-5, atol=2e-5)
        else:
            np.testing.assert_array_equal(array, values)


@pytest.mark.parametrize("case", CASES)
def test_eager(case: str) -> None:
    assert_as_recorded(eval(case, names(tf)), RECORDED[case])


@pytest.mark.parametrize("case", CASES)
def test_traced_without_sizes(case: str) -> None:
    given = names(tf)
    tensors = {key: given[key] for key in "XUBP"}
    signature = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in tensors.values()]

    @tf.function(input_signature=signature, autograph=False)
    def run(x, u, b, p):
        return eval(case, {"tf": tf, "X": x, "U": u, "B": b, "P": p})

    assert_as_recorded(run(*tensors.values()), RECORDED[case])


def test_drawn_from_the_global_seed() -> None:
    tf.random.set_seed(4)
    given = names(tf)
    for case, recorded in zip(DRAWN, RECORDED["drawn"], strict=True):
        assert_as_recorded(eval(case, given), recorded)
