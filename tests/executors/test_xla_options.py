"""How a program is compiled depends on the machine and on the program."""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.backends import jax_device, jax_ffi
from tapeflow.executors import xla_options

SHORT, LONG, LONGER = 1000, 2_000_000, 5_000_000


def _program(size: int, inside: bool = False, calls: bool = False) -> Any:
    def double(x: Any) -> Any:
        if calls:
            (x,) = jax_ffi.call("a library", [x], [jax.ShapeDtypeStruct((), np.float32)], "")
        return jax.numpy.broadcast_to(x, (size,)) * 2

    def function(x: Any) -> Any:
        return jax.lax.cond(x > 0, double, lambda x: double(x) + 1, x) if inside else double(x)

    return jax.jit(function).trace(jax.ShapeDtypeStruct((), np.float32)).jaxpr


@pytest.mark.parametrize(
    ("cores", "size", "threads", "beside_onednn"),
    [
        (1, SHORT, 1, 1),
        (2, SHORT, 1, 1),
        (2, LONG, 2, 1),
        (2, LONGER, 2, 2),
        (3, SHORT, 3, 3),
        (64, LONG, 64, 64),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_loops_are_split_where_it_pays(
    cores: int,
    size: int,
    threads: int,
    beside_onednn: int,
    inside: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    assert xla_options.threads_for(_program(size, inside)) == threads
    assert xla_options.threads_for(_program(size, inside, calls=True)) == beside_onednn


def test_beside_onednn_there_is_no_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    asked = xla_options.options("stablehlo.custom_call @tapeflow_onednn(%0)")
    assert asked == {"xla_cpu_experimental_ynn_fusion_type": ""}
    assert xla_options.options("a program") == {}


@pytest.mark.parametrize("cores", [2, 64])
def test_programs_compute_the_same(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    images = np.random.default_rng(0).normal(size=(2, 8, 8, 4)).astype(np.float32)
    filters = tf.ones([3, 3, 4, 4])

    def mean(x: Any) -> Any:
        return tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), [1, 2])

    compiled = tf.function(mean, jit_compile=True)(images)
    np.testing.assert_allclose(compiled, mean(images), rtol=1e-5)


def test_a_variable_may_be_used_by_programs_for_one_thread_and_for_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    v = tf.Variable(tf.ones([4]))
    short = tf.function(lambda: v.assign_add(v), jit_compile=True)
    long = tf.function(
        lambda: tf.reduce_sum(v.assign_add(tf.ones([4])) * tf.ones([1 << 21, 4])), jit_compile=True
    )
    for _ in range(2):
        short()
        long()
    assert v.numpy().tolist() == [7.0] * 4


def test_programs_run_on_clients_of_their_own() -> None:
    if not jax_device.on_processors():
        pytest.skip("programs run on an accelerator here")
    one, two = jax_device.device(1), jax_device.device(2)
    assert one is jax_device.device(1)
    assert len({id(device.client) for device in (one, two, jax.devices()[0])}) == 3


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPROC", "7")
    jax_device._processor.__wrapped__(1)
    assert os.environ["NPROC"] == "7"
    monkeypatch.delenv("NPROC")
    jax_device._processor.__wrapped__(1)
    assert "NPROC" not in os.environ


def test_there_is_a_core() -> None:
    assert jax_device.cores() >= 1
