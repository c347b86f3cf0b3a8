"""What is said when a function is traced again, and when it is warned of."""

from __future__ import annotations

import logging

import pytest

import tapeflow as tf
from tapeflow._src.core.log import logger


@pytest.fixture
def records():
    class Keep(logging.Handler):
        def __init__(self):
            super().__init__()
            self.lines = []

        def emit(self, record):
            self.lines.append((record.levelname, record.getMessage()))

    keep = Keep()
    level = logger.level
    logger.addHandler(keep)
    logger.setLevel(logging.INFO)
    yield keep.lines
    logger.removeHandler(keep)
    logger.setLevel(level)


def test_every_retrace_has_a_line(records):
    function = tf.function(lambda x: x)
    for n in (3, 4, 3, 4):
        function(tf.zeros([n]))
    (line,) = [text for level, text in records if level == "INFO"]
    assert line == (
        "tf.function `<lambda>` is traced again: argument `x`: shape (3,) -> (4,); pass "
        "input_signature=[tf.TensorSpec([None], tf.float32)] or reduce_retracing=True"
    )


def test_many_retraces_are_warned_of_twice(records):
    @tf.function
    def function(x):
        return x

    for n in range(12):
        function(n)
        function(0)
    first, second = [text for level, text in records if level == "WARNING"]
    assert first.startswith("5 of the last 9 calls of <function test_")
    assert "defined at tests/function/test_retracing.py:44, were traced" in first
    assert "retracing" in first
    assert "argument `x`: Python value 3 -> 4; pass a tensor: tf.constant(4)\nAt " in first
    assert first.endswith("test_retracing.py:49: function(n)")
    assert second.startswith("6 of the last 11 calls")


def test_functions_made_in_a_loop_are_warned_of(records):
    for _ in range(8):
        tf.function(lambda x: x)(tf.constant(1))
    first, _ = [text for level, text in records if level == "WARNING"]
    assert first.startswith("5 of the last 5 calls of <function")
    assert "make the function once, outside of the loop.\nAt " in first


def test_many_models_are_no_retraces(records):
    class Model(tf.Module):
        @tf.function
        def __call__(self, x):
            return x

    for _ in range(12):
        Model()(tf.constant(1))
    assert not [text for level, text in records if level == "WARNING"]


def test_one_model_traced_often_is_warned_of(records):
    class Model(tf.Module):
        @tf.function
        def __call__(self, x):
            return x

    model = Model()
    for n in range(6):
        model(n)
    first, _ = [text for level, text in records if level == "WARNING"]
    assert first.startswith("5 of the last 5 calls of <function test_")


def test_few_retraces_among_many_calls_are_not(records):
    @tf.function
    def function(x):
        return x

    for n in range(10):
        for _ in range(30):
            function(n)
    assert not [text for level, text in records if level == "WARNING"]


def test_traces_within_other_functions_are_not_counted(records):
    inner = tf.function(lambda x: x + 1)
    outer = [tf.function(lambda x: inner(x) * 2), tf.function(lambda x: inner(x) * 3)]
    for function, first in ((inner, 0), (outer[0], 10), (outer[1], 20)):
        for number in range(first, first + 4):
            function(number)
    assert not [text for level, text in records if level == "WARNING"]
