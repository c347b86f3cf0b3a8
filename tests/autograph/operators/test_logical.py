"""`and`, `or`, `not`, chains of comparisons, and `assert`."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.autograph.operators.logical import and_, assert_stmt, not_, or_
from tests.autograph.helpers import traced


@pytest.mark.parametrize("values", [*itertools.product([0, 1, "", None], repeat=3)])
def test_plain_values_as_in_python(values: tuple[Any, Any, Any]) -> None:
    a, b, c = values
    assert and_(a, lambda: b, lambda: c) == (a and b and c)
    assert or_(a, lambda: b, lambda: c) == (a or b or c)
    assert not_(a) == (not a)


def test_nothing_is_evaluated_in_vain() -> None:
    def never() -> Any:
        raise AssertionError("evaluated")

    assert and_(0, never) == 0
    assert or_(1, never) == 1


@pytest.mark.parametrize("a", [-1, 1])
@pytest.mark.parametrize("b", [-1, 1])
def test_tensors(a: int, b: int) -> None:
    def f(x: Any, y: Any) -> Any:
        return (
            x > 0 and y > 0,
            x > 0 or y > 0,
            not x > 0,
            x > 0 and (y > 0 or not x < y),
            -1 < x <= y,
            0 < y != x + 2 < 5,
        )

    expected = [bool(v) for v in f(a, b)]
    assert [bool(v) for v in traced(f)(tf.constant(a), tf.constant(b))] == expected


def test_what_follows_is_run_only_if_it_counts() -> None:
    def f(items: Any, i: Any) -> Any:
        return i < 2 and items[i] > 0

    function = traced(f)
    items = tf.constant([1, -1])
    assert [bool(function(items, tf.constant(i))) for i in range(4)] == [True, False, False, False]


def test_python_values_and_tensors_mixed() -> None:
    zero = 0

    def f(x: Any) -> Any:
        return (None or x > 0), (True and x > 0), (zero and x)

    first, second, third = traced(f)(tf.constant(1))
    assert (bool(first), bool(second), int(third)) == (True, True, 0)


def test_a_tensor_that_is_no_condition() -> None:
    with pytest.raises(ValueError, match="condition of `and`: expected"):
        traced(lambda x: x and x)(tf.constant(1.0))


def test_assertions() -> None:
    assert_stmt(True, lambda: "unused")
    with pytest.raises(AssertionError, match="why"):
        assert_stmt([], lambda: "why")
    with pytest.raises(AssertionError):
        assert_stmt(0)

    def f(x: Any) -> Any:
        assert x > 0, "x must be positive"
        assert x is not None
        return x

    function = traced(f)
    assert function(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        function(tf.constant(-1))
