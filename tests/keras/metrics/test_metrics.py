"""Metrics in functions, in checkpoints, of ones own, and through their configs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.metrics.programs import MADE

metrics = tf.keras.metrics


def make(code: str) -> Any:
    return eval(f"k.metrics.{code}", {"k": tf.keras})


@pytest.mark.parametrize("made", MADE)
def test_configs_make_equal_metrics(made: str) -> None:
    metric = make(made)
    config = metrics.serialize(metric)
    assert config["module"] == "keras.metrics"
    other = metrics.deserialize(config)
    assert type(other) is type(metric) and other.get_config() == metric.get_config()


# Those that create variables when they see the first batch do so in the first trace.
TRACED = [made for made in MADE if "num_regressors" not in made]


@pytest.mark.parametrize("made", TRACED)
def test_functions_agree(made: str) -> None:
    eager, traced = make(made), make(made)
    update = tf.function(traced.update_state, jit_compile=False)
    for batch in MADE[made]:
        y_true, y_pred = (tf.constant(eval(text)) for text in batch)
        eager.update_state(y_true, y_pred)
        update(y_true, y_pred)
    np.testing.assert_allclose(traced.result(), eager.result(), rtol=1e-5)


@pytest.mark.parametrize("made", ["AUC()", "SparseCategoricalAccuracy()", "MeanIoU(3)"])
def test_compiled(made: str) -> None:
    eager, traced = make(made), make(made)
    y_true, y_pred = (tf.constant(eval(text)) for text in MADE[made][0])
    compiled = tf.function(traced, jit_compile=True)
    np.testing.assert_allclose(compiled(y_true, y_pred), eager(y_true, y_pred), rtol=1e-5)


def test_sizes_that_are_not_known_yet() -> None:
    metric = metrics.AUC()
    spec = tf.TensorSpec([None, None])
    update = tf.function(metric.update_state, input_signature=[spec, spec])
    update(tf.constant([[0.0, 1.0]]), tf.constant([[0.2, 0.7]]))
    assert float(metric.result()) == pytest.approx(1.0)


def test_counting_is_checkpointed(tmp_path: Path) -> None:
    metric, other = metrics.Mean(), metrics.Mean()
    metric.update_state([1.0, 3.0])
    path = tf.train.Checkpoint(metric=metric).save(tmp_path / "c")
    tf.train.Checkpoint(metric=other).restore(path).assert_consumed()
    assert float(other.result()) == 2.0


def test_a_metric_of_ones_own() -> None:
    class Largest(metrics.Metric):  # type: ignore[name-defined,misc]
        def __init__(self, name: str = "largest", **kwargs: Any) -> None:
            super().__init__(name=name, **kwargs)
            self.most = self.add_weight(name="most", initializer="zeros")
            self.inner = metrics.Mean(name="inner")

        def update_state(self, values: Any) -> None:
            self.most.assign(tf.maximum(self.most, tf.reduce_max(values)))
            self.inner.update_state(values)

        def result(self) -> Any:
            return {"most": self.most, "mean": self.inner.result()}

    metric = Largest()
    assert [v.path for v in metric.variables] == ["largest/most", "inner/total", "inner/count"]
    result = metric(tf.constant([1.0, 3.0]))
    assert (float(result["most"]), float(result["mean"])) == (3.0, 2.0)
    metric.reset_state()
    assert float(metric.most) == 0.0 and float(metric.inner.result()) == 0.0


def test_a_forgotten_super_is_named() -> None:
    class Forgetful(metrics.Metric):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.total = self.add_weight(name="total")

    with pytest.raises(RuntimeError, match="super"):
        Forgetful()


def test_fractions_as_weights_of_whole_numbers_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="float sample_weight"):
        metrics.MeanIoU(2)([0, 1], [0, 1], sample_weight=tf.constant([0.5, 1.0]))


def test_more_predictors_than_samples() -> None:
    metric = metrics.R2Score(num_regressors=10)
    with pytest.warns(UserWarning, match="num_regressors"):
        metric(tf.constant([[1.0], [2.0]]), tf.constant([[1.0], [3.0]]))


def test_directions() -> None:
    assert metrics.MeanSquaredError()._tpf_direction == "down"
    assert metrics.AUC()._tpf_direction == "up"
    assert metrics.Mean()._tpf_direction is None


def test_functions_that_average_by_themselves_are_weighted_by_masks() -> None:
    def share(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean(y_pred)

    metric = metrics.MeanMetricWrapper(share)
    for value, mask in ((1.0, [[True, False]]), (4.0, [[True, True]])):
        prediction = tf.fill([1, 2, 3], value)
        prediction._keras_mask = tf.constant(mask)
        metric.update_state(tf.zeros([1, 2]), prediction)
    assert metric.result().numpy() == 3.0
