"""Training on several replicas equals training on one with the same global batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import xla
from tests.keras.replicated_models import MODELS, dense, low_level_loop, rows
from tests.keras.replicated_models import trained as trained_under

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures("logical_devices")


def strategy_of(count: int) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


_QUICK = (dense, low_level_loop)


def trained(
    build: Callable[[], Any], count: int, compiled: bool | None = None
) -> tuple[list[np.ndarray], Any]:
    """Return the weights after the steps on so many devices, and the results."""
    return trained_under(build, strategy_of(count), compiled)


_alone: dict[Any, Any] = {}


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("build", MODELS, ids=lambda build: build.__name__)
def test_weights_equal_those_of_one_device(build: Callable[[], Any], count: int) -> None:
    if build not in _alone:
        _alone[build] = trained(build, 1)
    expected, results = _alone[build]
    weights, replicated = trained(build, count)
    for one, other in zip(expected, weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)
    first, second = tf.nest.flatten(results), tf.nest.flatten(replicated)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "build",
    [
        *_QUICK,
        *(pytest.param(b, marks=pytest.mark.slow) for b in MODELS if b not in _QUICK),
    ],
    ids=lambda build: build.__name__,
)
def test_one_program_on_a_mesh_equals_one_device(build: Callable[[], Any]) -> None:
    meshes: list[Any] = []
    create = xla.Executable.__init__

    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        create(self, *args, **kwargs)
        meshes.append(self._mesh)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xla.Executable, "__init__", noted)
        weights, _ = trained(build, 2, compiled=True)
    assert any(mesh is not None and mesh.size == 2 for mesh in meshes)
    for one, other in zip(trained(build, 1)[0], weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def test_uneven_last_batches_count_every_sample_in_metrics() -> None:
    x, y = rows(4)[:13], rows(1)[:13]
    with strategy_of(4).scope():
        model = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", metrics=["mae"])
    loss, error = model.evaluate(x, y, batch_size=8, verbose=0)
    difference = x.sum(1, keepdims=True) - y
    np.testing.assert_allclose(
        [loss, error], [(difference**2).mean(), abs(difference).mean()], 1e-5
    )
    assert model.predict(x, batch_size=8, verbose=0).shape == (13, 1)
    assert len(model.fit(x, y, batch_size=8, verbose=0).history["loss"]) == 1
    assert int(model.optimizer.iterations) == 2


def test_layers_are_built_once_in_replicas() -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        model = keras.Sequential([layers.Dense(3), layers.Dropout(0.5), layers.Dense(1)])
    outputs = strategy.run(model, args=(tf.ones([4, 2]),), kwargs={"training": True})
    assert len(model.weights) >= 4 and len(model.trainable_weights) == 4
    assert isinstance(outputs, tf.distribute.DistributedValues)
    assert all(strategy.extended.variable_created_in_scope(w) for w in model.weights)


def test_tensorboard_writes_the_graph_of_replicas(tmp_path: Path) -> None:
    with strategy_of(2).scope():
        model = keras.Sequential([layers.Dense(1)])
        model.compile("sgd", "mse")
    board = keras.callbacks.TensorBoard(tmp_path)
    model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=4, verbose=0, callbacks=[board])
    (path,) = (tmp_path / "train").glob("*tfevents*")
    events = tf.compat.v1.train.summary_iterator(str(path))
    assert any(b"_OnReplicas" in event.graph_def for event in events)
