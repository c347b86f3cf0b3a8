"""Models on a mesh of several processes, by `keras.distribution`."""

from __future__ import annotations

import os
import signal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow import keras
from tests.dtensor.client_programs import raises
from tests.dtensor.clients import DEVICES

D = keras.distribution
dtensor = tf.experimental.dtensor
UNSHARDED = dtensor.UNSHARDED


@cache
def start() -> int:
    """Meet the other processes, and return how many devices there are."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * int(os.environ[DEVICES])
    tf.config.set_logical_device_configuration(cpu, parts)
    D.initialize()
    return D.get_device_count("cpu")


def number() -> int:
    """Return the number of this process."""
    return int(os.environ["KERAS_DISTRIBUTION_PROCESS_ID"])


def data() -> Any:
    """Return the samples of a classifier."""
    generator = np.random.default_rng(0)
    return generator.normal(size=(20, 6)).astype("f"), generator.integers(0, 4, 20)


def classifier() -> Any:
    """Return a model, with the same weights at every call."""
    keras.utils.set_random_seed(1)
    hidden = keras.layers.Dense(8, activation="relu", name="hidden")
    layers = [keras.Input((6,)), hidden, keras.layers.BatchNormalization(), keras.layers.Dense(4)]
    model = keras.Sequential(layers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def trained(distribution: Any, dataset: Any = None) -> Any:
    """Return a model that was trained for 20 steps, and what it computes."""
    x, y = data()
    D.set_distribution(distribution)
    model = classifier()
    if dataset is None:
        # The last batch of an epoch cannot be divided evenly.
        history = model.fit(x, y, batch_size=8, epochs=7, verbose=0)
    else:
        history = model.fit(dataset(x, y), epochs=7, verbose=0)
    results = [history.history["loss"][-1], *model.evaluate(x, y, verbose=0)]
    results += [*model.predict(x, verbose=0), model(x[:3]).numpy(), *model.get_weights()]
    D.set_distribution(None)
    return model, results


def model_parallel(count: int) -> Any:
    """Return a distribution that divides the weights of a layer."""
    mesh = D.DeviceMesh((1, count), ["batch", "model"])
    if count == 4:
        mesh = D.DeviceMesh((2, 2), ["batch", "model"])
    layouts = D.LayoutMap(mesh)
    layouts[".*hidden/kernel"] = (None, "model")
    layouts[".*hidden/bias"] = ("model",)
    return D.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def close(results: Any, expected: Any) -> None:
    """Check that results are those of one device."""
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-5)


def training() -> Any:
    """Models under every distribution have the weights and results of one device."""
    count = start()
    assert D.list_devices("cpu") == [f"cpu:{i}" for i in range(count)]
    _, expected = trained(None)
    _, results = trained(D.DataParallel())
    close(results, expected)
    model, results = trained(model_parallel(count))
    close(results, expected)
    hidden = model.get_layer("hidden")
    assert dtensor.fetch_layout(hidden.kernel).sharding_specs == [UNSHARDED, "model"]
    moments = [v for v in model.optimizer.variables if "hidden_kernel" in v.path]
    for moment in moments:
        assert dtensor.fetch_layout(moment).sharding_specs == [UNSHARDED, "model"]
    part = D.distribute_tensor(
        tf.ones([4, count]), D.TensorLayout([None, "model"], hidden.kernel._layout.device_mesh)
    )
    assert part.numpy().shape == (4, count)
    return [np.asarray(result).tolist() for result in results]


def own_rows() -> Any:
    """With `auto_shard_dataset=False`, the rows of all processes make the global batch."""
    start()
    processes, (x, y) = int(os.environ["KERAS_DISTRIBUTION_NUM_PROCESSES"]), data()
    model = classifier()
    model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    expected = [*model.evaluate(x, y, batch_size=8, verbose=0), *model.get_weights()]
    distribution = D.DataParallel(auto_shard_dataset=False)
    assert distribution.num_processes == processes and distribution.data_shard_id == number()
    # Of the last four rows, the first process has three, the second one, and others none.
    shares = [np.array_split(np.arange(i, i + 8), processes) for i in (0, 8)]
    shares.append(np.split(np.arange(16, 20), [3, 4, 4][: processes - 1]))
    rows = [share[number()] for share in shares]
    batches = [(x[r], y[r]) for r in rows]
    dataset = tf.data.Dataset.from_generator(
        lambda: iter(batches),
        output_signature=(tf.TensorSpec([None, 6]), tf.TensorSpec([None], tf.int64)),
    )
    D.set_distribution(distribution)
    model = classifier()
    model.fit(dataset, epochs=2, verbose=0)
    close([*model.evaluate(dataset, verbose=0), *model.get_weights()], expected)
    share = D.DataParallel().distribute_dataset(tf.data.Dataset.range(8).batch(4))
    D.set_distribution(None)
    return len(share._layout.spec.shape) if processes > 2 else [len(batch) for batch in share]


def seeds() -> Any:
    """Without a seed, all processes draw the same weights."""
    start()
    with D.DataParallel().scope():
        model = keras.Sequential(
            [keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dropout(0.5)]
        )
        outputs = model(np.ones((8, 3), np.float32), training=True)
    return [outputs.numpy().tolist(), np.random.rand(), *[w.tolist() for w in model.get_weights()]]


def files() -> Any:
    """One process writes files of models; all can read them."""
    count, folder = start(), Path(os.environ["FOLDER"])
    model, results = trained(model_parallel(count))
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")
    model.save(folder / "model.h5")
    raises(FileExistsError, model.save, folder / "model.keras", overwrite=False)
    raises(FileExistsError, model.save_weights, folder / "model.weights.h5", overwrite=False)
    raises((OSError, RuntimeError, tf.errors.OpError), model.save, "/proc/no/model.keras")
    model.export(str(folder / "served"), verbose=False)
    model.save(folder / "saved", save_format="tf")
    assert sorted(file.name for file in folder.iterdir() if "." in file.name) == [
        "model.h5",
        "model.keras",
        "model.weights.h5",
    ]
    read = keras.models.load_model(folder / "model.keras")
    close(read.get_weights(), model.get_weights())
    D.set_distribution(model_parallel(count))
    again = classifier()
    again.load_weights(folder / "model.weights.h5")
    D.set_distribution(None)
    close(again.get_weights(), model.get_weights())
    return [np.asarray(result).tolist() for result in results]


class _Killer(keras.callbacks.Callback):
    """Kills one process in the fourth epoch."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 3 and os.environ.get("KILLED") == str(number()):
            os.kill(os.getpid(), signal.SIGKILL)


def resumable() -> Any:
    """Train with backups, from the last one on; the first process writes all files."""
    count, folder = start(), Path(os.environ["FOLDER"])
    x, y = data()
    D.set_distribution(model_parallel(count))
    model = classifier()
    callbacks = [
        keras.callbacks.BackupAndRestore(folder / "backup", delete_checkpoint=False),
        keras.callbacks.ModelCheckpoint(folder / "best.keras", save_best_only=True, monitor="loss"),
        keras.callbacks.ModelCheckpoint(folder / "weights-{epoch}", save_weights_only=True),
        keras.callbacks.CSVLogger(folder / "log.csv", append=True),
        _Killer(),
    ]
    history = model.fit(x, y, batch_size=8, epochs=6, shuffle=False, verbose=0, callbacks=callbacks)
    D.set_distribution(None)
    status = classifier().load_weights(folder / "weights-6")
    assert status is not None and (folder / "best.keras").exists()
    assert len((folder / "log.csv").read_text().splitlines()) == 7
    return [len(history.epoch), [w.tolist() for w in model.get_weights()]]
