"""`tf.train` besides checkpoints: moving averages and clusters. Values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

V = tf.Variable


def test_averages() -> None:
    v = V([1.0, 2.0], name="v")
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply([v])
    shadow: Any = averages.average(v)
    assert (shadow.name, shadow.trainable) == ("v/ExponentialMovingAverage:0", False)
    assert shadow.numpy().tolist() == [1.0, 2.0]
    v.assign([5.0, 6.0])
    averages.apply([v])
    np.testing.assert_allclose(shadow, [1.4, 2.4], rtol=1e-6)
    assert averages.average(V(1.0)) is None
    assert averages.variables_to_restore([v]) == {"v/ExponentialMovingAverage": v}


def test_few_updates_fade_more_quickly() -> None:
    v = V([5.0, 6.0])
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=V(1))
    averages.apply([v])
    v.assign([1.0, 1.0])
    averages.apply([v])
    np.testing.assert_allclose(averages.average(v), [1.7272727, 1.909091], rtol=1e-6)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_averages_in_functions(jit_compile: bool) -> None:
    v = V([1.0, 2.0])
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([v])

    @tf.function(jit_compile=jit_compile)
    def step() -> Any:
        v.assign_add([1.0, 1.0])
        averages.apply([v])
        return averages.average(v)

    assert step().numpy().tolist() == [1.5, 2.5]
    assert step().numpy().tolist() == [2.25, 3.25]


def test_what_has_no_average() -> None:
    averages = tf.train.ExponentialMovingAverage(0.9)
    with pytest.raises(TypeError, match="floating-point variables"):
        averages.apply([V(1)])
    with pytest.raises(TypeError, match=r"averages tf\.Variables"):
        averages.apply([tf.constant(1.0)])


def test_clusters() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})
    assert repr(cluster) == "ClusterSpec({'ps': {1: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    assert cluster.jobs == ["worker", "ps"]
    assert (cluster.num_tasks("worker"), cluster.task_indices("ps")) == (2, [1])
    assert cluster.task_address("ps", 1) == "c:3"
    assert cluster.job_tasks("ps") == [None, "c:3"]
    assert cluster.as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "c:3"}}
    message = cluster.as_cluster_def()
    assert [job.name for job in message.job] == ["ps", "worker"]
    assert tf.train.ClusterSpec(message) == tf.train.ClusterSpec(cluster) == cluster
    assert cluster
    assert not tf.train.ClusterSpec({})


def test_wrong_clusters() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1"]})
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        cluster.num_tasks("x")
    with pytest.raises(ValueError, match="No task with index 5 in job 'worker'"):
        cluster.task_address("worker", 5)
    with pytest.raises(TypeError, match="`cluster` must be a"):
        tf.train.ClusterSpec(3)
    with pytest.raises(TypeError, match="tasks of job 'a' must be"):
        tf.train.ClusterSpec({"a": 3})
