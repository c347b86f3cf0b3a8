"""What only Keras 2 has: timed threads, tuners, evaluators beside the training, vocabularies."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
X = np.random.default_rng(0).standard_normal((8, 4)).astype("float32")
Y = X[:, :1] * 2 - 1


def test_timed_threads_run_until_they_are_stopped() -> None:
    called = threading.Event()

    class Beat(keras.utils.TimedThread):
        count = 0

        def on_interval(self) -> None:
            self.count += 1
            if self.count == 3:
                called.set()

    with Beat(interval=0.001) as beat:
        assert called.wait(20)
        assert beat.is_alive()
        with pytest.warns(UserWarning, match="already"):
            beat.start()
    beat.thread.join(20)
    assert not beat.is_alive()
    with pytest.raises(NotImplementedError, match="on_interval"):
        keras.utils.TimedThread(1).on_interval()


def test_the_tuner_follows_the_speed() -> None:
    optimizer = keras.optimizers.SGD()
    variable = tf.Variable(10, dtype="int64")
    tuner = keras.utils.StepsPerExecutionTuner(
        optimizer, variable, interval=1000, change_spe_interval=1
    )
    thread = tuner.start()
    assert thread is tuner.start()
    for steps, before, expected in ((10, 0.0, 15), (10, 1e12, 8), (10, 0.0, 4)):
        optimizer.iterations.assign_add(steps)
        tuner._speed_before = before
        tuner._measure()
        assert int(tuner.steps_per_execution) == expected
    tuner.steps_per_execution = 7
    assert int(variable) == 7
    tuner.stop()
    thread.join(20)


def _model() -> Any:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def test_a_sidecar_evaluates_checkpoints_and_keeps_the_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained = _model()
    saving = keras.callbacks.ModelCheckpoint(tmp_path / "ckpt-{epoch}", save_weights_only=True)
    trained.fit(X, Y, epochs=2, callbacks=[saving], verbose=0)
    best = tmp_path / "best-{epoch}.weights.h5"
    export = keras.callbacks.SidecarEvaluatorModelExport(
        best, tmp_path / "ckpt-{epoch}", save_weights_only=True, monitor="loss", mode="min"
    )
    other = _model()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    evaluator = keras.utils.SidecarEvaluator(
        other, data, tmp_path, max_evaluations=2, callbacks=[export]
    )
    evaluator.start()
    for expected, received in zip(trained.get_weights(), other.get_weights()):
        np.testing.assert_array_equal(received, expected)
    assert "loss" in capsys.readouterr().out
    assert (tmp_path / "best-2.weights.h5").exists()
    assert keras.experimental.SidecarEvaluator is keras.utils.SidecarEvaluator


def test_a_sidecar_reads_checkpoints_of_training_loops(tmp_path: Path) -> None:
    trained = _model()
    trained.fit(X, Y, verbose=0)
    checkpoint = tf.train.Checkpoint(model=trained, optimizer=trained.optimizer)
    tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1).save()
    other = _model()
    keras.utils.SidecarEvaluator(other, X, tmp_path, max_evaluations=1)._load(
        tf.train.latest_checkpoint(str(tmp_path))
    )
    np.testing.assert_array_equal(other.get_weights()[0], trained.get_weights()[0])
    assert int(other.optimizer.iterations) == int(trained.optimizer.iterations)


@pytest.mark.parametrize("splits", [None, 2])
def test_sharpness_aware_steps_use_the_gradient_uphill(splits: int | None) -> None:
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(1, use_bias=False)])
    start = inner.get_weights()[0]
    model = keras.models.experimental.SharpnessAwareMinimization(inner, 0.1, splits)
    model.compile(keras.optimizers.SGD(0.5), "mse", metrics=["mae"])
    history = model.fit(X, Y, batch_size=8, shuffle=False, verbose=0).history

    def gradient(weights: Any, x: Any, y: Any) -> Any:
        return 2 * x.T @ (x @ weights - y) / len(x)

    expected = start.copy()
    for x, y in zip(np.split(X, splits or 1), np.split(Y, splits or 1)):
        uphill = gradient(start, x, y)
        moved = start + 0.1 * uphill / np.linalg.norm(uphill)
        expected -= 0.5 * gradient(moved, x, y)
    np.testing.assert_allclose(inner.get_weights()[0], expected, 1e-5, 1e-6)
    assert {"loss", "mae"} <= set(history)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(model))
    assert (again.rho, again.num_batch_splits) == (0.1, splits)


def test_python_metrics_run_outside_of_graphs() -> None:
    class Largest(keras.metrics.experimental.PyMetric):
        def reset_state(self) -> None:
            self.largest = -1e9

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            self.largest = max(self.largest, float(y_true.numpy().max()))

        def result(self) -> float:
            return self.largest

    model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[Largest(name="largest")])
    history = model.fit(X, Y, batch_size=2, epochs=2, verbose=0).history
    np.testing.assert_allclose(history["largest"], [Y.max()] * 2, 1e-6)


def test_dynamic_lookup_counts_as_keras_2() -> None:
    # Recorded from tf_keras 2.21.
    layer = layers.experimental.DynamicLookup(3, tf.constant(["apple", "banana", "cherry"]))
    steps = (
        (["apple", "banana"], [0, 1], [b"apple", b"banana", b"cherry"], [1, 1, 0]),
        (["zebra", "kiwi"], [3, 3], [b"banana", b"kiwi", b"zebra"], [1, 1, 1]),
        (["kiwi", "apple"], [3, 0], [b"kiwi", b"zebra", b"apple"], [2, 1, 1]),
        (["fig", "kiwi"], [3, 3], [b"kiwi", b"apple", b"fig"], [3, 1, 1]),
    )
    for terms, indices, keys, counts in steps:
        assert layer(tf.constant([terms])).numpy().tolist() == [indices]
        assert layer.vocabulary_table_keys.numpy().tolist() == keys
        assert layer.vocabulary_table_values.numpy().tolist() == counts
    assert layer.get_top_vocabulary(2).numpy().tolist() == [b"kiwi", b"apple"]
    again = layers.experimental.DynamicLookup.from_config(layer.get_config())
    assert again(tf.constant(["cherry"]), learn_vocab=False).numpy().tolist() == [2]
    numbers = layers.experimental.DynamicLookup(3, tf.int64)
    assert numbers(tf.constant([100], tf.int64)).numpy().tolist() == [3]


def test_dynamic_embeddings_keep_the_rows_of_known_terms() -> None:
    layer = layers.experimental.DynamicEmbedding(3, 2, tf.constant(["a", "b", "c"]))
    for _ in range(2):
        assert layer(tf.constant([["a", "d"]])).shape == (1, 2, 2)
    before = layer.embedding_layer.embeddings.numpy()
    layer.update_embeddings()
    # Recorded from tf_keras 2.21.
    assert layer.get_vocabulary().numpy().tolist() == [b"d", b"a", b"c"]
    np.testing.assert_array_equal(layer.embedding_layer.embeddings.numpy()[1:3], before[[0, 2]])
    assert layers.experimental.DynamicEmbedding.from_config(layer.get_config()).built is False


def test_embeddings_are_updated_while_training() -> None:
    terms = tf.constant([["a", "j"], ["j", "h"], ["h", "j"]])
    model = keras.Sequential(
        [
            layers.experimental.DynamicEmbedding(2, 2, tf.constant(["a", "b"])),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    callback = keras.callbacks.experimental.UpdateEmbeddingCallback(model.layers[0], 1000)
    with callback:
        model.fit(terms, np.zeros((3, 1)), epochs=2, batch_size=1, callbacks=[callback], verbose=0)
    callback.on_interval()
    model.fit(terms, np.zeros((3, 1)), batch_size=1, callbacks=[callback], verbose=0)
    assert b"j" in model.layers[0].get_vocabulary().numpy()


def test_names_without_anything_behind_them_say_so() -> None:
    with pytest.raises(NotImplementedError, match="Estimators"):
        keras.estimator.model_to_estimator(None)
    generators = keras.backend.experimental
    generators.enable_tf_random_generator()
    with pytest.warns(UserWarning, match="no effect"):
        generators.disable_tf_random_generator()
    assert generators.is_tf_random_generator_enabled()
    assert keras.Quantizer is keras.quantizers.Quantizer
    with pytest.raises(NotImplementedError, match="PyTorch"):
        layers.TorchModuleWrapper(object())
