"""`tf.explain.data` shows the stages of a dataset, and where the time goes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def slow(x: Any) -> Any:
    time.sleep(0.002)
    return x


def test_stages_specs_and_elements() -> None:
    dataset = tf.data.Dataset.range(40).map(lambda x: x * 2).batch(10)
    explained = tf.explain.data(dataset)
    assert [stage.name for stage in explained.stages] == ["Range", "Map", "Batch"]
    assert [stage.elements for stage in explained.stages] == [40, 40, 4]
    assert [stage.cardinality for stage in explained.stages] == [40, 40, 4]
    assert explained.stages[-1].spec == "int64[?]"
    assert explained.elements == 4
    assert sum(stage.share for stage in explained.stages) == pytest.approx(1.0)


def test_the_slow_stage_and_the_advice() -> None:
    data = tf.data.Dataset.from_tensor_slices(np.ones([30, 4], np.float32))
    data = data.map(lambda x: tf.numpy_function(slow, [x], tf.float32)).batch(5).shuffle(4)
    explained = tf.explain.data(data)
    by_name = {stage.name: stage for stage in explained.stages}
    assert by_name["Map"].share > 0.8
    assert by_name["Map"].seconds >= 30 * 0.002
    advice = " ".join(explained.advice)
    for part in ("num_parallel_calls", ".cache()", ".prefetch(", "shuffle before batch"):
        assert part in advice
    assert "Advice: Map takes" in str(explained)


def test_two_stages_of_one_kind_are_told_apart() -> None:
    data = tf.data.Dataset.range(20)
    data = data.map(lambda x: x + 1).map(lambda x: tf.numpy_function(slow, [x], tf.int64))
    first, second = tf.explain.data(data).stages[1:]
    assert first.name == second.name == "Map"
    assert second.seconds > 5 * first.seconds


def test_no_advice_for_what_is_done_already() -> None:
    data = tf.data.Dataset.range(20).shuffle(20).batch(5).prefetch(2)
    assert tf.explain.data(data).advice == ()


def test_at_most_so_many_elements_are_read() -> None:
    explained = tf.explain.data(tf.data.Dataset.range(10).repeat(), elements=25)
    assert explained.elements == 25


def test_observation_ends_with_the_call() -> None:
    dataset = tf.data.Dataset.range(5)
    before = type(dataset._variant_tensor._array).cursor
    tf.explain.data(dataset)
    assert type(dataset._variant_tensor._array).cursor is before


def test_html() -> None:
    dataset = tf.data.Dataset.range(5).batch(2)
    assert "<td style='text-align:left'>Batch</td>" in tf.explain.data(dataset)._repr_html_()
    assert "<td style='text-align:left'>Batch</td>" in dataset._repr_html_()


def test_other_values() -> None:
    with pytest.raises(TypeError, match=r"expects a tf\.data\.Dataset"):
        tf.explain.data([1, 2])  # type: ignore[arg-type]
