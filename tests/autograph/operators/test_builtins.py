"""Built-in functions: as in Python for plain values, operations for symbolic tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.autograph.operators.builtins import OVERLOADS
from tapeflow._src.autograph.policy import OVERLOADED
from tests.autograph.helpers import traced

VECTOR = tf.constant([3.0, 1.0, 2.0])


def values(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: np.asarray(t).tolist(), result)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (abs, [-1]),
        (all, [[1, 0]]),
        (any, [[1, 0]]),
        (bool, [[]]),
        (bool, []),
        (enumerate, ["ab", 1]),
        (float, ["1.5"]),
        (float, []),
        (int, ["ff", 16]),
        (int, []),
        (len, ["abc"]),
        (map, [str, [1, 2]]),
        (max, [1, 2]),
        (max, [[1, 2]]),
        (min, [[], 0]),
        (next, [iter([]), 3]),
        (range, [1, 7, 2]),
        (sorted, [[2, 1]]),
        (sum, [[1, 2], 3]),
        (zip, ["ab", "cd"]),
    ],
)
def test_plain_values_as_in_python(function: Any, arguments: list[Any]) -> None:
    try:
        expected = function(*arguments)
    except TypeError as error:
        with pytest.raises(type(error)):
            OVERLOADS[function](*arguments)
        return
    found = OVERLOADS[function](*arguments)
    assert type(found) is type(expected)
    if hasattr(expected, "__next__"):
        assert list(found) == list(expected)
    else:
        assert found == expected


def test_keywords_as_in_python() -> None:
    assert OVERLOADS[max]([1, -2], key=abs) == -2
    assert OVERLOADS[max]([], default=5) == 5
    assert OVERLOADS[sorted]([1, -2], key=abs, reverse=True) == [-2, 1]
    assert OVERLOADS[int]("11", base=2) == 3
    assert list(OVERLOADS[enumerate]("a", start=5)) == [(5, "a")]


def test_the_lists_of_overloads_agree() -> None:
    names = {function.__name__ for function in OVERLOADS}
    assert names | {"filter"} == OVERLOADED
    assert all(hasattr(builtins, name) for name in OVERLOADED)


def test_symbolic_tensors() -> None:
    def f(x: Any) -> Any:
        return {
            "abs": abs(-x),
            "all": all(x > 1),
            "any": any(x > 1),
            "bool": bool(x[0]),
            "float": float(tf.cast(x[0], tf.int32)),
            "int": int(x[0]),
            "len": len(x),
            "max": max(x),
            "max2": max(x[0], 2.0, x[1]),
            "min": min(x),
            "min2": min(2.0, x[0]),
            "sorted": sorted(x),
            "reversed": sorted(x, reverse=True),
            "sum": sum(x),
            "sum2": sum(x, 1.0),
        }

    assert values(traced(f)(VECTOR)) == {
        "abs": [3, 1, 2],
        "all": False,
        "any": True,
        "bool": True,
        "float": 3.0,
        "int": 3,
        "len": 3,
        "max": 3.0,
        "max2": 3.0,
        "min": 1.0,
        "min2": 2.0,
        "sorted": [1, 2, 3],
        "reversed": [3, 2, 1],
        "sum": 6.0,
        "sum2": 7.0,
    }


def test_strings_become_numbers() -> None:
    def f(x: Any) -> Any:
        return int(x), float(x), int(x, 10)

    assert values(traced(f)(tf.constant("12"))) == (12, 12.0, 12)
    with pytest.raises(NotImplementedError, match="no base but 10"):
        traced(lambda x: int(x, 16))(tf.constant("12"))


def test_integers_are_sorted() -> None:
    x = tf.constant([3, -1, 2], tf.int32)
    assert values(traced(lambda x: sorted(x))(x)) == [-1, 2, 3]


def test_the_length_of_what_is_unknown() -> None:
    function = traced(lambda x: len(x), input_signature=[tf.TensorSpec([None])])
    assert values(function(VECTOR)) == 3
    with pytest.raises(ValueError, match="of a scalar tensor"):
        traced(lambda x: len(x))(tf.constant(1))


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((4,), [0, 1, 2, 3]), ((2, 4), [2, 3]), ((5, 1, -2), [5, 3]), ((-3,), []), ((4, 2), [])],
)
def test_ranges(ends: tuple[int, ...], expected: list[int]) -> None:
    def f(*ends: Any) -> Any:
        found = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in range(*ends):
            found = found.write(found.size(), i)
        return found.stack()

    assert values(traced(f)(*map(tf.constant, ends))) == expected
    assert values(traced(lambda last: f(*ends[:-1], last))(tf.constant(ends[-1]))) == expected


def test_enumerate_zip_and_map() -> None:
    def f(x: Any, y: Any) -> Any:
        total = 0.0
        for i, (a, b) in enumerate(zip(x, y), 1):
            total = total * 10 + tf.cast(i, tf.float32) + a * b
        for a in map(lambda a, b: a if a > b else b, x, y):
            total += a
        for i, (a, b) in enumerate(zip([1.0], [2.0])):
            total += a * b * i
        return total

    assert values(traced(f)(VECTOR, tf.constant([2.0, 3.0]))) == 75.0 + 6.0
    unknown = traced(f, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    assert values(unknown(VECTOR, tf.constant([2.0, 3.0]))) == 75.0 + 6.0


def test_map_and_filter_convert_their_functions() -> None:
    def larger(a: Any) -> Any:
        if a > 2:
            return a
        return a * 10

    def f(x: Any) -> Any:
        kept = list(filter(lambda n: n > 0 and n < 3, [1, -1, 2, 5]))
        return list(map(larger, [x, x + 1])), kept

    assert values(traced(f)(tf.constant(2))) == ([20, 3], [1, 2])


def test_items_cannot_be_run_through_by_python() -> None:
    with pytest.raises(TypeError, match="`for` statement that AutoGraph can see"):
        traced(lambda x: list(enumerate(x)))(VECTOR)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: max(x, key=abs), "keyword"),
        (lambda x: max(tf.reshape(x, [3, 1])), "rank 1"),
        (lambda x: max(x, 2), "scalar tensor"),
        (lambda x: sorted(x, key=abs), "key"),
        (lambda x: sorted(x[0]), "vector"),
        (lambda x: any(x), "vector of bools"),
    ],
)
def test_what_is_not_possible_with_tensors(function: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        traced(function)(VECTOR)


def test_an_iterator_that_knows_better() -> None:
    class Numbers:
        def __autograph_next__(self, *default: Any) -> Any:
            return default or "next"

    assert OVERLOADS[next](Numbers()) == "next"
    assert OVERLOADS[next](Numbers(), 1) == (1,)


def test_print_is_pythons(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        print("traced", x)
        return x

    function = traced(f)
    function(VECTOR)
    function(VECTOR)
    assert capsys.readouterr().out.count("traced Tensor(") == 1
