"""The steps of optimizers are TensorFlow's: eagerly, in functions, and compiled."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.optimizer_steps import CASES, GOLDEN, results, step, title, variables

_GOLDEN = json.loads(GOLDEN.read_text(encoding="utf-8"))
every_case = pytest.mark.parametrize("case", CASES, ids=title)


def _assert_golden(case: Any, held: dict[str, Any], tolerance: float = 1e-9) -> None:
    golden = _GOLDEN[title(case)]
    assert held.keys() == golden.keys()
    for name, value in held.items():
        np.testing.assert_allclose(value, golden[name], rtol=tolerance, atol=tolerance)


@every_case
def test_eager(case: Any) -> None:
    _assert_golden(case, results(tf, case))


@every_case
def test_single_precision(case: Any) -> None:
    _assert_golden(case, results(tf, case, "float32"), 1e-4)


@every_case
def test_function(case: Any) -> None:
    held = variables(tf, case, "float64")

    @tf.function(jit_compile=False)
    def train(turn: Any) -> None:
        step(tf, case, held, "float64", turn)

    for turn in range(3):
        train(tf.constant(turn))
    _assert_golden(case, {name: v.numpy() for name, v in held.items()})


@every_case
def test_compiled(case: Any) -> None:
    held = variables(tf, case, "float64")

    @tf.function(jit_compile=not case[1])
    def train(turn: Any) -> None:
        step(tf, case, held, "float64", turn)

    for turn in range(3):
        train(tf.constant(turn))
    _assert_golden(case, {name: v.numpy() for name, v in held.items()})


def test_what_does_not_fit() -> None:
    x = tf.Variable([1.0, 2.0])
    apply = tf.raw_ops.ResourceApplyGradientDescent
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape"):
        apply(var=x.handle, alpha=1.0, delta=[1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        apply(var=x.handle, alpha=np.float64(1), delta=np.ones(2))
    accum = tf.Variable([[1.0], [1.0]])
    rows = {"var": tf.Variable([[1.0], [2.0]]).handle, "accum": accum.handle, "lr": 1.0}
    apply = tf.raw_ops.ResourceSparseApplyAdagrad
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 2 is not in"):
        apply(**rows, grad=[[1.0]], indices=[2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="a row for each"):
        apply(**rows, grad=[[1.0]], indices=[0, 1])
    assert accum.numpy().tolist() == [[1.0], [1.0]]


def test_a_scalar_can_still_be_added_to_after_a_step() -> None:
    x = tf.Variable(3.0)
    tf.raw_ops.ResourceApplyGradientDescent(var=x.handle, alpha=0.5, delta=1.0)
    x.assign_sub(1.0)
    assert x.numpy() == 1.5


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_what_was_read_before_a_step_stays(dtype: str) -> None:
    x, m, v = (tf.Variable(tf.cast([1.0, 2.0], dtype)) for _ in range(3))
    before = [variable.value() for variable in (x, m, v)]
    numbers = {"beta1_power": 0.5, "beta2_power": 0.5, "lr": 0.5, "beta1": 0.5, "beta2": 0.5}
    given = {name: tf.cast(value, dtype) for name, value in {**numbers, "epsilon": 0.0}.items()}
    handles = {"var": x.handle, "m": m.handle, "v": v.handle}
    for _ in range(2):
        tf.raw_ops.ResourceApplyAdam(**handles, **given, grad=tf.cast([1.0, 2.0], dtype))
    for tensor in before:
        assert tf.cast(tensor, tf.float32).numpy().tolist() == [1.0, 2.0]
    assert tf.cast(m, tf.float32).numpy().tolist() == [1.0, 2.0]
    assert tf.cast(v, tf.float32).numpy().tolist() == [1.0, 3.5]
