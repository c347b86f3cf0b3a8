"""Workers whose last batch has fewer rows than there are workers: some of them have none.

The learning rate is 0: `fit` averages losses over replicas, so that a row of a replica with few
rows has another weight in the gradient than in one process. Results and moving averages have not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf

ROWS = 9
BATCH = 4


def train(strategy: Any) -> dict[str, Any]:
    """Return results of Keras and of a loop on batches of 4, 4 and 1 rows."""
    x = np.random.default_rng(0).normal(size=(ROWS, 3)).astype(np.float32)
    y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
    layers, metrics = tf.keras.layers, tf.keras.metrics
    with strategy.scope():
        tf.keras.utils.set_random_seed(2)
        model = tf.keras.Sequential(
            [
                tf.keras.Input((3,)),
                layers.Dense(4, "tanh"),
                layers.BatchNormalization(synchronized=True),
                layers.Dense(1, "sigmoid"),
            ]
        )
        model.compile(
            tf.keras.optimizers.SGD(0.0),
            "binary_crossentropy",
            [metrics.AUC(name="auc"), "accuracy"],
            jit_compile=False,
        )
        mean = metrics.Mean()
    shown: dict[str, Any] = {"fit": {}}
    for kind in (lambda: (x, y), lambda: (_batches(x, y),)):
        fitted = model.fit(
            *kind(), batch_size=BATCH if len(kind()) == 2 else None, shuffle=False, verbose=0
        )
        shown["fit"] = {k: [*shown["fit"].get(k, ()), *v] for k, v in fitted.history.items()}
    shown["evaluate"] = [
        model.evaluate(x, y, batch_size=BATCH, verbose=0),
        model.evaluate(_batches(x, y), verbose=0),
    ]
    shown["predict"] = [
        model.predict(x, batch_size=BATCH, verbose=0).tolist(),
        model.predict(_batches(x, y), verbose=0).tolist(),
    ]
    shown["loop"] = _loop(strategy, model, mean, _batches(x, y))
    shown["weights"] = [weight.numpy().tolist() for weight in model.weights]
    return shown


def _batches(x: Any, y: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)


def _loop(strategy: Any, model: Any, mean: Any, batches: Any) -> Any:
    """Return losses and a metric of a loop over a distributed dataset, and the mean of all rows."""

    @tf.function(jit_compile=False)
    def step(batch: Any) -> Any:
        def replica(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                errors = tf.square(model(x, training=True) - y)
                loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
            gradients = tape.gradient(loss, model.trainable_variables)
            model.optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            mean.update_state(errors)
            return loss, errors

        loss, errors = strategy.run(replica, args=batch)
        return strategy.reduce("SUM", loss, axis=None), strategy.reduce("MEAN", errors, axis=0)

    results = [step(batch) for batch in strategy.experimental_distribute_dataset(batches)]
    values = [np.ravel(value).tolist() for value in tf.nest.flatten(results)]
    return [*values, float(mean.result())]


def uneven() -> Any:
    return train(tf.distribute.MultiWorkerMirroredStrategy())
