"""The graph of a training step as an interactive page, an example for the documentation."""

from __future__ import annotations

import tapeflow as tf

keras = tf.keras


def graph_page() -> str:
    """Return the page: a training step of a small network, with times of a profiled run."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1), batch_size=16),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images))
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    images, labels = tf.random.normal([16, 8, 8, 1]), tf.zeros([16], tf.int32)
    return tf.explain.graph(train_step, images, labels, profile=True).to_html()
