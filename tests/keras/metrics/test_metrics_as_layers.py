"""In Keras 2 metrics are layers: their members, as tf_keras 2.21 has them."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

keras = tf.keras


@pytest.fixture
def metric() -> Any:
    mean = keras.metrics.Mean(name="mean")
    mean.update_state([1.0, 2.0])
    return mean


def test_values_of_members(metric: Any) -> None:
    expected = {
        "activity_regularizer": None,
        "built": True,
        "dynamic": False,
        "inbound_nodes": [],
        "input_spec": None,
        "losses": [],
        "metrics": [],
        "outbound_nodes": [],
        "stateful": True,
        "submodules": (),
        "supports_masking": False,
        "trainable": True,
        "updates": [],
    }
    assert {name: getattr(metric, name) for name in expected} == expected
    for name in ("input", "output", "input_shape", "output_mask"):
        assert not hasattr(metric, name)


def test_methods_of_layers(metric: Any) -> None:
    assert metric.name_scope() == "mean/"
    assert metric.count_params() == 2
    assert metric.compute_output_shape((2, 3)) == ()
    assert metric.compute_output_signature(tf.TensorSpec((1,))) == tf.TensorSpec((), tf.float32)
    assert metric.call([1.0]) == [1.0]
    for nothing in (
        metric.build((1,)),
        metric.build_from_config({"input_shape": (1,)}),
        metric.get_build_config(),
        metric.finalize_state(),
        metric.add_update([]),
        metric.compute_mask(3),
    ):
        assert nothing is None
    with pytest.raises(TypeError, match="mask"):
        metric.compute_mask(3, 4)
    with pytest.raises(ValueError, match="add_loss"):
        metric.add_loss(3.0)
    with pytest.raises(ValueError, match="add_metric"):
        metric.add_metric(1.0, name="z")
    with pytest.raises(RuntimeError, match="node_index=0"):
        metric.get_output_shape_at(0)
    metric.add_loss(lambda: tf.constant(2.0))
    assert [float(loss) for loss in metric.losses] == [2.0]


def test_variables_are_stored_by_number(metric: Any) -> None:
    store: dict[str, Any] = {}
    metric.save_own_variables(store)
    assert {key: float(value) for key, value in store.items()} == {"0": 3.0, "1": 2.0}
    metric.load_own_variables({"0": 3.0, "1": 1.0})
    assert float(metric.result()) == 3.0


def test_names_and_weights_of_subclasses() -> None:
    class Counter(keras.metrics.Metric):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(name="counter")
            self.inner = keras.metrics.Mean()
            self.total = self.add_weight(
                "total",
                initializer="zeros",
                aggregation=tf.VariableAggregation.SUM,
                synchronization=tf.VariableSynchronization.ON_READ,
            )

        @keras.metrics.Metric.with_name_scope
        def scope(self) -> Any:
            return tf.get_current_name_scope()

    counter = Counter()
    assert counter.submodules == (counter.inner,)
    assert counter.scope() == "counter"
    counter.trainable = False
    assert counter.trainable is False


def test_models_with_metrics_are_saved_as_before(metric: Any, tmp_path: Any) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanAbsoluteError()])
    model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)
    for name in ("m.keras", "m.h5", "m"):
        model.save(str(tmp_path / name))
        again = keras.models.load_model(str(tmp_path / name))
        assert len(again.metrics) == len(model.metrics)


def test_area_under_the_curve_of_precision_and_recall() -> None:
    metric = keras.metrics.AUC(curve="PR", num_thresholds=5)
    metric.update_state([0, 1, 1, 0], [0.1, 0.5, 0.8, 0.6])
    assert float(metric.interpolate_pr_auc()) == pytest.approx(0.79726744)
