"""Ten models that are trained on several replicas, with the data of all steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

keras = tf.keras
layers = keras.layers
STEPS, BATCH = 20, 8
Data = tuple[np.ndarray, np.ndarray]


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


def trained(
    build: Callable[[], Any], strategy: Any, compiled: bool | None = None
) -> tuple[list[np.ndarray], Any]:
    """Return the weights after the steps under a strategy, and the results."""
    keras.utils.set_random_seed(1)
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
