"""Training steps under strategies of `tf.distribute`, on host devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

BATCH = 64


def _step(tf: Any, count: int) -> Step:
    """Return a training step of a small convolutional network on so many logical CPUs."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(cpu, parts)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])
    keras = tf.keras
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.layers.Input((32, 32, 3)),
                keras.layers.Conv2D(32, 3, activation="relu"),
                keras.layers.Conv2D(32, 3, activation="relu"),
                keras.layers.MaxPooling2D(),
                keras.layers.Conv2D(64, 3, activation="relu"),
                keras.layers.Flatten(),
                keras.layers.Dense(10),
            ]
        )
        optimizer = keras.optimizers.SGD(0.01)
        optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    def replica(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = loss_of(y, model(x, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def step(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica, args=(x, y)), axis=None)

    labels = np.random.default_rng(0).integers(0, 10, BATCH)
    dataset = tf.data.Dataset.from_tensor_slices((normal(BATCH, 32, 32, 3), labels))
    dataset = dataset.batch(BATCH, drop_remainder=True)
    x, y = next(iter(strategy.experimental_distribute_dataset(dataset)))
    return lambda: step(x, y).numpy()


@case("`MirroredStrategy`, CNN step on 1 device", target=1, warm=12)
def mirrored_once(tf: Any) -> Step:
    return _step(tf, 1)


@case("`MirroredStrategy`, CNN step on 2 logical CPUs", target=1, warm=20)
def mirrored_twice(tf: Any) -> Step:
    return _step(tf, 2)
