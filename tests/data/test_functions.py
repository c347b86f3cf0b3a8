"""The functions that users give: traced once, converted by AutoGraph, or run as plain Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.data import functions
from tests.data.helpers import Dataset, elements


def test_a_function_is_traced_once() -> None:
    traces = []

    def double(x: Any) -> Any:
        traces.append(x)
        return 2 * x

    dataset = Dataset.range(5).map(double)
    assert elements(dataset) == elements(dataset) == [0, 2, 4, 6, 8]
    assert len(traces) == 1
    assert isinstance(traces[0], tf.Tensor)


def test_control_flow_becomes_part_of_the_graph() -> None:
    def steps(n: Any) -> Any:
        count = 0
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    assert elements(Dataset.range(1, 7).map(steps)) == [0, 1, 7, 2, 5, 8]


def test_arguments_are_the_parts_of_a_tuple_only() -> None:
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert elements(pairs.map(lambda x, y: x + y)) == [4, 6]
    nested = Dataset.from_tensor_slices((([1], [2]), {"c": [3]}))
    assert elements(nested.map(lambda ab, d: ab[0] + ab[1] + d["c"])) == [6]
    assert elements(Dataset.from_tensor_slices({"a": [1]}).map(lambda d: d["a"] + 1)) == [2]
    assert elements(pairs.filter(lambda x, y: y > 3)) == [(2, 4)]


def test_what_functions_return() -> None:
    dataset = Dataset.range(1)
    results = dataset.map(lambda x: (37.0, [42, 16], np.ones(2), {"s": "text"}, None))
    assert results.element_spec == (
        tf.TensorSpec([], tf.float32),
        tf.TensorSpec([2], tf.int32),
        tf.TensorSpec([2], tf.float64),
        {"s": tf.TensorSpec([], tf.string)},
        tf.NoneTensorSpec(),
    )
    assert elements(results) == [(37.0, [42, 16], [1.0, 1.0], {"s": b"text"}, None)]
    assert elements(dataset.map(lambda x: [x, x])) == [(0, 0)]


def test_variables_and_tensors_from_outside() -> None:
    variable, large = tf.Variable(10, dtype=tf.int64), tf.constant(np.arange(1000))
    dataset = Dataset.range(2).map(lambda x: x + variable + large[-1])
    assert elements(dataset) == [1009, 1010]
    variable.assign(0)
    assert elements(dataset) == [999, 1000]


def test_functions_change_variables() -> None:
    total = tf.Variable(0, dtype=tf.int64)
    elements(Dataset.range(5).map(lambda x: total.assign_add(x)))
    assert int(total) == 10


def test_functions_that_are_already_traced_and_other_callables() -> None:
    class Adder:
        def __init__(self, by: int) -> None:
            self.by = by

        def __call__(self, x: Any) -> Any:
            if x > 0:
                return x + self.by
            return x

        def method(self, x: Any) -> Any:
            return self(x)

    dataset = Dataset.range(3)
    adder = Adder(5)
    for function in (
        adder,
        adder.method,
        tf.function(adder.method),
        tf.function(lambda x: adder(x)),
    ):
        assert elements(dataset.map(function)) == [0, 6, 7]


def test_random_numbers_differ_from_element_to_element() -> None:
    dataset = Dataset.range(20).map(lambda x: tf.random.uniform([], seed=1))
    assert len(set(elements(dataset))) == 20


def test_python_functions() -> None:
    dataset = Dataset.from_tensor_slices(["hello", "world"])
    upper = dataset.map(
        lambda x: tf.py_function(lambda t: t.numpy().decode().upper(), [x], tf.string)
    )
    assert elements(upper) == [b"HELLO", b"WORLD"]


def test_errors_of_the_function_name_its_line() -> None:
    with pytest.raises(AttributeError, match=r"x\.nothing"):
        Dataset.range(1).map(lambda x: x.nothing)


# -- as plain Python ------------------------------------------------------------------------------


@pytest.fixture
def debugging() -> Iterator[None]:
    tf.data.experimental.enable_debug_mode()
    yield
    functions._debugging.enabled = False


@pytest.fixture
def eagerly() -> Iterator[None]:
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("how", ["debugging", "eagerly"])
def test_functions_can_run_as_plain_python(how: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(how)
    seen = []

    def note(x: Any, y: Any) -> Any:
        seen.append((type(x).__name__, y["a"]))
        return {"sum": x + y["a"], "pair": (x, "text")}

    dataset = Dataset.from_tensor_slices(([1, 2], {"a": [3, 4]})).map(note)
    expected = [{"sum": 4, "pair": (1, b"text")}, {"sum": 6, "pair": (2, b"text")}]
    seen.clear()
    assert elements(dataset) == expected
    assert [(kind, int(a)) for kind, a in seen] == [("EagerTensor", 3), ("EagerTensor", 4)]
    assert elements(Dataset.range(4).filter(lambda x: x > 1)) == [2, 3]
    windows = Dataset.range(4).window(2).flat_map(lambda w: w.batch(2))
    assert elements(windows) == [[0, 1], [2, 3]]


# -- in threads ---------------------------------------------------------------------------------


def slow(x: Any) -> Any:
    time.sleep(0.003)
    return x


def slowly(x: Any) -> Any:
    return tf.numpy_function(slow, [x], tf.int64)


@pytest.mark.parametrize("count", [0, 1, 3, 30])
def test_slow_elements_in_threads_are_the_same(count: int) -> None:
    source = Dataset.range(count)
    expected = list(range(count))
    assert elements(source.map(slowly, num_parallel_calls=4)) == expected
    assert elements(source.map(slowly).prefetch(2)) == expected
    assert elements(source.map(slowly, tf.data.AUTOTUNE).batch(4).prefetch(tf.data.AUTOTUNE)) == [
        expected[i : i + 4] for i in range(0, count, 4)
    ]
    inner = source.interleave(
        lambda n: Dataset.range(n, n + 4).map(slowly), 2, num_parallel_calls=2
    )
    assert sorted(elements(inner)) == sorted(n + i for n in range(count) for i in range(4))


def failing(x: Any) -> Any:
    time.sleep(0.003)
    if x % 10 == 9:
        raise ValueError(f"not {x}")
    return x


def test_an_error_in_a_thread_is_that_of_its_element() -> None:
    source = Dataset.range(25)
    fail = lambda x: tf.numpy_function(failing, [x], tf.int64)  # noqa: E731
    for dataset in (source.map(fail, num_parallel_calls=4), source.map(fail).prefetch(3)):
        walk = iter(dataset)
        found: list[Any] = []
        while True:
            try:
                found.append(int(next(walk)))
            except StopIteration:
                break
            except tf.errors.InvalidArgumentError as error:
                found.append(str(error).partition(" [")[0].strip())
        assert [x for x in found if isinstance(x, int)] == [n for n in range(25) if n % 10 != 9]
        assert all("not" in found[place] for place in (9, 19))


def test_a_place_can_be_saved_while_threads_work() -> None:
    options = tf.data.Options()  # the function sleeps in Python, and has no state
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    for make in (
        lambda: Dataset.range(20).map(slowly, num_parallel_calls=3),
        lambda: Dataset.range(20).map(slowly).prefetch(3),
    ):
        walk = make().with_options(options).as_numpy_iterator()
        for _ in range(8):
            next(walk)
        saved = walk.save()
        assert list(walk) == list(range(8, 20))
        anew = make().with_options(options).as_numpy_iterator()
        anew.restore(saved)
        assert list(anew) == list(range(8, 20))


def test_a_walk_that_is_left_ends_its_threads() -> None:
    class Counter:
        made = 0

    def count(x: Any) -> Any:
        Counter.made += 1
        return slow(x)

    walk = iter(
        Dataset.range(10**6).map(lambda x: tf.numpy_function(count, [x], tf.int64)).prefetch(2)
    )
    for _ in range(6):
        next(walk)
    del walk
    time.sleep(0.05)
    before = Counter.made
    time.sleep(0.05)
    assert Counter.made == before
