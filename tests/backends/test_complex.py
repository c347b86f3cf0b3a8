"""Compiled functions of complex numbers agree with eager ones where a part is special."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tapeflow as tf

pytestmark = pytest.mark.usefixtures("optimized")

PARTS = np.array([0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan, 1e30, 1e-200, 100.0])
UNARY = [
    "exp",
    "math.log",
    "math.log1p",
    "math.expm1",
    "sqrt",
    "math.rsqrt",
    "square",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "math.asinh",
    "math.acosh",
    "math.atanh",
    "sigmoid",
    "abs",
    "sign",
    "math.reciprocal",
]
BINARY = ["multiply", "divide", "math.divide_no_nan", "math.xdivy", "pow"]
FACTORS = np.array([0.0, -0.0, 2.0, -2.5, np.inf, -np.inf, np.nan])


def numbers(parts):
    pairs = np.array(list(itertools.product(parts, repeat=2)))
    values = np.empty(len(pairs), np.complex128)
    values.real, values.imag = pairs.T
    return values


def function_of(name):
    owner = tf
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def all_unary(z):
    return {name: function_of(name)(z) for name in UNARY}


def all_binary(x, y):
    return {name: function_of(name)(x, y) for name in BINARY}


@pytest.fixture(scope="module")
def results():
    """Of each function the arguments, the eager and the compiled results."""
    found = {}
    z = numbers(PARTS)
    x, y = (side.reshape(-1) for side in np.meshgrid(numbers(FACTORS), numbers(FACTORS)))
    for function, arguments in ((all_unary, (z,)), (all_binary, (x, y))):
        tensors = [tf.constant(argument) for argument in arguments]
        eager = function(*tensors)
        compiled = tf.function(function, jit_compile=True)(*tensors)
        found |= {name: (arguments, eager[name], compiled[name]) for name in eager}
    return found


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_special_parts_agree(name, results):
    arguments, eager, compiled = (results[name][0], *map(np.array, results[name][1:]))
    with np.errstate(all="ignore"):
        size = np.nan_to_num(np.abs(eager), nan=0, posinf=0)
    for part in (np.real, np.imag):
        expected, received = part(eager), part(compiled)
        with np.errstate(invalid="ignore"):
            near = np.abs(expected - received) <= 1e-12 * size + 1e-300
        same = near | (expected == received) | (np.isnan(expected) & np.isnan(received))
        wrong = np.flatnonzero(~same)
        cases = [(*(a[i] for a in arguments), eager[i], compiled[i]) for i in wrong[:5]]
        assert not cases


def test_branch_cuts_follow_signed_zeros():
    below = tf.constant([complex(2.0, -0.0), complex(-3.0, -0.0)], tf.complex128)
    for function in (tf.asin, tf.acos, tf.math.acosh, tf.math.atanh, tf.sqrt, tf.math.log):
        conjugate = tf.math.conj(function(tf.math.conj(below)))
        compiled = tf.function(function, jit_compile=True)(below)
        np.testing.assert_allclose(compiled, conjugate)
        np.testing.assert_allclose(function(below), conjugate)


def test_log1p_is_exact_near_zero():
    tiny = np.array([1e-20, -1e-30j, complex(3e-17, 1e-9)])
    # log(1 + z) = z - z ** 2 / 2 + ...
    np.testing.assert_allclose(tf.math.log1p(tf.constant(tiny)), tiny - tiny**2 / 2, rtol=1e-12)


def test_means_of_infinite_complex_numbers_keep_the_other_part():
    mean = tf.reduce_mean(tf.constant([complex(np.inf, 1.0), complex(2.0, 4.0)]))
    assert mean.numpy() == complex(np.inf, 2.5)


@pytest.mark.parametrize("compiled", [False, True])
def test_means_of_no_complex_numbers_are_zero(compiled):
    mean = tf.function(lambda z: tf.reduce_mean(z, 0), jit_compile=compiled)
    np.testing.assert_array_equal(mean(tf.zeros([0, 2], tf.complex64)), [0, 0])
    np.testing.assert_array_equal(tf.reduce_mean(tf.zeros([0, 2], tf.complex64), 0), [0, 0])
    assert np.isnan(mean(tf.zeros([0], tf.float32)))


def test_the_product_of_one_complex_number_is_that_number():
    number = tf.constant([[complex(np.inf, -0.5)]])
    for prod in (tf.reduce_prod, tf.function(tf.reduce_prod, jit_compile=True)):
        assert prod(number).numpy() == complex(np.inf, -0.5)


def test_sigmoid_and_rsqrt_vanish_at_infinity():
    far = tf.constant([complex(-1e30, 1.0), complex(-np.inf, 2.0)], tf.complex128)
    np.testing.assert_array_equal(tf.sigmoid(far), [0, 0])
    np.testing.assert_array_equal(tf.math.rsqrt(tf.constant([complex(1.0, np.inf)])), [0])
