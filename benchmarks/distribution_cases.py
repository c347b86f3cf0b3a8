"""Training steps under strategies of `tf.distribute`, on host devices and in several processes.

    python -m benchmarks.distribution_cases tensorflow '{"cluster": …, "task": …}'

runs the same step as another process, which is measured, for as long as that one goes on.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

BATCH = 64
# The peer of the case that measures a strategy against none.
NO_STRATEGY = "benchmarks.no_strategy"


def mirrored(tf: Any, count: int) -> Any:
    """Return a strategy on so many logical CPUs."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(cpu, parts)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def cnn(keras: Any) -> Any:
    """Return a convolutional network, which computes much for few parameters."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((32, 32, 3)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def training_step(tf: Any, strategy: Any, make_model: Callable[[Any], Any] = cnn) -> Step:
    """Return a training step under a strategy; `BATCH` images are the batch of all replicas."""
    keras = tf.keras
    with strategy.scope():
        model = make_model(keras)
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
    return training_step(tf, mirrored(tf, 1))


@case("`MirroredStrategy`, 1 device, against none", target=1 / 1.1, warm=12, peer=NO_STRATEGY)
def mirrored_overhead(tf: Any) -> Step:
    if tf.__name__ == NO_STRATEGY:
        return training_step(tf.tapeflow, tf.tapeflow.distribute.get_strategy())
    return training_step(tf, mirrored(tf, 1))


@case("`MirroredStrategy`, CNN step on 2 logical CPUs", target=1, warm=20)
def mirrored_twice(tf: Any) -> Step:
    return training_step(tf, mirrored(tf, 2))


def free_addresses(count: int) -> list[str]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{probe.getsockname()[1]}" for probe in probes]
    for probe in probes:
        probe.close()
    return addresses


@case("`MultiWorkerMirroredStrategy`, CNN step on 2 processes", target=1, warm=20)
def two_workers(tf: Any) -> Step:
    cluster = {"worker": free_addresses(2)}
    own, other = (
        json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
        for index in range(2)
    )
    os.environ["TF_CONFIG"] = own
    program = [sys.executable, "-m", "benchmarks.distribution_cases", tf.__name__, other]
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(program, stdout=nowhere, stderr=nowhere)
    atexit.register(process.kill)
    return training_step(tf, tf.distribute.MultiWorkerMirroredStrategy())


def _follow(module: str, config: str) -> None:
    """Be the other worker: each step waits for the one that is measured."""
    os.environ["TF_CONFIG"] = config
    tf = importlib.import_module(module)
    step = training_step(tf, tf.distribute.MultiWorkerMirroredStrategy())
    while True:
        step()


if __name__ == "__main__":
    _follow(*sys.argv[1:])
