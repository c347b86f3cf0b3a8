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


def classifier(tf: Any) -> tuple[Any, Any, Any]:
    """A small model that is ready to be trained, and 100 batches of data for it."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((20,)), layers.Dense(32, activation="relu"), layers.Dense(10)]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model, normal(3200, 20), abs(normal(3200) * 2).astype("int64")


@case("100 steps of `fit`, small MLP", target=3, warm=3.0)
def fit_steps(tf: Any) -> Step:
    model, x, y = classifier(tf)
    return lambda: model.fit(x, y, batch_size=32, verbose=0).history["loss"]


@case("100 steps of `evaluate`, small MLP", target=3, warm=3.0)
def evaluate_steps(tf: Any) -> Step:
    model, x, y = classifier(tf)
    return lambda: model.evaluate(x, y, batch_size=32, verbose=0)


@case("`predict` of one row", target=100, warm=1.0)
def predict_row(tf: Any) -> Step:
    model, x, _ = classifier(tf)
    row = x[:1]
    return lambda: model.predict(row, verbose=0)
