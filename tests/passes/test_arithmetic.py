"""Arithmetic simplification: what is left out, what must stay, and that no bit changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.passes.graphs import Traced, types

NAME = "arithmetic"
SPECIAL = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e-42, 3e38], np.float32)
FLOATS = ((None,), "float32")


def left(function: Callable[[Any], Any], values: Any, spec: Any = FLOATS) -> list[str]:
    """The ops left of a function of one tensor, which must compute the same."""
    return types(Traced(function, spec).after(NAME, values))


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        (lambda x: x * 1.0, []),
        (lambda x: 1.0 * x, []),
        (lambda x: x / 1.0, []),
        (lambda x: x - 0.0, []),
        (lambda x: x + tf.constant(-0.0), []),
        (lambda x: tf.negative(-x), []),
        (lambda x: x**1.0, []),
        (lambda x: x**2.0, ["Square"]),
        (lambda x: x / 4.0, ["Mul"]),
        (lambda x: x + (-tf.exp(x)), ["Exp", "Sub"]),
        (lambda x: (-tf.exp(x)) + x, ["Exp", "Sub"]),
        (lambda x: x - (-tf.exp(x)), ["Exp", "AddV2"]),
        (lambda x: tf.abs(-x), ["Abs"]),
        (lambda x: tf.abs(tf.abs(x)), ["Abs"]),
        (lambda x: tf.square(-x), ["Square"]),
        (lambda x: tf.nn.relu(tf.nn.relu(x)), ["Relu"]),
        (lambda x: tf.floor(tf.floor(x)), ["Floor"]),
        (lambda x: tf.where(tf.constant(True), x, x * 2.0), []),
        (lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32), []),
        (lambda x: tf.cast(tf.cast(x, tf.float64), tf.float16), ["Cast"]),
    ],
)
def test_what_is_exact_is_left_out(function: Any, ops: list[str]) -> None:
    assert left(function, SPECIAL) == ops


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        # -0.0 + 0.0 is 0.0
        (lambda x: x + 0.0, ["AddV2"]),
        (lambda x: x - tf.constant(-0.0), ["Sub"]),
        (lambda x: 0.0 - x, ["Sub"]),
        # 0 * inf is NaN
        (lambda x: x * 0.0, ["Mul"]),
        # 1/3 is no float
        (lambda x: x / 3.0, ["RealDiv"]),
        # 1 / 2**-127 is rounded by no one, but compiled code takes such small numbers for 0
        (lambda x: x / tf.constant(2.0**-127), ["RealDiv"]),
        (lambda x: x / tf.constant(0.0), ["RealDiv"]),
        (lambda x: x / tf.constant([1.0, 2.0, 3.0, 1, 1, 1, 1, 1, 1]), ["RealDiv"]),
        # it has more elements than x
        (lambda x: tf.constant([[1.0], [1.0]]) * x, ["Mul"]),
        (lambda x: tf.sin(tf.sin(x)), ["Sin", "Sin"]),
        (lambda x: tf.cast(tf.cast(x, tf.float16), tf.float32), ["Cast", "Cast"]),
        (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), ["Cast", "Cast"]),
    ],
)
def test_what_is_not_exact_stays(function: Any, ops: list[str]) -> None:
    assert left(function, SPECIAL) == ops


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_integers_have_one_zero_and_wrap_around(dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.array([info.min, -1, 0, 1, info.max], dtype)

    def function(x: Any) -> Any:
        one, zero = tf.cast(1, dtype), tf.cast(0, dtype)
        return [x + zero, x - zero, x * one, x // one, tf.negative(-x), tf.bitwise.invert(~x)]

    spec = ((5,), dtype)
    assert types(Traced(function, spec).optimized(values)) == []


def test_products_of_complex_numbers_stay() -> None:
    values = np.array([complex(np.inf, 1), complex(-0.0, 2)], np.complex64)

    def function(z: Any) -> Any:
        one = tf.constant(1, tf.complex64)
        return z * one, z / one, z - tf.constant(0, tf.complex64), tf.math.conj(tf.math.conj(z))

    assert left(function, values, ((2,), "complex64")) == ["Mul", "RealDiv"]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda b: tf.logical_and(b, True), []),
        (lambda b: tf.logical_or(False, b), []),
        (lambda b: tf.logical_not(tf.logical_not(b)), []),
        (lambda b: tf.logical_and(b, tf.constant([False, False])), []),
        (lambda b: tf.logical_and(b, False), ["LogicalAnd"]),  # the constant has another shape
        (lambda b: tf.cast(tf.cast(b, tf.float32), tf.bool), []),
    ],
)
def test_booleans(function: Any, expected: list[str]) -> None:
    assert left(function, np.array([True, False]), ((2,), "bool")) == expected


@pytest.mark.parametrize(
    ("chain", "left_over"),
    [
        (["int8", "float32", "int8"], 0),
        (["int8", "int32", "float32"], 1),
        (["int32", "float32", "int32"], 2),
        (["int64", "float64", "int64"], 2),
        (["uint8", "int16", "uint8"], 0),
        (["int8", "uint16", "int8"], 2),
        (["float16", "float32", "float64"], 1),
        (["bool", "int32", "float32"], 1),
        (["int32", "bool", "int32"], 2),
    ],
)
def test_casts_one_after_the_other(chain: list[str], left_over: int) -> None:
    values = np.array([0, 1, -7, 100]).astype(chain[0])

    def function(x: Any) -> Any:
        for dtype in chain[1:]:
            x = tf.cast(x, dtype)
        return x

    assert len(left(function, values, ((4,), chain[0]))) == left_over


def test_transposes_one_after_the_other() -> None:
    values = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    spec = ((2, None, 4), "float32")

    def twice(x: Any) -> Any:
        return tf.transpose(tf.transpose(x, [1, 2, 0]), [1, 2, 0])

    assert left(twice, values, spec) == ["Transpose"]
    assert left(lambda x: tf.transpose(twice(x), [1, 2, 0]), values, spec) == ["Transpose"]
    traced = Traced(lambda x: tf.transpose(twice(x), [1, 2, 0]), spec)
    assert types(traced.optimized(values)) == []


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        (lambda x: tf.reshape(tf.reshape(x, [-1, 6]), [-1, 4]), ["Reshape"]),
        (lambda x: tf.squeeze(tf.expand_dims(x, 1), 1), ["Reshape"]),
        (lambda x: tf.expand_dims(tf.reshape(x, [-1]), 1), ["Reshape"]),
        (lambda x: tf.reshape(tf.expand_dims(x, 0), [-1]), ["Reshape"]),
        # whether 12 divides the number of elements is seen only when it runs
        (lambda x: tf.reshape(tf.reshape(x, [-1, 12]), [-1]), ["Reshape", "Reshape"]),
    ],
)
def test_reshapes_one_after_the_other(function: Any, ops: list[str]) -> None:
    values = np.arange(24.0, dtype=np.float32).reshape(4, 6)
    found = left(function, values, ((None, 6), "float32"))
    assert found == ops


def test_an_impossible_reshape_still_fails() -> None:
    traced = Traced(lambda x: tf.reshape(tf.reshape(x, [-1, 5]), [-1]), ((None, 6), "float32"))
    body = traced.optimized(np.zeros((5, 6), np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced.run(body, np.zeros((2, 6), np.float32))
