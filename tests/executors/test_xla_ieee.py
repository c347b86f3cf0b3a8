"""Compiled code keeps NaN, infinity and roundings that XLA's simplifier would drop."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors.xla_ieee import preserve

pytestmark = pytest.mark.usefixtures("optimized")

SPECIAL = np.array([-1, 1, 0, -0.0, np.nan, np.inf, -np.inf, 7, 0.1, 1e30, 1e-30, 100], "f")
UPSTREAM = np.array([np.nan, np.inf, 1, 1, 1, np.nan, -np.inf, np.nan, 1, 1, 1, 2], "f")

VALUES = {
    "mask * x": lambda x, u: tf.cast(x > 0, tf.float32) * u,
    "x * mask": lambda x, u: u * tf.cast(x > 0, tf.float32),
    "mask of another dtype": lambda x, u: tf.cast(x > 0, tf.float16) * tf.cast(u, tf.float16),
    "sum of mask * x": lambda x, u: tf.reduce_sum(tf.cast(x > 0, tf.float32) * u),
    "log(exp(x))": lambda x, u: tf.math.log(tf.exp(x)),
    "exp(x) * exp(y)": lambda x, u: tf.exp(x) * tf.exp(-x / 2.0),
    "exp(x) / exp(y)": lambda x, u: tf.exp(x) / tf.exp(x),
    "sqrt(x * x)": lambda x, u: tf.sqrt(x * x),
    "x + c - c": lambda x, u: x + 1e20 - 1e20,
    "x * c * d": lambda x, u: x * 1e20 * 1e-20,
    "x / c / d": lambda x, u: x / 1e30 / 1e20,
    "x / y / z": lambda x, u: (x / 1e30) / (u * 1e20),
    "log(x ** y)": lambda x, u: tf.math.log(tf.pow(x, 2.0)),
    "(x ** y) ** z": lambda x, u: tf.pow(tf.pow(x, 2.0), 0.5),
    "asin of the smallest normal number": lambda x, u: 1.0 / tf.asin(x[1] * 1.2e-38),
    "x ** 0.5": lambda x, u: 1.0 / x**0.5,
    "x ** rows of 0.5": lambda x, u: tf.pow(x, tf.constant([[0.5], [2.0]])),
    "logarithm of exp(-0)": lambda x, u: 1.0 / tf.math.cumulative_logsumexp(x[3:4]),
    **{
        f"{name} of a constant NaN": lambda x, u, f=function: f(x * np.nan)
        for name, function in (
            ("exp", tf.exp),
            ("sinh", tf.sinh),
            ("cosh", tf.cosh),
            ("softmax", tf.nn.softmax),
            ("logsumexp", tf.reduce_logsumexp),
        )
    },
    "exp of half a constant NaN": lambda x, u: tf.exp(tf.cast(x, tf.float16) * np.nan),
    "exp of infinity minus infinity": lambda x, u: tf.exp((x * 0.0 + np.inf) - np.inf),
}
GRADIENTS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "elu": tf.nn.elu,
    "leaky_relu": tf.nn.leaky_relu,
    "abs": tf.abs,
    "reduce_max": lambda x: tf.reduce_max(tf.where(tf.math.is_nan(x), 0.0, x)),
    "reduce_min": lambda x: tf.reduce_min(tf.where(tf.math.is_nan(x), 0.0, x)),
    "maximum": lambda x: tf.maximum(x, 0.0),
    "clip_by_value": lambda x: tf.clip_by_value(x, -2.0, 2.0),
}


def all_values(x, upstream):
    return {case: function(x, upstream) for case, function in VALUES.items()}


def all_gradients(x, upstream):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = {case: function(x) for case, function in GRADIENTS.items()}
    return {
        case: tape.gradient(y, x, output_gradients=upstream if y.shape.rank else upstream[0])
        for case, y in results.items()
    }


@pytest.fixture(scope="module", params=["interpreted", "compiled"])
def results(request):
    """Of every case: the eager result, and that of one function which computes them all."""
    compiled = request.param == "compiled"
    arguments = tf.constant(SPECIAL), tf.constant(UPSTREAM)
    return {
        case: (eager, traced[case])
        for function in (all_values, all_gradients)
        for traced in [tf.function(function, jit_compile=compiled)(*arguments)]
        for case, eager in function(*arguments).items()
    }


@pytest.mark.parametrize("case", [*VALUES, *GRADIENTS])
def test_nan_infinity_and_rounding_are_those_that_are_written(case, results):
    eager, other = results[case]
    np.testing.assert_allclose(other, eager, rtol=1e-5)


def test_masks_in_loops_and_branches_keep_nan():
    @tf.function(jit_compile=True)
    def masked(x):
        total = x
        for _ in tf.range(3):
            if tf.reduce_sum(x) != 0.0:
                total = tf.cast(total > 0, tf.float32) * tf.math.log(x)
        return total

    np.testing.assert_array_equal(np.isnan(masked(tf.constant([-1.0, 1.0, 2.0]))), [1, 0, 0])


def test_exponentials_are_checked_for_nan_only_beside_constants_that_make_it():
    def compares(function):
        lowered = jax.jit(function).lower(SPECIAL)
        preserve(lowered.compiler_ir())
        return lowered.as_text().count("stablehlo.compare")

    exp = jax.numpy.exp
    assert compares(lambda x: exp(x) * 2.0) == 0
    assert compares(lambda x: exp(x - jax.numpy.max(x))) == 0
    assert compares(lambda x: exp(x * np.float32(np.nan))) == 1
    assert compares(lambda x: exp(x * np.array([np.inf] * 12, "f"))) == 1


def test_barriers_do_not_split_loops():
    """One fused loop, as without barriers."""
    lowered = jax.jit(lambda x: jax.numpy.log(jax.numpy.exp(x) * 2.0) / 3.0 / 7.0).lower(SPECIAL)
    assert "optimization_barrier" not in lowered.as_text()
    preserve(lowered.compiler_ir())
    assert "optimization_barrier" in lowered.as_text()
    compiled = lowered.compile().as_text()
    assert "opt-barrier" not in compiled
    assert compiled.count(" fusion(") + compiled.count(" call(") == 1
