"""`tf.compat.v1.metrics`: what they count over batches. TensorFlow's values are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1
M = v1.metrics
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, (3, 6))
SCORES = np.round(RNG.random((3, 6)).astype("float32"), 2)
WEIGHTS = RNG.random((3, 6)).astype("float32")
CLASSES = RNG.integers(0, 4, (3, 6))
GUESSES = RNG.integers(0, 4, (3, 6))
GUESSES[:, :3] = CLASSES[:, :3]


def counted(build: Callable[..., Any]) -> tuple[Any, Any]:
    """The value of a metric after three batches, and the result of its last update."""
    with tf.Graph().as_default():
        labels, classes, guesses = (v1.placeholder(tf.int64, [None]) for _ in range(3))
        scores, weights = (v1.placeholder(tf.float32, [None]) for _ in range(2))
        value, update = build(labels, scores, weights, classes, guesses)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            for batch in zip(LABELS, SCORES, WEIGHTS, CLASSES, GUESSES):
                feeds = dict(zip((labels, scores, weights, classes, guesses), batch))
                last = session.run(update, feeds)
            return session.run(value), last


COUNTS = {
    "true_positives": (LABELS == 1) & (SCORES > 0.5),
    "false_positives": (LABELS == 0) & (SCORES > 0.5),
    "false_negatives": (LABELS == 1) & (SCORES <= 0.5),
    "true_negatives": (LABELS == 0) & (SCORES <= 0.5),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_of_all_batches(name: str) -> None:
    plain = counted(lambda y, p, w, c, d: getattr(M, name)(y, p > 0.5))
    weighted = counted(lambda y, p, w, c, d: getattr(M, name)(y, p > 0.5, w))
    at = counted(
        lambda y, p, w, c, d: getattr(M, f"{name}_at_thresholds")(y, p, [0.5, 2.0], weights=w)
    )
    expected = COUNTS[name]
    np.testing.assert_array_equal(plain, [expected.sum()] * 2)
    np.testing.assert_allclose(weighted, [(expected * WEIGHTS).sum()] * 2, rtol=1e-6)
    np.testing.assert_allclose(at[0][0], weighted[0], rtol=1e-6)


RECORDED: dict[str, Any] = {
    "precision": (lambda y, p, w, c, d: M.precision(y, p > 0.5, w), 0.6812),
    "recall": (lambda y, p, w, c, d: M.recall(y, p > 0.5, w), 0.4924),
    "precision_at": (
        lambda y, p, w, c, d: M.precision_at_thresholds(y, p, [0.25, 0.5, 0.75]),
        [0.6923, 0.6, 0.6],
    ),
    "recall_at": (
        lambda y, p, w, c, d: M.recall_at_thresholds(y, p, [0.25, 0.5, 0.75], w),
        [0.7303, 0.4924, 0.2858],
    ),
    "auc": (lambda y, p, w, c, d: M.auc(y, p, w, 20), 0.4678),
    "auc_minoring": (
        lambda y, p, w, c, d: M.auc(y, p, None, 20, summation_method="minoring"),
        0.4444,
    ),
    "auc_pr": (
        lambda y, p, w, c, d: M.auc(y, p, w, 20, curve="PR", summation_method="majoring"),
        0.767,
    ),
    "sensitivity": (lambda y, p, w, c, d: M.sensitivity_at_specificity(y, p, 0.6, w, 30), 0.2858),
    "specificity": (lambda y, p, w, c, d: M.specificity_at_sensitivity(y, p, 0.6, w, 30), 0.4009),
    "percentage_below": (lambda y, p, w, c, d: M.percentage_below(p, 0.4, w), 0.3888),
    "relative": (
        lambda y, p, w, c, d: M.mean_relative_error(tf.cast(y, tf.float32), p, c),
        0.2389,
    ),
    "cosine": (
        lambda y, p, w, c, d: M.mean_cosine_distance(
            tf.reshape(y, [3, 2]), tf.reshape(p, [3, 2]), 1
        ),
        0.3389,
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_values_are_those_of_tensorflow(name: str) -> None:
    build, expected = RECORDED[name]
    value, update = counted(build)
    np.testing.assert_allclose(value, expected, atol=6e-5)
    np.testing.assert_allclose(update, expected, atol=6e-5)


def test_means_are_those_of_all_batches() -> None:
    errors = SCORES - LABELS
    for name, expected in (
        ("mean_absolute_error", np.mean(np.abs(errors))),
        ("mean_squared_error", np.mean(errors**2)),
        ("root_mean_squared_error", np.sqrt(np.mean(errors**2))),
    ):
        values = counted(lambda y, p, w, c, d, name=name: getattr(M, name)(y, p))
        np.testing.assert_allclose(values, [expected] * 2, rtol=1e-5)
    weighted = np.average(SCORES, weights=WEIGHTS)
    np.testing.assert_allclose(counted(lambda y, p, w, c, d: M.mean(p, w))[0], weighted, rtol=1e-5)
    right = counted(lambda y, p, w, c, d: M.accuracy(c, d[:, tf.newaxis], w))[0]
    np.testing.assert_allclose(right, np.average(CLASSES == GUESSES, weights=WEIGHTS), rtol=1e-5)
    each = counted(lambda y, p, w, c, d: M.mean_tensor(tf.ensure_shape(p, [6])))[0]
    np.testing.assert_allclose(each, SCORES.mean(0), rtol=1e-5)


def test_classes_count_alike() -> None:
    value, matrix = counted(lambda y, p, w, c, d: M.mean_iou(c, d, 4))
    expected = np.zeros((4, 4))
    np.add.at(expected, (CLASSES, GUESSES), 1)
    np.testing.assert_array_equal(matrix, expected)
    np.testing.assert_allclose(value, 0.3681, atol=6e-5)
    value, shares = counted(lambda y, p, w, c, d: M.mean_per_class_accuracy(c, d, 4, w))
    np.testing.assert_allclose(shares, [0.8956, 0.7211, 0.0, 0.3334], atol=6e-5)
    np.testing.assert_allclose(value, 0.4875, atol=6e-5)


def test_variables_are_local_and_named_after_the_metric() -> None:
    with tf.Graph().as_default():
        M.mean([1.0], None, ["values"], "updates", "mine")
        M.accuracy([1], [1])
        names = [variable.name for variable in v1.local_variables()]
        assert names == ["mine/total:0", "mine/count:0", "accuracy/total:0", "accuracy/count:0"]
        assert len(v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)) == 4
        assert len(v1.get_collection("values")) == len(v1.get_collection("updates")) == 1
        assert not v1.global_variables() and not v1.trainable_variables()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"tf\.keras\.metrics"):
        M.mean([1.0])
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="'ROC' or 'PR'"):
            M.auc([1], [0.5], curve="X")
        with pytest.raises(ValueError, match="summation_method"):
            M.auc([1], [0.5], summation_method="X")
        with pytest.raises(ValueError, match="from 0 to 1"):
            M.sensitivity_at_specificity([1], [0.5], 2.0)
