"""Workers that train with callbacks: what they write, and what they decide.

`CALLBACKS_FOLDER` has a folder for each worker: whatever a worker other than the first leaves in
its own, or in its folder for temporary files, it would have written to a path that all share.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

# Early stopping ends training after the second epoch, and restores the weights of the first.
EPOCHS = 4
ROWS = 12


class Observed(tf.keras.layers.Layer):
    """Writes a summary in each step."""

    def call(self, x: Any) -> Any:
        tf.summary.scalar("mean_input", tf.reduce_mean(x))
        return x


class BatchLogs(tf.keras.callbacks.Callback):
    """Keeps the results of all batches."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Any] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.values.append({name: float(value) for name, value in logs.items()})


def _callbacks(folder: Path) -> list[Any]:
    callbacks = tf.keras.callbacks
    return [
        callbacks.TensorBoard(
            folder / "logs", histogram_freq=1, embeddings_freq=1, update_freq=1, profile_batch=2
        ),
        callbacks.CSVLogger(folder / "log.csv"),
        callbacks.ModelCheckpoint(folder / "{epoch}.weights.h5", save_weights_only=True),
        callbacks.ModelCheckpoint(folder / "{epoch}.keras"),
        callbacks.BackupAndRestore(folder / "backup", save_freq=1, double_checkpoint=True),
        callbacks.EarlyStopping(min_delta=1e3, patience=1, restore_best_weights=True),
    ]


def _model(strategy: Any) -> Any:
    layers = tf.keras.layers
    tf.keras.backend.clear_session()  # names in event files are counted from the beginning
    with strategy.scope():
        tf.keras.utils.set_random_seed(5)
        normalization = layers.BatchNormalization(synchronized=True)
        model = tf.keras.Sequential(
            # The moving averages are read from all workers.
            [tf.keras.Input((4,)), Observed(), normalization, layers.Dense(1)]
        )
        model.compile("sgd", "mse", metrics=["mae"], jit_compile=False)
    return model


def _data() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(ROWS, 4)).astype(np.float32)
    return x, x.sum(1, keepdims=True)


def train(strategy: Any, folder: Path) -> dict[str, Any]:
    """Return results and the weights of a model that was trained with callbacks."""
    x, y = _data()
    model = _model(strategy)
    batches = BatchLogs()
    history = model.fit(
        *(x, y),
        batch_size=4,
        epochs=EPOCHS,
        shuffle=False,
        validation_data=(x, y),
        verbose=0,
        callbacks=[*_callbacks(folder), batches],
    )
    # Every worker saves to the same file, at the same time.
    model.save(folder.parent / "shared.keras")
    model.save_weights(folder.parent / "shared.weights.h5")
    # A SavedModel is a folder, which each worker needs for itself.
    model.save(folder.parent / f"model_{folder.name}")
    return {
        "history": history.history,
        "batches": batches.values,
        "weights": [weight.numpy().tolist() for weight in model.weights],
        "files": sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()),
    }


def files_of_callbacks() -> Any:
    """Return what `train` returns, and what is left in the folder for temporary files."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    folder = Path(os.environ["CALLBACKS_FOLDER"]) / str(strategy.cluster_resolver.task_id)
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    tempfile.tempdir = str(temporary)
    results = train(strategy, folder)
    tempfile.tempdir = None
    return {**results, "temporary": os.listdir(temporary)}


def stop_at_nan() -> Any:
    """Return the number of batches until a loss that is NaN for one worker alone."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    x, y = _data()
    # The third row of the second batch is the second worker's.
    x[6] = np.nan
    batches = BatchLogs()
    callbacks = [tf.keras.callbacks.TerminateOnNaN(), batches]
    model = _model(strategy)
    model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0, callbacks=callbacks)
    return len(batches.values)
