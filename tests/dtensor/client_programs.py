"""Programs of several processes on a common mesh: each asserts what holds in every process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import tapeflow as tf
from tests.dtensor.clients import DEVICES

dtensor = tf.experimental.dtensor


@cache
def mesh(*names: str) -> Any:
    """Return the mesh of all devices: two axes if there are two names, else one."""
    start()
    count = dtensor.num_global_devices("CPU")
    sizes = (
        (count,) if len(names) == 1 else (dtensor.num_clients(), dtensor.num_local_devices("CPU"))
    )
    return dtensor.create_distributed_mesh(list(zip(names, sizes, strict=True)))


@cache
def start() -> None:
    """Meet the other processes."""
    dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=int(os.environ[DEVICES]))


def layout(*specs: str) -> Any:
    """Return a layout on the mesh of two axes."""
    return dtensor.Layout(list(specs), mesh("x", "y"))


def whole(tensor: Any) -> np.ndarray:
    """Return the global value of a tensor."""
    own = dtensor.fetch_layout(tensor)
    value: np.ndarray = dtensor.relayout(
        tensor, dtensor.Layout.replicated(own.mesh, own.rank)
    ).numpy()
    return value


def raises(error: Any, call: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the message of the error that a call raises."""
    try:
        call(*args, **kwargs)
    except error as caught:
        return str(caught)
    raise AssertionError(f"{call} raised no {error}")


NUMBERS = np.arange(64, dtype=np.float32).reshape(8, 8)
UNSHARDED = dtensor.UNSHARDED


def system() -> Any:
    """Names, numbers and devices of the processes."""
    xy = mesh("x", "y")
    clients, own, local = (
        dtensor.num_clients(),
        dtensor.client_id(),
        dtensor.num_local_devices("CPU"),
    )
    assert xy.shape() == [clients, local] and xy.num_local_devices() == local
    assert xy.local_device_ids() == list(range(own * local, (own + 1) * local))
    prefix = f"/job:worker/replica:0/task:{own}"
    assert dtensor.full_job_name() == prefix.removeprefix("/job:")
    assert xy.local_devices() == [f"{prefix}/device:CPU:{i}" for i in range(local)]
    assert [d.to_string() for d in dtensor.local_devices("CPU")] == xy.local_devices()
    assert len(xy.global_devices()) == clients * local == dtensor.num_global_devices("CPU")
    assert dtensor.Mesh.from_string(xy.to_string()) == xy
    raises(ValueError, dtensor.create_distributed_mesh, [("x", 1)])
    raises(ValueError, dtensor.shutdown_accelerator_system)
    dtensor.barrier(xy)
    with tf.device(xy.local_devices()[0]):
        assert float(tf.reduce_sum(tf.ones([2]))) == 2.0
    return [str(device) for device in xy.global_devices()]


def operations() -> Any:
    """Eager operations, functions, and what is local of a tensor."""
    sharded = dtensor.copy_to_mesh(NUMBERS, layout("x", "y"))
    np.testing.assert_array_equal(whole(sharded), NUMBERS)
    np.testing.assert_array_equal(whole(sharded @ sharded), NUMBERS @ NUMBERS)
    np.testing.assert_array_equal(whole(sharded + 1), NUMBERS + 1)
    np.testing.assert_array_equal(whole(sharded[1:5]), NUMBERS[1:5])
    assert float(tf.reduce_sum(sharded)) == NUMBERS.sum()
    assert "layout=" in repr(sharded) and "CPU:0" in repr(sharded)
    raises(tf.errors.UnimplementedError, sharded.numpy)
    columns = dtensor.relayout(sharded, layout(UNSHARDED, "x"))
    assert dtensor.fetch_layout(columns).sharding_specs == [UNSHARDED, "x"]
    np.testing.assert_array_equal(whole(columns), NUMBERS)
    parts = dtensor.unpack(sharded)
    assert [part.device for part in parts] == sharded._layout.mesh.local_devices()
    np.testing.assert_array_equal(whole(dtensor.pack(parts, layout("x", "y"))), NUMBERS)
    raises(tf.errors.InvalidArgumentError, dtensor.pack, [1.0] * 7, layout())

    @tf.function
    def step(a: Any, b: Any) -> Any:
        return tf.nn.softmax(a @ b), dtensor.relayout(a, layout(UNSHARDED, "x"))

    result, moved = step(sharded, tf.constant(NUMBERS.T))
    expected = tf.nn.softmax(tf.constant(NUMBERS @ NUMBERS.T))
    np.testing.assert_allclose(whole(result), expected, atol=1e-6)
    assert dtensor.fetch_layout(moved).sharding_specs == [UNSHARDED, "x"]
    strings = dtensor.copy_to_mesh(tf.constant(["a", "b"]), layout(UNSHARDED))
    assert strings.numpy().tolist() == [b"a", b"b"]
    wide = dtensor.copy_to_mesh(np.arange(8) + 2**40, layout("x"))
    np.testing.assert_array_equal(whole(wide * 2), (np.arange(8) + 2**40) * 2)
    return NUMBERS.sum().item()


def randomness() -> Any:
    """What no seed determines is the same in all processes."""
    start()
    drawn = tf.random.normal([3])
    shuffled = [int(n) for n in tf.data.Dataset.range(20).shuffle(20)]
    sharded = dtensor.call_with_layout(tf.function(tf.random.uniform), layout("x", "y"), [8, 8])
    return [drawn.numpy().tolist(), shuffled, whole(sharded).tolist()]


def gradients() -> Any:
    """Gradients of sharded tensors, and values that lie in no mesh."""
    sharded = dtensor.copy_to_mesh(NUMBERS / 64, layout("x", "y"))
    with tf.GradientTape() as outer:
        outer.watch(sharded)
        with tf.GradientTape() as inner:
            inner.watch(sharded)
            y = tf.reduce_sum(sharded**3)
        first = inner.gradient(y, sharded)
    np.testing.assert_allclose(whole(first), 3 * (NUMBERS / 64) ** 2, rtol=1e-5)
    np.testing.assert_allclose(whole(outer.gradient(first, sharded)), 6 * NUMBERS / 64, rtol=1e-5)
    plain = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(sharded * plain)
    assert abs(float(tape.gradient(loss, plain)) - NUMBERS.mean() / 64) < 1e-6
    draw = tf.random.stateless_normal
    drawn = dtensor.call_with_layout(draw, layout("x", "y"), shape=(8, 8), seed=(1, 2))
    np.testing.assert_allclose(whole(drawn), draw((8, 8), (1, 2)), rtol=1e-6, atol=1e-6)


def datasets() -> Any:
    """Every process places its rows of each batch."""
    xy = mesh("x", "y")
    samples = tf.data.Dataset.from_tensor_slices({"x": np.arange(40.0).reshape(20, 2)})
    batches = dtensor.DTensorDataset(
        samples.shuffle(20),
        mesh=xy,
        layouts={"x": dtensor.Layout.batch_sharded(xy, "x", 2)},
        global_batch_size=8,
        batch_dim="x",
    )
    seen = [whole(batch["x"]) for batch in batches]
    assert len(seen) == 2 and len({float(v) for v in np.concatenate(seen).ravel()}) == 32
    return [part.tolist() for part in seen]


def variables() -> Any:
    """Variables keep their layouts, and are assigned values of any kind."""
    v = dtensor.DVariable(dtensor.copy_to_mesh(NUMBERS, layout("x", "y")), name="v")
    before = v.value()
    rows = dtensor.copy_to_mesh(NUMBERS, layout("x", UNSHARDED))
    for update in (v.assign_add, tf.function(v.assign_add), v.assign_sub, v.assign):
        update(rows)
        assert v.layout == layout("x", "y") == dtensor.fetch_layout(v.value())
    np.testing.assert_array_equal(whole(v), NUMBERS)
    np.testing.assert_array_equal(whole(before), NUMBERS)
    v.assign(np.zeros((8, 8), np.float32))
    assert not whole(v).any() and "layout=" in repr(v)
    raises(tf.errors.UnimplementedError, v.numpy)


def _loss(model: Any, x: Any, y: Any) -> Any:
    hidden = tf.nn.relu(tf.matmul(x, model[0]) + model[1])
    return tf.reduce_mean((tf.matmul(hidden, model[2]) - y) ** 2)


def training_data(steps: int = 20) -> Any:
    """Return inputs and targets of the steps, and the weights to begin with."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(steps, 8, 6)).astype("f")
    y = generator.normal(size=(steps, 8, 4)).astype("f")
    return x, y, [generator.normal(size=s).astype("f") / 2 for s in ((6, 8), (8,), (8, 4))]


def train_step(model: Any, optimizer: Any) -> Any:
    """Return a function of one step."""

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = _loss(model, x, y)
        gradients = tape.gradient(loss, model)
        if optimizer is None:
            for variable, gradient in zip(model, gradients, strict=True):
                variable.assign_sub(0.1 * gradient)
        else:
            optimizer.apply_gradients(zip(gradients, model, strict=True))
        return loss

    return step


def sharded_model() -> Any:
    """Return variables on the mesh, with the weights to begin with."""
    layouts = [layout(UNSHARDED, "y"), layout("y"), layout("y", UNSHARDED)]
    _, _, weights = training_data()
    return [
        dtensor.DVariable(w, layout=own, name=f"w{i}")
        for i, (w, own) in enumerate(zip(weights, layouts, strict=True))
    ]


def training() -> Any:
    """The weights after 20 steps are those of one device."""
    x, y, weights = training_data()
    for adam in (False, True):
        plain, sharded = [tf.Variable(w) for w in weights], sharded_model()
        optimizers = [tf.keras.optimizers.Adam(0.05) if adam else None for _ in range(2)]
        alone, together = train_step(plain, optimizers[0]), train_step(sharded, optimizers[1])
        for a, b in zip(x, y, strict=True):
            expected = float(alone(tf.constant(a), tf.constant(b)))
            batch = [dtensor.copy_to_mesh(each, layout("x", UNSHARDED)) for each in (a, b)]
            assert abs(float(together(*batch)) - expected) < 1e-5 * max(1, expected)
        for variable, reference in zip(sharded, plain, strict=True):
            np.testing.assert_allclose(whole(variable), reference.numpy(), rtol=1e-5, atol=1e-5)


def barriers() -> Any:
    """A barrier waits for all, or names who is missing."""
    xy = mesh("x", "y")
    dtensor.barrier(xy, "first", timeout_in_ms=60_000)
    dtensor.barrier(xy, "first")
    if dtensor.client_id() == 0:
        text = raises(
            tf.errors.DeadlineExceededError, dtensor.barrier, xy, "alone", timeout_in_ms=10
        )
        assert f"/job:worker/task:{dtensor.num_clients() - 1}" in text
    dtensor.barrier(xy, "last")


def differing() -> Any:
    """Two processes compute different things from a tensor on their mesh."""
    sharded = dtensor.copy_to_mesh(NUMBERS, layout("x", UNSHARDED))
    if dtensor.client_id() == 0:
        return float(tf.reduce_sum(sharded))
    return whole(sharded).tolist()


def late() -> Any:
    """One process does something else for longer than the others wait."""
    sharded = dtensor.copy_to_mesh(NUMBERS, layout("x", UNSHARDED))
    if dtensor.client_id() == 1:
        time.sleep(15)
    return float(tf.reduce_sum(sharded))


def early() -> Any:
    """One process ends although the others need it."""
    sharded = dtensor.copy_to_mesh(NUMBERS, layout("x", UNSHARDED))
    if dtensor.client_id() == 1:
        sys.exit(3)
    return float(tf.reduce_sum(sharded))
