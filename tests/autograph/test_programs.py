"""Random programs: converted, they do what they did as Python; staged, they give the same."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

import tapeflow as tf
from tests.autograph.helpers import convert, define
from tests.autograph.programs import Generator

ARGUMENTS = [(0, 0, 0), (1, 2, 3), (5, 1, 0), (6, 6, 2), (3, 0, 4), (2, 5, 5)]


def program(seed: int) -> Any:
    return define(Generator(seed).program(), context=nullcontext)


@pytest.mark.parametrize("seed", range(60))
def test_converted_programs_are_the_same_programs(seed: int) -> None:
    original = program(seed)
    converted = convert(original)
    for arguments in ARGUMENTS:
        assert converted(*arguments, range) == original(*arguments, range)


@pytest.mark.parametrize("seed", range(60, 80))
def test_staged_programs_give_the_same_numbers(seed: int) -> None:
    original = program(seed)
    converted = convert(original)
    staged = tf.function(
        lambda a, b, c: converted(a, b, c, tf.range), autograph=False, jit_compile=False
    )
    for arguments in ARGUMENTS:
        tensors = [tf.constant(each) for each in arguments]
        assert int(staged(*tensors)) == original(*arguments, range)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(80, 1200))
def test_many_staged_programs(seed: int) -> None:
    test_converted_programs_are_the_same_programs(seed)
    test_staged_programs_give_the_same_numbers(seed)
