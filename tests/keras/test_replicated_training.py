"""Training on several replicas equals training on one with the same global batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import devices
from tapeflow._src.executors import xla

keras = tf.keras
layers = keras.layers
STEPS, BATCH = 20, 8
Data = tuple[np.ndarray, np.ndarray]


@pytest.fixture(autouse=True)
def logical_devices() -> Iterator[None]:
    before = devices.placement.logical_cpus, devices.placement.in_use
    devices.placement.logical_cpus = 4
    yield
    devices.placement.logical_cpus, devices.placement.in_use = before


def strategy_of(count: int) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def rows(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(STEPS * BATCH, *shape)).astype(np.float32)


def classes(count: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, count, STEPS * BATCH)


def words() -> np.ndarray:
    return np.random.default_rng(2).integers(0, 20, (STEPS * BATCH, 6))


def dense() -> tuple[Any, Any, Data]:
    model = keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse", metrics=["mae"])
    return model, None, (rows(4), rows(1))


def regularized() -> tuple[Any, Any, Data]:
    penalty = keras.regularizers.L2(0.01)
    model = keras.Sequential([layers.Dense(8, kernel_regularizer=penalty), layers.Dense(3)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.RMSprop(0.01), loss, metrics=["accuracy"])
    return model, None, (rows(4), classes(3))


def convolutional() -> tuple[Any, Any, Data]:
    model = keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(synchronized=True),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.SGD(0.05), "sparse_categorical_crossentropy")
    return model, None, (rows(8, 8, 2), classes(3))


def recurrent() -> tuple[Any, Any, Data]:
    model = keras.Sequential([layers.LSTM(5), layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model, None, (rows(6, 3), rows(1))


def embedding() -> tuple[Any, Any, Data]:
    model = keras.Sequential(
        [layers.Embedding(20, 4), layers.GlobalAveragePooling1D(), layers.Dense(1)]
    )
    model.compile(keras.optimizers.Adagrad(0.1), "mse")
    return model, None, (words(), rows(1))


def two_outputs() -> tuple[Any, Any, Data]:
    inputs = keras.Input((4,))
    hidden = layers.Dense(6, activation="elu")(inputs)
    outputs = [layers.Dense(1, name="first")(hidden), layers.Dense(1, name="second")(hidden)]
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.05), ["mse", "mae"], loss_weights=[1.0, 0.5])
    return model, None, (rows(4), [rows(1), rows(1)])  # type: ignore[return-value]


def attention() -> tuple[Any, Any, Data]:
    inputs = keras.Input((6, 4))
    hidden = layers.MultiHeadAttention(2, 3)(inputs, inputs)
    outputs = layers.Dense(1)(layers.GlobalMaxPooling1D()(layers.LayerNormalization()(hidden)))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.05, clipnorm=1.0), "huber")
    return model, None, (rows(6, 4), rows(1))


def custom_loop() -> tuple[Any, Any, Data]:
    model = keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(1)])
    model.build((None, 4))
    optimizer = keras.optimizers.Adam(0.01, epsilon=1e-3)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = keras.losses.mean_squared_error(y, model(x, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return model, step, (rows(4), rows(1))


def low_level_loop() -> tuple[Any, Any, Data]:
    class Line(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable(tf.ones([4, 1]), aggregation=tf.VariableAggregation.SUM)
            self.b = tf.Variable([0.0], aggregation=tf.VariableAggregation.SUM)

    model: Any = Line()
    model.weights = [model.w, model.b]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x @ model.w + model.b - y) ** 2) / BATCH
        for variable, gradient in zip(model.weights, tape.gradient(loss, model.weights)):
            variable.assign_sub(0.05 * gradient)
        return loss

    return model, step, (rows(4), rows(1))


def adversarial() -> tuple[Any, Any, Data]:
    maker = keras.Sequential([layers.Dense(6, activation="relu"), layers.Dense(4)])
    judge = keras.Sequential([layers.Dense(6, activation="tanh"), layers.Dense(1)])
    maker.build((None, 2))
    judge.build((None, 4))
    optimizers = [keras.optimizers.SGD(0.05), keras.optimizers.SGD(0.02, momentum=0.5)]
    model: Any = keras.Sequential([maker, judge])
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True, reduction="sum")

    def step(x: Any, noise: Any) -> Any:
        with tf.GradientTape() as first, tf.GradientTape() as second:
            made = maker(noise, training=True)
            real, fake = judge(x, training=True), judge(made, training=True)
            fooled = loss_of(tf.ones_like(fake), fake) / BATCH
            judged = (
                loss_of(tf.ones_like(real), real) + loss_of(tf.zeros_like(fake), fake)
            ) / BATCH
        for part, optimizer, tape, loss in (
            (maker, optimizers[0], first, fooled),
            (judge, optimizers[1], second, judged),
        ):
            gradients = tape.gradient(loss, part.trainable_variables)
            optimizer.apply_gradients(zip(gradients, part.trainable_variables))
        return fooled + judged

    return model, step, (rows(4), rows(2))


MODELS: list[Callable[[], Any]] = [
    dense,
    regularized,
    convolutional,
    recurrent,
    embedding,
    two_outputs,
    attention,
    custom_loop,
    low_level_loop,
    adversarial,
]


_QUICK = (dense, low_level_loop)


def trained(
    build: Callable[[], Any], count: int, compiled: bool | None = None
) -> tuple[list[np.ndarray], Any]:
    """Return the weights after the steps on so many devices, and the results."""
    keras.utils.set_random_seed(1)
    strategy = strategy_of(count)
    with strategy.scope():
        model, step, (x, y) = build()
    if step is None:
        model.jit_compile = compiled or "auto"
        history = model.fit(x, y, batch_size=BATCH, shuffle=False, verbose=0).history
        results = [history, model.evaluate(x, y, batch_size=16, verbose=0)]
        predicted = model.predict(x[:5], verbose=0)
        results.append([np.asarray(part) for part in tf.nest.flatten(predicted)])
    else:
        dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)

        @tf.function(jit_compile=compiled)
        def run(batch: Any) -> Any:
            return strategy.reduce("SUM", strategy.run(step, args=batch), axis=None)

        results = [float(run(b)) for b in strategy.experimental_distribute_dataset(dataset)]
    return [w.numpy() for w in model.weights], results


_alone: dict[Any, Any] = {}


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("build", MODELS, ids=lambda build: build.__name__)
def test_weights_equal_those_of_one_device(build: Callable[[], Any], count: int) -> None:
    if build not in _alone:
        _alone[build] = trained(build, 1)
    expected, results = _alone[build]
    weights, replicated = trained(build, count)
    for one, other in zip(expected, weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)
    first, second = tf.nest.flatten(results), tf.nest.flatten(replicated)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "build",
    [
        *_QUICK,
        *(pytest.param(b, marks=pytest.mark.slow) for b in MODELS if b not in _QUICK),
    ],
    ids=lambda build: build.__name__,
)
def test_one_program_on_a_mesh_equals_one_device(build: Callable[[], Any]) -> None:
    meshes: list[Any] = []
    create = xla.Executable.__init__

    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        create(self, *args, **kwargs)
        meshes.append(self._mesh)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xla.Executable, "__init__", noted)
        weights, _ = trained(build, 2, compiled=True)
    assert any(mesh is not None and mesh.size == 2 for mesh in meshes)
    for one, other in zip(trained(build, 1)[0], weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def test_uneven_last_batches_count_every_sample_in_metrics() -> None:
    x, y = rows(4)[:13], rows(1)[:13]
    with strategy_of(4).scope():
        model = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", metrics=["mae"])
    loss, error = model.evaluate(x, y, batch_size=8, verbose=0)
    difference = x.sum(1, keepdims=True) - y
    np.testing.assert_allclose(
        [loss, error], [(difference**2).mean(), abs(difference).mean()], 1e-5
    )
    assert model.predict(x, batch_size=8, verbose=0).shape == (13, 1)
    assert len(model.fit(x, y, batch_size=8, verbose=0).history["loss"]) == 1
    assert int(model.optimizer.iterations) == 2


def test_layers_are_built_once_in_replicas() -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        model = keras.Sequential([layers.Dense(3), layers.Dropout(0.5), layers.Dense(1)])
    outputs = strategy.run(model, args=(tf.ones([4, 2]),), kwargs={"training": True})
    assert len(model.weights) >= 4 and len(model.trainable_weights) == 4
    assert isinstance(outputs, tf.distribute.DistributedValues)
    assert all(strategy.extended.variable_created_in_scope(w) for w in model.weights)
