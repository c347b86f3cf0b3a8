"""With NumPy's behaviour tensors have NumPy's operators, indices and methods, as recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.experimental_numpy import cases
from tests.experimental_numpy.behavior_cases import GROUPS, PREFER_FLOAT32, names
from tests.experimental_numpy.test_recorded import close

GOLDEN = Path(__file__).parents[1] / "golden" / "experimental_numpy_behavior.json"
RECORDED = json.loads(GOLDEN.read_text(encoding="utf-8"))
tnp = tf.experimental.numpy


@pytest.mark.parametrize("group", GROUPS)
def test_eager(group: str, enable: Callable[..., None]) -> None:
    enable()
    given = names(tf)
    wrong = [
        f"{case} gives {found}, recorded is {RECORDED[case]}"
        for case in GROUPS[group]
        if not close(found := cases.run(case, given), RECORDED[case])
    ]
    assert not wrong, "\n" + "\n".join(wrong)


def test_prefer_float32(enable: Callable[..., None]) -> None:
    enable(prefer_float32=True)
    given = names(tf)
    for case in PREFER_FLOAT32:
        assert close(cases.run(case, given), RECORDED[f"prefer_float32: {case}"]), case


@pytest.mark.parametrize("compiled", [None, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("group", GROUPS)
def test_traced(group: str, compiled: bool | None, enable: Callable[..., None]) -> None:
    enable()
    given = names(tf)
    # Values, and sizes that depend on values, are not there while a function is traced or compiled.
    without = ("tolist", "len", "size", "None") + (("B", ">", "True", "[0,1]") if compiled else ())
    chosen = [
        case
        for case in GROUPS[group]
        if isinstance(RECORDED[case], list)
        and isinstance(RECORDED[case][1], list)
        and RECORDED[case][0] not in ("shape", "list", "tuple")
        and not any(word in case for word in without)
    ]
    signature = [tf.TensorSpec([None] * a.ndim, a.dtype) for a in cases.ARRAYS.values()]
    if compiled:
        chosen = chosen[::3]

    @tf.function(input_signature=signature, autograph=False, jit_compile=compiled)
    def function(*tensors: Any) -> list[Any]:
        local = {**given, **dict(zip(cases.ARRAYS, tensors, strict=True))}
        return [eval(case, local) for case in chosen]

    results = function(*(tf.constant(array) for array in cases.ARRAYS.values()))
    for case, result in zip(chosen, results, strict=True):
        assert close(cases.describe(result), RECORDED[case]), case


def test_gradients_pass_through_promotion_and_indices(enable: Callable[..., None]) -> None:
    enable()
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum((x * tf.constant([1, 2, 3]))[[0, 2]] ** 2)
    assert y.dtype == tf.float64
    gradient = tape.gradient(y, x)
    assert gradient.dtype == tf.float32
    np.testing.assert_allclose(gradient, [2.0, 0.0, 54.0])


def test_off_leaves_the_operators_as_they_are(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="off")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + tf.constant(1.0)
    assert tf.constant([[1, 2, 3]]).T.shape == (3, 1)
    assert tf.constant([1, 2, 3])[[0, 2]].numpy().tolist() == [1, 3]


def test_an_unknown_mode(enable: Callable[..., None]) -> None:
    with pytest.raises(ValueError, match="dtype conversion mode must"):
        enable(dtype_conversion_mode="sometimes")


def test_what_is_not_enabled_says_how() -> None:
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        tf.constant([1]).reshape(1)
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        _ = tf.constant([1]).foo


def test_other_classes_are_still_asked(enable: Callable[..., None]) -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "mine"

    enable()
    assert tf.constant(1) + Other() == "mine"
    ragged = tf.ragged.constant([[1, 2], [3]])
    assert (ragged + 1).to_list() == [[2, 3], [4]]
    assert (tf.constant(1) + ragged).to_list() == [[2, 3], [4]]
