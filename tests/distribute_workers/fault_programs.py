"""Workers that are killed: they train, and resume from the last checkpoint when started again.

`FAULT_FOLDER` is the folder of the run. Each writes `progress-<task>` after every step and, at the
end, its weights to `weights-<task>.npz`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

# Both programs take so many steps.
STEPS = 12
EPOCHS = 3
BATCH = 6
_EVERY = 3
# After each step, so that a worker can be killed before the others are done.
_PAUSE = 0.02


def _data() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(1).normal(size=(BATCH * 4, 3)).astype("float32")
    return x, np.sin(x.sum(1, keepdims=True))


def _strategy() -> tuple[Any, Path, int]:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    return strategy, Path(os.environ["FAULT_FOLDER"]), strategy.cluster_resolver.task_id


def _model() -> Any:
    tf.keras.utils.set_random_seed(3)
    layers = [tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential([tf.keras.Input((3,)), *layers])
    return model


def _finish(model: Any, folder: Path, task: int) -> None:
    values = [*model.get_weights(), *(v.numpy() for v in model.optimizer.variables)]
    np.savez(folder / f"weights-{task}.npz", *values)


def _note(folder: Path, task: int, step: int) -> None:
    (folder / f"progress-{task}").write_text(str(step))
    time.sleep(_PAUSE)


def custom_loop() -> None:
    """Train step by step; the chief saves every few steps, the others aside."""
    strategy, folder, task = _strategy()
    x, y = _data()
    with strategy.scope():
        model = _model()
        model.optimizer = optimizer = tf.keras.optimizers.Adam(0.05)
        optimizer.build(model.trainable_variables)
        step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    saved = tf.train.latest_checkpoint(folder / "saved")
    if saved:
        checkpoint.restore(saved).assert_consumed()
    target = folder / "saved" if strategy.extended.should_checkpoint else folder / f"aside-{task}"
    manager = tf.train.CheckpointManager(checkpoint, target, max_to_keep=2)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).repeat().skip(int(step))
    iterator = iter(strategy.experimental_distribute_dataset(batches))

    # Compiling takes most of the time of such a short program, and is not what is tested.
    @tf.function(jit_compile=False)
    def train(batch: Any) -> Any:
        def replica(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((model(x) - y) ** 2) / BATCH
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    while int(step) < STEPS:
        train(next(iterator))
        step.assign_add(1)
        _note(folder, task, int(step))
        if int(step) % _EVERY == 0:
            manager.save()
    _finish(model, folder, task)


def keras_fit() -> None:
    """Train by `fit`, with a backup after each epoch."""
    strategy, folder, task = _strategy()
    x, y = _data()
    with strategy.scope():
        model = _model()
        model.compile(tf.keras.optimizers.Adam(0.05), "mse", jit_compile=False)
    steps = iter(range(1, 10**6))
    progress = tf.keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: _note(folder, task, next(steps))
    )
    backup = tf.keras.callbacks.BackupAndRestore(folder / "backup")
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
    model.fit(data, epochs=EPOCHS, verbose=0, callbacks=[backup, progress])
    _finish(model, folder, task)
