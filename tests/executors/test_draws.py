"""Large random draws by compiled programs: the same numbers, when they pay."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tapeflow._src.executors import background, draws, xla_draws
from tapeflow._src.kernels.random import fill as random_fill
from tapeflow._src.kernels.random import philox

CONVERSIONS = {
    "words": philox.WORDS,
    "integers64": random_fill._WORDS64,
    "float32": random_fill._UNIFORM[np.dtype(np.float32)],
    "float64": random_fill._UNIFORM[np.dtype(np.float64)],
    "normal": random_fill._NORMALS32,
}


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize("stride", [1, 256])
def test_a_program_draws_what_numpy_draws(name: str, stride: int) -> None:
    conversion = CONVERSIONS[name]
    program = xla_draws.FillProgram(conversion, stride)
    # The lowest word of the second counter overflows in the second piece.
    for counter in (7 << 64 | 5, (9 << 32) - 100_000 * stride):
        stream = random_state.stream(0x1234567890ABCDEF, counter)
        results = [np.empty((150_001, conversion.width), conversion.dtype) for _ in range(2)]
        program(stream, results[0])
        philox.fill_on_host(conversion, stream, results[1], stride)
        expected, received = (result.view(np.uint32) for result in results)
        np.testing.assert_array_equal(expected, received)


@pytest.fixture
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(draws, "HOT_SECONDS_WITHOUT_JAX", 0.0)
    monkeypatch.setattr(draws, "_kinds", {})
    monkeypatch.setattr(draws, "_rejections", {})


@pytest.mark.parametrize("first", [5, (9 << 32) - 40_000])
def test_truncated_numbers_are_those_of_numpy_once_there_is_a_program(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = random_state.stream(0x1234567890ABCDEF, first)
    expected = random_fill.truncated_normal(np, stream, 10_001, np.float32)
    kind = draws._Kind()
    kind.program = xla_draws.FillProgram(CONVERSIONS["normal"], random_fill.RESERVED)
    key = (CONVERSIONS["normal"], random_fill.RESERVED)
    monkeypatch.setattr(draws, "_kinds", {key: kind})
    assert philox.fills_by_program(*key, 2_501)
    assert not philox.fills_by_program(*key, philox.philox_host.FEW)
    received = random_fill.truncated_normal(np, stream, 10_001, np.float32)
    np.testing.assert_array_equal(expected, received)


SAMPLES_BY_REJECTION = {
    "gamma": lambda n: tf.random.stateless_gamma([n, 2], [1, 2], [0.3, 2.5]),
    "exponential": lambda n: tf.random.stateless_gamma([n], [1, 2], 1.0),
    "poisson": lambda n: tf.random.stateless_poisson([n, 2], [1, 2], [4.0, 30.0]),
    "binomial": lambda n: tf.random.stateless_binomial([n], [1, 2], 40.0, 0.6),
    # One method for all samples: their first attempts are a program of their own.
    "gamma above one": lambda n: tf.random.stateless_gamma([n], [1, 2], 2.5),
    "few events": lambda n: tf.random.stateless_poisson([n, 2], [1, 2], [4.0, 9.5]),
    "many events": lambda n: tf.random.stateless_poisson([n], [1, 2], 30.0),
    "few successes": lambda n: tf.random.stateless_binomial([n], [1, 2], 10.0, 0.5),
}


@pytest.mark.parametrize(
    "name",
    [
        "gamma",
        "poisson",
        pytest.param("exponential", marks=pytest.mark.slow),
        pytest.param("binomial", marks=pytest.mark.slow),
        "gamma above one",
        "few events",
        pytest.param("many events", marks=pytest.mark.slow),
        "few successes",
    ],
)
def test_samples_by_rejection_are_those_of_numpy(name: str, hot: None) -> None:
    first = SAMPLES_BY_REJECTION[name](9_001).numpy()
    (kind,) = draws._rejections.values()
    assert background.compiler.wait(120) and kind.program is not None
    second = SAMPLES_BY_REJECTION[name](9_001).numpy()
    np.testing.assert_allclose(second, first, rtol=3e-7)
    assert (first == second).mean() > 0.999


def test_many_samples_are_drawn_by_a_program_for_a_part_of_them(hot: None) -> None:
    rate = np.where(np.arange(70_001) % 1000, np.float32(4), np.float32(np.nan))
    first = tf.random.stateless_poisson([70_001], [1, 2], rate, tf.float32).numpy()
    ((_, size),) = draws._rejections
    (kind,) = draws._rejections.values()
    assert not size and background.compiler.wait(120) and kind.program is not None
    second = tf.random.stateless_poisson([70_001], [1, 2], rate, tf.float32).numpy()
    np.testing.assert_array_equal(first, second)


def test_samples_of_64_bits_stay_with_numpy(hot: None) -> None:
    tf.random.stateless_gamma([9_001], [1, 2], tf.constant(2.0, tf.float64), dtype=tf.float64)
    assert not draws._rejections


def test_draws_that_take_time_are_compiled(hot: None) -> None:
    first = tf.random.stateless_normal([400_000], [1, 2])
    (kind,) = draws._kinds.values()
    assert kind.ordered
    assert background.compiler.wait(120)
    assert kind.program is not None
    second = tf.random.stateless_normal([400_000], [1, 2])
    np.testing.assert_array_equal(first, second)


def test_draws_of_some_thousands_are_compiled_too(hot: None) -> None:
    first = tf.random.stateless_uniform([9_001], [1, 2])
    assert background.compiler.wait(120)
    (kind,) = draws._kinds.values()
    assert kind.program is not None
    np.testing.assert_array_equal(first, tf.random.stateless_uniform([9_001], [1, 2]))


def test_small_draws_and_halves_are_not_compiled(hot: None) -> None:
    tf.random.uniform([500])
    tf.random.uniform([400_000], dtype=tf.float16)
    assert not any(kind.ordered for kind in draws._kinds.values())


def test_what_cannot_be_compiled_stays_with_numpy(
    hot: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(xla_draws, "FillProgram", refuse)
    monkeypatch.setattr(draws, "_xla_draws", sys.modules[xla_draws.__name__])
    first = tf.random.stateless_uniform([400_000], [1, 2])
    assert background.compiler.wait(120)
    np.testing.assert_array_equal(first, tf.random.stateless_uniform([400_000], [1, 2]))
    assert [kind.program for kind in draws._kinds.values()] == [None]
