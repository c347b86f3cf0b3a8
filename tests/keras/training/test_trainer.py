"""Models that define their own steps; traces, memory, messages and random order."""

from __future__ import annotations

import gc
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
DRAW = np.random.RandomState(0)
X = DRAW.randn(50, 4).astype("float32")
Y = X @ DRAW.randn(4, 1).astype("float32")
MODES = pytest.mark.parametrize(
    "mode", [{}, {"run_eagerly": True}, {"jit_compile": True}, {"jit_compile": False}]
)


def linear(**kwargs: Any) -> Any:
    made = keras.Sequential([layers.Input((4,)), layers.Dense(1, kernel_initializer="ones")])
    made.compile("sgd", "mse", **kwargs)
    return made


@MODES
def test_modes_agree(mode: dict[str, Any]) -> None:
    trained = linear(metrics=["mae"], **mode)
    history = trained.fit(X, Y, batch_size=16, epochs=3, shuffle=False, verbose=0).history
    other = linear(metrics=["mae"])
    wanted = other.fit(X, Y, batch_size=16, epochs=3, shuffle=False, verbose=0).history
    for name, values in wanted.items():
        np.testing.assert_allclose(history[name], values, rtol=1e-5)
    found, expected = trained.predict(X, verbose=0), other.predict(X, verbose=0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


class OwnStep(keras.Model):
    """Trains by a step of its own, with a metric that it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = layers.Dense(1, kernel_initializer="ones")
        self.mean = keras.metrics.Mean("own")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.mean.update_state(loss)
        return {"own": self.mean.result(), "constant": 3}

    @property
    def metrics(self) -> list[Any]:
        return [self.mean]


@MODES
def test_own_steps(mode: dict[str, Any]) -> None:
    trained = OwnStep()
    trained.compile("sgd", **mode)
    history = trained.fit(X, Y, batch_size=25, epochs=2, shuffle=False, verbose=0).history
    assert list(history) == ["constant", "own"]
    assert history["constant"] == [3.0, 3.0]
    wanted = linear().fit(X, Y, batch_size=25, epochs=2, shuffle=False, verbose=0).history
    np.testing.assert_allclose(history["own"], wanted["loss"], rtol=1e-5)


def test_steps_of_keras_2() -> None:
    class Old(keras.Model):
        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.compiled_metrics.update_state(y, y_pred)
            return {metric.name: metric.result() for metric in self.metrics}

    inputs = layers.Input((4,))
    old = Old(inputs, layers.Dense(1, kernel_initializer="ones")(inputs))
    old.compile("sgd", "mse", metrics=["mae"])
    found = old.fit(X, Y, batch_size=16, shuffle=False, verbose=0).history
    wanted = linear(metrics=["mae"]).fit(X, Y, batch_size=16, shuffle=False, verbose=0).history
    assert list(found) == list(wanted)
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5)


def test_own_loss_without_training() -> None:
    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = layers.Dense(1, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            return self.dense(x)

        def compute_loss(self, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> Any:  # type: ignore[override]
            return tf.reduce_mean(tf.square(y - y_pred))

    own = Own()
    own.compile("sgd")
    found = own.fit(X, Y, shuffle=False, verbose=0).history["loss"]
    wanted = linear().fit(X, Y, shuffle=False, verbose=0).history["loss"]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_step_must_give_a_dict() -> None:
    class Wrong(OwnStep):
        def train_step(self, data: Any) -> Any:
            return tf.constant(1.0)

    wrong = Wrong()
    wrong.compile("sgd")
    with pytest.raises(TypeError, match="`train_step` must return a dict"):
        wrong.fit(X, Y, verbose=0)


def test_steps_are_traced_twice_at_most() -> None:
    """Once for whole batches and once for batches of any size."""
    traces = []

    class Counted(OwnStep):
        def call(self, x: Any) -> Any:
            if not tf.executing_eagerly():
                traces.append(x.shape)
            return super().call(x)

    counted = Counted()
    counted(X)
    counted.compile("sgd")
    counted.fit(X, Y, batch_size=16, epochs=3, verbose=0)
    counted.fit(X[:11], Y[:11], batch_size=7, epochs=3, verbose=0)
    assert len(traces) == 2
    traces.clear()
    for rows in [1, *range(1, 20)]:
        assert counted.predict(X[:rows], verbose=0).shape == (rows, 1)
    assert len(traces) == 2


def test_prediction_in_a_loop_keeps_nothing() -> None:
    model = linear()
    model.predict(X[:1], verbose=0)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        model.predict(X[:1], verbose=0)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_a_model_that_was_trained_is_freed() -> None:
    model = linear()
    model.fit(X, Y, verbose=0)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_many_models_cause_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(6):
        linear().fit(X[:20], Y[:20], batch_size=16, verbose=0)
    assert not caplog.records


@pytest.mark.parametrize("shuffle", [True, "batch"])
def test_shuffled_epochs_have_all_samples(shuffle: Any) -> None:
    seen: list[Any] = []

    class Seen(OwnStep):
        def train_step(self, data: Any) -> Any:
            seen.append(data[0].numpy()[:, 0])
            return {}

    model = Seen()
    model.compile("sgd", run_eagerly=True)
    numbers = np.arange(50, dtype="float32")[:, None]
    keras.utils.set_random_seed(7)
    model.fit(numbers, numbers, batch_size=16, epochs=2, shuffle=shuffle, verbose=0)
    epochs = [np.concatenate(seen[:4]), np.concatenate(seen[4:])]
    for epoch in epochs:
        np.testing.assert_array_equal(np.sort(epoch), np.arange(50))
    # As in Keras, the seed says the order of every epoch; without one, all differ.
    np.testing.assert_array_equal(*epochs)
    tf.random.set_seed(None)
    seen.clear()
    model.fit(numbers, numbers, batch_size=16, epochs=2, shuffle=shuffle, verbose=0)
    assert (np.concatenate(seen[:4]) != np.concatenate(seen[4:])).any()


def test_errors_name_the_loss_the_output_and_shapes() -> None:
    inputs = layers.Input((4,))
    outputs = [layers.Dense(2, name="a")(inputs), layers.Dense(1, name="b")(inputs)]
    model = keras.Model(inputs, outputs)
    model.compile("sgd", ["mse", "mae"])
    with pytest.raises(ValueError) as error:
        model.fit(X, [X[:, :3], Y], verbose=0)
    loss = "In loss 'mse' of output 'a': y_true.shape=(32, 3), y_pred.shape=(32, 2)."
    assert any(note.startswith(loss) for note in error.value.__notes__)
    with pytest.raises(ValueError, match="output 'b' has the loss 'mae', but there are no targets"):
        model.fit(X, {"a": X[:, :2]}, verbose=0)


def test_a_generator_ends() -> None:
    batches = ((X[i : i + 10], Y[i : i + 10]) for i in (0, 10, 20))
    with pytest.warns(UserWarning, match="data ran out"):
        history = (
            linear().fit(batches, epochs=9, steps_per_epoch=2, verbose=0, shuffle=False).history
        )
    assert len(history["loss"]) == 9


class Numbered(keras.utils.PyDataset):
    """Batches that say their number."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epochs: list[str] = []

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> Any:
        if index == 99:
            raise IndexError
        return np.full([2, 4], index, "float32"), np.full([2, 1], index, "float32")

    def on_epoch_begin(self) -> None:
        self.epochs.append("begin")

    def on_epoch_end(self) -> None:
        self.epochs.append("end")


@pytest.mark.parametrize("workers", [1, 3])
def test_batches_of_workers_come_in_order(workers: int) -> None:
    model = keras.Sequential([layers.Input((4,)), layers.Lambda(lambda x: x[:, :1])])
    data = Numbered(workers=workers, max_queue_size=4)
    found = model.predict(data, verbose=0)
    np.testing.assert_array_equal(found[:, 0], np.repeat(np.arange(20), 2))
    assert data.epochs == ["begin", "end"]


def test_errors_of_workers_are_raised() -> None:
    class Broken(Numbered):
        def __getitem__(self, index: int) -> Any:
            raise RuntimeError(f"batch {index}")

    with pytest.raises(RuntimeError, match="batch 0"):
        linear().fit(Broken(workers=2), shuffle=False, verbose=0)


def test_mixed_precision_scales_the_loss() -> None:
    model = keras.Sequential([layers.Input((4,)), layers.Dense(1, dtype="mixed_float16")])
    model.dtype_policy = "mixed_float16"
    model.compile("sgd", "mse")
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    losses = model.fit(X, Y, epochs=20, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 2


def test_a_model_without_weights_warns() -> None:
    model = keras.Sequential([layers.Input((4,)), layers.Flatten()])
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="no trainable weights"):
        model.fit(X, X, verbose=0)


def test_what_is_compiled_comes_back() -> None:
    model = linear(metrics=["mae"], loss_weights=2.0)
    other = keras.Sequential([layers.Input((4,)), layers.Dense(1, kernel_initializer="ones")])
    other.compile_from_config(model.get_compile_config())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = other.fit(X, Y, shuffle=False, verbose=0).history
    assert found == model.fit(X, Y, shuffle=False, verbose=0).history


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_training_goes_on_after_saving(optimizer: str, tmp_path: Path) -> None:
    model = keras.Sequential([layers.Input((4,)), layers.Dense(1)])
    model.compile(optimizer, "mse", metrics=["mae"])
    model.save(tmp_path / "new.keras")
    assert int(keras.models.load_model(tmp_path / "new.keras").optimizer.iterations) == 0
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / "model.keras")
    model.save_weights(tmp_path / "model.weights.h5")
    other = keras.models.load_model(tmp_path / "model.keras")
    assert int(other.optimizer.iterations) == 2
    third = keras.Sequential([layers.Input((4,)), layers.Dense(1)])
    third.compile(optimizer, "mse", metrics=["mae"])
    third.load_weights(tmp_path / "model.weights.h5")
    wanted = model.fit(X, Y, verbose=0, shuffle=False).history
    assert other.fit(X, Y, verbose=0, shuffle=False).history == wanted
    assert third.fit(X, Y, verbose=0, shuffle=False).history == wanted


def test_data_of_one_sample_and_of_none() -> None:
    model = linear()
    assert model.predict(X[:1], verbose=0).shape == (1, 1)
    assert model.fit(X[:0], Y[:0], verbose=0).history == {}
    with pytest.raises(ValueError, match="was given no data to predict for"):
        model.predict(X[:0], verbose=0)


def test_predictions_can_be_written() -> None:
    found = linear().predict(X[:2], verbose=0)
    found[:] = 0
    assert type(found) is np.ndarray


def test_training_given_to_a_layer_of_a_functional_model_is_kept() -> None:
    inputs = layers.Input((200,))
    norm = layers.BatchNormalization()
    model = keras.Model(inputs, norm(layers.Dropout(0.5)(inputs, training=True), training=False))
    model.compile("sgd", "mse")
    x = np.ones((4, 200), "float32")
    model.fit(x, x, verbose=0)
    np.testing.assert_array_equal(norm.moving_mean, np.zeros(200))
    assert len(np.unique(model.predict(x, verbose=0) > 0.5)) == 2
