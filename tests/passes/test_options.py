"""The switches: TensorFlow's names, what they say when asked, and that passes listen to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.passes import options, pipeline
from tests.passes.graphs import Traced, types

DEFAULTS = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    before = options.state.options
    options.state.options = options.Options()
    yield
    options.state.options = before
    tf.config.optimizer.set_jit(False)


def test_get_options_before_and_after_set_options() -> None:
    optimizer = tf.config.optimizer
    assert optimizer.get_experimental_options() == DEFAULTS
    optimizer.set_experimental_options({"constant_folding": False})
    optimizer.set_experimental_options({"debug_stripper": 1, "min_graph_nodes": -1})
    assert optimizer.get_experimental_options() == {
        "constant_folding": False,
        "debug_stripper": True,
        **DEFAULTS,
        "min_graph_nodes": -1,
    }
    optimizer.set_experimental_options({"constant_folding": None, "no_such_pass": True})
    assert "constant_folding" not in optimizer.get_experimental_options()
    assert "no_such_pass" not in optimizer.get_experimental_options()


def test_all_of_tensorflows_options_are_accepted() -> None:
    tf.config.optimizer.set_experimental_options(dict.fromkeys(options.SWITCHES, True))
    assert list(tf.config.optimizer.get_experimental_options()) == list(options.SWITCHES)


@pytest.mark.parametrize("wrong", [[1], None, {"min_graph_nodes": True}, {"min_graph_nodes": "4"}])
def test_what_is_no_option(wrong: Any) -> None:
    with pytest.raises(TypeError):
        tf.config.optimizer.set_experimental_options(wrong)


@pytest.mark.parametrize(
    ("given", "told"),
    [(True, "autoclustering"), ("autoclustering", "autoclustering"), (False, ""), ("other", "")],
)
def test_jit(given: Any, told: str) -> None:
    tf.config.optimizer.set_jit(given)
    assert tf.config.optimizer.get_jit() == told


def traced() -> Traced:
    def function(x: Any) -> Any:
        c = tf.sin(tf.constant(2.0)) * x
        tf.debugging.Assert(tf.reduce_all(x > 0.0), [x])
        unused = tf.identity(tf.reshape(c, [2]))
        doubled = tf.math.cos(x) + tf.math.cos(x)
        return unused * 1.0, doubled, tf.cond(tf.constant(False), lambda: x, lambda: -x)

    return Traced(function, ((2,), "float32"))


ALL_OFF = dict.fromkeys(options.SWITCHES, False) | {"disable_model_pruning": True}


@pytest.mark.parametrize(
    ("on", "gone"),
    [
        ("constant_folding", {"Sin"}),
        ("dependency_optimization", {"Identity"}),
        ("shape_optimization", {"Reshape"}),
        ("loop_optimization", {"StatelessIf"}),
        ("debug_stripper", {"Assert", "All", "Greater"}),
    ],
)
def test_each_switch_switches_its_pass(on: str, gone: set[str]) -> None:
    case = traced()
    tf.config.optimizer.set_experimental_options(ALL_OFF)
    before = set(types(pipeline.optimize(case.body)))
    assert before == set(types(case.body))
    tf.config.optimizer.set_experimental_options({on: True})
    assert before - set(types(case.optimized(np.ones(2, np.float32)))) == gone


def test_arithmetic_and_common_subexpressions() -> None:
    case = traced()
    tf.config.optimizer.set_experimental_options(ALL_OFF | {"arithmetic_optimization": True})
    found = types(case.optimized(np.ones(2, np.float32)))
    assert found.count("Cos") == 1
    assert found.count("Mul") == 1


@pytest.mark.parametrize("off", [{"disable_meta_optimizer": True}, {"min_graph_nodes": 1000}])
def test_no_pass_at_all(off: dict[str, Any]) -> None:
    case = traced()
    tf.config.optimizer.set_experimental_options(off)
    assert pipeline.optimize(case.body) is case.body


def test_options_can_be_passed() -> None:
    case = traced()
    given = options.Options().changed({"constant_folding": False})
    assert "Sin" in types(pipeline.optimize(case.body, given))
    assert "Sin" not in types(pipeline.optimize(case.body))
    assert hash(given) == hash(options.Options((("constant_folding", False),)))
