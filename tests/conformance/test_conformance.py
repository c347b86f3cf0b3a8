"""Every program gives the same in every mode: values, gradients and the class of errors."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow._src.executors import tiers
from tests.conformance.harness import PROGRAMS, SIZES_BY_ARGUMENT, differences, run
from tests.conformance.record import golden, load_programs

load_programs()

# Eager kernels are NumPy's or oneDNN's, and compiled ones XLA's: sums differ in their last bits.
COMPILED = 2e-5
RECORDED = golden()
ALSO_BY_TIERS = {"if_else", "while_halving", "gradient_descent", "op_seed_stream", "failed_assert"}


@pytest.fixture(params=sorted(PROGRAMS))
def chosen(request):
    return PROGRAMS[request.param]


def test_there_are_enough():
    assert len(PROGRAMS) >= 150


def test_eager_as_tensorflow(chosen):
    assert not differences(run(tf, chosen, lambda f: f), RECORDED[chosen.name], 1e-5)


def test_interpreted(chosen):
    eager = run(tf, chosen, lambda f: f)
    interpreted = run(tf, chosen, lambda f: tf.function(f, jit_compile=False))
    assert not differences(interpreted, eager, 1e-6)


def test_compiled(chosen):
    compiled = run(tf, chosen, lambda f: tf.function(f, jit_compile=True))
    if chosen.host and chosen.host != SIZES_BY_ARGUMENT:
        assert {outcome.error for outcome in compiled} == {"Invalid"}
    else:
        assert not differences(compiled, run(tf, chosen, lambda f: f), COMPILED)


def test_compiled_where_it_can_be(chosen, monkeypatch):
    """By the tiers, told to compile after the first call: operations for the host stay there."""
    if not chosen.host and chosen.name not in ALSO_BY_TIERS:
        pytest.skip("compiled as a whole in the test above")
    monkeypatch.setattr(tiers, "determinism_required", lambda: True)
    monkeypatch.setattr(tiers, "DETERMINISTIC_CALL", 2)
    monkeypatch.setattr(tiers, "DETERMINISTIC_NODES", 1)
    eager = run(tf, chosen, lambda f: f, times=2)
    assert not differences(run(tf, chosen, tf.function, times=2), eager, COMPILED)
