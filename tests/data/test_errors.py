"""Errors name the transformation, the function with its line, and the element."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tapeflow as tf
from tests.data.helpers import Dataset


def fails_at_three(x: Any) -> Any:
    return 6 // (3 - x)


def here(function: Any) -> str:
    return f"{__file__}:{inspect.getsourcelines(function)[1]}"


@pytest.mark.parametrize(
    ("dataset", "name"),
    [
        (lambda: Dataset.range(6).map(fails_at_three), "map"),
        (lambda: Dataset.range(6).map(fails_at_three, num_parallel_calls=2), "map"),
        (lambda: Dataset.range(6).map(fails_at_three).batch(2), "map"),
    ],
)
def test_errors_name_stage_function_line_and_element(dataset: Any, name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(dataset())
    message = str(caught.value)
    assert "division by zero" in message
    assert f"Dataset.{name}, function fails_at_three ({here(fails_at_three)})" in message
    assert "element 3 of its input" in message


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda ds: ds.filter(lambda x: fails_at_three(x) > 0), "filter"),
        (lambda ds: ds.flat_map(lambda x: Dataset.range(fails_at_three(x))), "flat_map"),
        (lambda ds: ds.scan(tf.zeros([], tf.int64), lambda s, x: (s, fails_at_three(x))), "scan"),
    ],
)
def test_the_index_counts_on_after_a_restore(make: Any, name: str) -> None:
    dataset = make(Dataset.range(6))
    walk = dataset.as_numpy_iterator()
    next(walk)
    other = dataset.as_numpy_iterator()
    other.restore(walk.save())
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(other)
    assert f"In Dataset.{name}, function <lambda>" in str(caught.value)
    assert "element 3 of its input" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([(1, [2.0, 3.0]), (1, [2.0])], ["component 1", "[2.0]", "element 1", "(2,)"]),
        ([(1, [2.0, 3.0]), ("a", [2.0, 3.0])], ["component 0", "'a'", "element 1", "int32"]),
        ([(1, [2.0, 3.0]), 7], ["structure", "7", "element 1"]),
    ],
)
def test_wrong_generator_values_name_component_value_and_spec(values: Any, words: Any) -> None:
    signature = tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32)
    dataset = Dataset.from_generator(lambda: values, output_signature=signature)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(dataset)
    for word in words:
        assert word in str(caught.value)


def _generated():
    yield 1


_GENERATOR = tf.random.Generator.from_seed(1)


@pytest.mark.parametrize(
    ("make", "refused"),
    [
        (lambda: Dataset.range(5).map(lambda x: tf.random.uniform([])), True),
        (lambda: Dataset.range(5).map(lambda x: _GENERATOR.normal([])), True),
        (lambda: Dataset.range(5).filter(lambda x: tf.random.uniform([]) < 2), True),
        (lambda: Dataset.range(5).map(lambda x: tf.numpy_function(abs, [x], tf.int64)), True),
        (
            lambda: Dataset.range(5).map(
                lambda x: tf.cond(x > 2, lambda: tf.random.uniform([]), lambda: 0.0)
            ),
            True,
        ),
        (
            lambda: Dataset.range(5).flat_map(
                lambda x: Dataset.range(2).map(lambda y: tf.random.uniform([]))
            ),
            True,
        ),
        (lambda: Dataset.range(5).flat_map(lambda x: Dataset.range(x).shuffle(2).cache()), False),
        (lambda: Dataset.range(5).map(lambda x: tf.random.stateless_uniform([], [1, x])), False),
        (lambda: Dataset.range(5).map(lambda x: tf.timestamp()), False),
        (lambda: Dataset.sample_from_datasets([Dataset.range(5), Dataset.range(3)]), False),
        (lambda: Dataset.from_generator(_generated, tf.int32), False),
    ],
)
def test_positions_of_functions_with_state_are_refused(make: Any, refused: bool) -> None:
    if refused:
        with pytest.raises(tf.errors.FailedPreconditionError, match="random numbers"):
            iter(make())._serialize_to_tensors()
        options = tf.data.Options()
        options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
        assert iter(make().with_options(options))._serialize_to_tensors()
    else:
        assert iter(make())._serialize_to_tensors()
