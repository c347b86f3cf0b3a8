"""Trains in processes that are killed at random moments, until one of them comes to the end.

`python -m tests.keras.training.killed backup|checkpoint KILLS SEED` prints whether the weights are
those of a run that nobody interrupted. The processes are forked before any thread is started.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

keras = tf.keras
EPOCHS, STEPS = 6, 8
X = np.random.default_rng(0).normal(size=(4 * STEPS, 6)).astype("float32")
Y = X[:, :1] * 2 - X[:, 1:2]


class Slowly(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
    """Lets steps take as long as in a larger model, so that kills hit every part of an epoch."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        time.sleep(0.002)


def created(how: str) -> Any:
    keras.utils.set_random_seed(7)
    layers = keras.layers
    model = keras.Sequential([keras.Input((6,)), layers.Dense(64)])
    if how == "backup":  # which keeps random states; files of Keras do not
        model.add(layers.Dropout(0.3, seed=3))
    model.add(layers.Dense(1))
    model.compile(keras.optimizers.Adam(0.01), "mse", run_eagerly=True)
    return model


def trained(how: str, folder: Path) -> Any:
    """A run, which goes on where the last one was interrupted."""
    model, first = created(how), 0
    file = folder / "model.keras"
    if how == "checkpoint":
        if file.exists():
            model = keras.models.load_model(file)
            first = int(model.optimizer.iterations) // STEPS
        callback: Any = keras.callbacks.ModelCheckpoint(file)
    else:
        callback = keras.callbacks.BackupAndRestore(folder / "backup")
    model.fit(
        *(X, Y),
        batch_size=4,
        epochs=EPOCHS,
        initial_epoch=first,
        shuffle=False,
        verbose=0,
        callbacks=[callback, Slowly()],
    )
    return model


def state(model: Any) -> list[Any]:
    return [v.numpy() for v in (*model.variables, *model.optimizer.variables)]


def attempt(how: str, folder: Path, seconds: float | None) -> bool:
    """Fork a run; kill it after a while. Whether it came to the end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            np.savez(folder / "result.npz", *state(trained(how, folder)))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    end = time.monotonic() + (1e9 if seconds is None else seconds)
    done, status = os.waitpid(child, os.WNOHANG)
    while not done:
        time.sleep(0.005)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            end += 1e9
        done, status = os.waitpid(child, os.WNOHANG)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("a run failed after it was interrupted")
    return os.WIFEXITED(status)


def main() -> None:
    how, kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng, killed = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        whole.mkdir()
        start = time.monotonic()
        attempt(how, whole, None)
        length = time.monotonic() - start
        expected = np.load(whole / "result.npz")
        number = 0
        while killed < kills:
            number += 1
            folder = Path(name) / str(number)
            folder.mkdir()
            for _ in range(3):
                start = time.monotonic()
                finished = attempt(how, folder, rng.uniform(0.05, 1.0) * length)
                killed += not finished
                if finished:  # the machine is less busy than it was
                    length = min(length, time.monotonic() - start)
                if finished or killed >= kills:
                    break
            finished = finished or attempt(how, folder, None)
            found = np.load(folder / "result.npz")
            same = all((found[key] == expected[key]).all() for key in expected.files)
            if not finished or not same:
                print(f"different after {killed} kills")
                return
    print(f"the same after {killed} kills")


if __name__ == "__main__":
    main()
