"""Cases about Keras: what a call of a layer or of a model costs, and a training step by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import Step, case, normal


@case("call of a Dense layer", target=10)
def dense_call(tf: Any) -> Step:
    layer, x = tf.keras.layers.Dense(64, activation="relu"), tf.constant(normal(32, 64))
    layer(x)
    return lambda: layer(x)


def network(tf: Any) -> Any:
    """Three layers, put together from inputs and outputs."""
    layers = tf.keras.layers
    inputs = tf.keras.Input((64,))
    hidden = layers.Dense(64, activation="relu")(inputs)
    hidden = layers.Dense(64, activation="relu")(hidden)
    return tf.keras.Model(inputs, layers.Dense(10)(hidden))


@case("call of a model of three layers", target=10)
def model_call(tf: Any) -> Step:
    model, x = network(tf), tf.constant(normal(32, 64))
    return lambda: model(x)


@case("gradients of a model of three layers", target=5)
def model_gradients(tf: Any) -> Step:
    model, x = network(tf), tf.constant(normal(32, 64))

    def step() -> object:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True)))
        return tape.gradient(loss, model.trainable_variables)

    return step


@case("making a Sequential model of three layers", target=2)
def model_making(tf: Any) -> Step:
    layers = tf.keras.layers

    def make() -> object:
        model = tf.keras.Sequential(
            [tf.keras.Input((64,)), layers.Dense(64), layers.Dense(64), layers.Dense(10)]
        )
        return model.weights[0].numpy()

    return make
