"""Checkpoints that several processes write together, and that any number of them restores."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.checkpoint import bundle
from tapeflow._src.keras.models import weights_files
from tests.dtensor import client_programs as programs
from tests.dtensor.client_programs import UNSHARDED, dtensor, layout, raises, whole

STEPS, HALF = 20, 10


def folder() -> Path:
    """Return where all processes write."""
    return Path(os.environ["FOLDER"])


def model() -> Any:
    """Return variables that are divided over processes and devices."""
    _, _, weights = programs.training_data()
    layouts = [layout(UNSHARDED, "x"), layout("y"), layout("x", "y")]
    return [
        dtensor.DVariable(w, layout=own, name=f"w{i}")
        for i, (w, own) in enumerate(zip(weights, layouts, strict=True))
    ]


def train(variables: Any, first: int, last: int, step: Any = None) -> None:
    """Train for some of the steps."""
    x, y, _ = programs.training_data(STEPS)
    step = step or programs.train_step(variables, None)
    for number in range(first, last):
        batch = [dtensor.copy_to_mesh(a[number], layout("x", UNSHARDED)) for a in (x, y)]
        step(*batch)


def fail(rank: int) -> Any:
    """Let one process fail to write, and return how checkpoints and models end here."""
    variables = model()
    xy, number = programs.mesh("x", "y"), dtensor.client_id()
    (folder() / "a").mkdir(exist_ok=True)
    if number == rank:
        bundle._write_tensor = _no_space  # type: ignore[assignment]
        weights_files.write_weights = _no_space
    checkpoint = dtensor.DTensorCheckpoint(xy, variables=variables)
    ends = [_ending(lambda: checkpoint.write(str(folder() / "a" / "b")))]
    dtensor.barrier(xy)
    left = sorted(file.name for file in (folder() / "a").iterdir())
    tf.keras.distribution.set_distribution(tf.keras.distribution.DataParallel())
    network = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
    ends.append(_ending(lambda: network.save_weights(str(folder() / "a.weights.h5"))))
    dtensor.barrier(xy)
    return [ends, left, (folder() / "a.weights.h5").exists()]


def first_fails() -> Any:
    """The first process cannot write."""
    return fail(0)


def second_fails() -> Any:
    """The second process cannot write."""
    return fail(1)


def _no_space(*arguments: Any) -> Any:
    raise OSError("no space")


def _ending(call: Callable[[], object]) -> str:
    try:
        call()
    except (OSError, RuntimeError, tf.errors.OpError) as error:
        return f"{type(error).__name__}: {error}"
    return "written"


def save() -> Any:
    """Train for ten steps, and save by every function there is."""
    variables, path = model(), folder()
    train(variables, 0, HALF)
    xy, names = programs.mesh("x", "y"), {v.name: v for v in variables}
    plain = tf.Variable([1.0, 2.0])
    checkpoint = dtensor.DTensorCheckpoint(xy, plain=plain, variables=variables)
    assert checkpoint.write(str(path / "a")) == str(path / "a")
    dtensor.name_based_save(xy, str(path / "b"), names)
    data = [file.name for file in path.iterdir() if file.name.startswith("a.data-")]
    assert len(data) == xy.size, data
    manager = tf.train.CheckpointManager(checkpoint, str(path / "managed"), max_to_keep=2)
    kept = [manager.save() for _ in range(3)][1:]
    assert manager.checkpoints == kept and tf.train.latest_checkpoint(manager.directory) == kept[1]
    dtensor.barrier(xy)
    names_left = sorted({file.name.split(".")[0] for file in (path / "managed").iterdir()})
    assert names_left == ["checkpoint", "ckpt-2", "ckpt-3"], names_left
    assert not list(path.rglob("*.partial")) and not list(path.rglob("*.entries-*"))
    raises((OSError, RuntimeError, tf.errors.OpError), checkpoint.write, "/proc/no/where/a")
    assert checkpoint.save(str(path / "numbered" / "ckpt")).endswith("ckpt-4")
    return [whole(v).tolist() for v in variables]


def restore() -> Any:
    """Restore what another number of processes has saved, and train on."""
    path, xy = folder(), programs.mesh("x", "y")
    variables = [dtensor.DVariable(np.zeros(v.shape, "f"), layout=v.layout) for v in model()]
    plain = tf.Variable([0.0, 0.0])
    checkpoint = tf.train.Checkpoint(plain=plain, variables=variables)
    checkpoint.read(str(path / "a")).assert_existing_objects_matched()
    assert plain.numpy().tolist() == [1.0, 2.0]
    saved = [whole(v).tolist() for v in variables]
    latest = tf.train.latest_checkpoint(str(path / "managed"))
    checkpoint.restore(latest).assert_existing_objects_matched()
    like = {f"w{i}:0": v for i, v in enumerate(variables)}
    named = dtensor.name_based_restore(xy, str(path / "b"), like)
    for name, variable in like.items():
        np.testing.assert_array_equal(whole(named[name]), whole(variable))
        assert dtensor.fetch_layout(named[name]) == variable.layout
    train(variables, HALF, STEPS)
    return [saved, [whole(v).tolist() for v in variables]]


def resumable() -> Any:
    """Train with checkpoints, from the last one on; one process may be killed."""
    variables = model()
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(done=done, variables=variables)
    manager = tf.train.CheckpointManager(checkpoint, str(folder() / "kept"), max_to_keep=2)
    manager.restore_or_initialize()
    first, step = int(done), programs.train_step(variables, None)
    for number in range(first, STEPS):
        if os.environ.get("KILLED") == f"{dtensor.client_id()} {number}":
            os.kill(os.getpid(), signal.SIGKILL)
        train(variables, number, number + 1, step)
        done.assign_add(1)
        if number % 4 == 3:
            manager.save()
    return [first, [whole(v).tolist() for v in variables]]
