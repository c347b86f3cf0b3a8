"""How a program is compiled depends on the machine and on the program."""

from __future__ import annotations

import os
import threading
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import jax_device, jax_ffi, onednn_plan, processor, threads
from tapeflow._src.executors import xla_options

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
    ("cores", "size", "split", "beside_onednn"),
    [
        (1, LONGER, False, False),
        (2, SHORT, False, False),
        (2, LONG, True, False),
        (2, LONGER, True, True),
        (64, SHORT, False, False),
        (64, LONG, True, True),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_loops_are_split_where_it_pays(
    cores: int,
    size: int,
    split: bool,
    beside_onednn: bool,
    inside: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    assert xla_options.splits(_program(size, inside)) == split
    assert xla_options.splits(_program(size, inside, calls=True)) == beside_onednn


@pytest.mark.parametrize(("side", "split"), [(100, False), (600, True)])
def test_products_are_split_where_it_pays(
    side: int, split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    matrix = jax.ShapeDtypeStruct((side, side), np.float32)
    assert xla_options.splits(jax.jit(lambda a: a @ a).trace(matrix).jaxpr) == split


@pytest.mark.parametrize(("size", "split"), [(1000, False), (2000, True)])
def test_reductions_are_split_where_it_pays(size: int, split: bool) -> None:
    matrix = jax.ShapeDtypeStruct((size, size), np.float32)
    for reduction in (jax.numpy.max, jax.numpy.sum, jax.numpy.argmax):
        program = jax.jit(lambda x, of=reduction: of(x, 1)).trace(matrix).jaxpr
        assert xla_options.splits(program) == split


def test_unknown_options_are_left_out() -> None:
    lowered = jax.jit(lambda x: x + 1).lower(np.ones(2, np.float32))
    with pytest.raises(Exception, match=xla_options._UNKNOWN):
        lowered.compile({"xla_cpu_none_such": 1})
    program = xla_options.compiled(lowered, {"xla_cpu_none_such": 1})
    assert program(np.ones(2, np.float32)).tolist() == [2.0, 2.0]
    with pytest.raises(Exception, match="xla_cpu_prefer_vector_width"):
        xla_options.compiled(lowered, {"xla_cpu_prefer_vector_width": "wide"})


@pytest.fixture
def narrow_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "features", lambda: frozenset({"avx2"}))


@pytest.mark.parametrize(
    ("names", "wide"),
    [(None, False), ({"avx2"}, False), ({"avx512f"}, False), ({"avx512f", "avx512_vbmi2"}, True)],
)
def test_wide_vectors_are_used_where_they_are_fast(
    names: set[str] | None, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "features", lambda: names)
    chosen = xla_options.options("a program")
    assert chosen == ({"xla_cpu_prefer_vector_width": 512} if wide else {})


@pytest.mark.usefixtures("narrow_vectors")
def test_the_older_generator_of_code_can_be_chosen() -> None:
    old = {"xla_cpu_use_fusion_emitters": False}
    assert xla_options.options("a program", old_emitter=True) == old


@pytest.mark.usefixtures("narrow_vectors")
def test_beside_onednn_there_is_no_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    asked = xla_options.options("stablehlo.custom_call @tapeflow_onednn(%0)")
    assert asked == {"xla_cpu_experimental_ynn_fusion_type": ""}
    assert xla_options.options("a program") == {}


@pytest.mark.usefixtures("narrow_vectors")
def test_split_products_in_loops_are_computed_by_eigen(monkeypatch: pytest.MonkeyPatch) -> None:
    def repeated(x: Any) -> Any:
        return jax.lax.fori_loop(0, 3, lambda i, y: y @ x, x)

    matrix = jax.ShapeDtypeStruct((4, 4), np.float32)
    loop = jax.jit(repeated).lower(matrix).as_text()
    product = jax.jit(lambda x: x @ x).lower(matrix).as_text()
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    without = {"xla_cpu_experimental_ynn_fusion_type": ""}
    assert xla_options.options(loop, split=True) == without
    assert xla_options.options(loop) == xla_options.options(product, split=True) == {}
    monkeypatch.setattr(xla_options, "cores", lambda: 64)
    assert xla_options.options(loop, split=True) == {}


@pytest.mark.parametrize("cores", [2, 64])
def test_programs_compute_the_same(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    images = np.random.default_rng(0).normal(size=(2, 8, 8, 4)).astype(np.float32)
    filters = tf.ones([3, 3, 4, 4])

    def mean(x: Any) -> Any:
        return tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), [1, 2])

    compiled = tf.function(mean, jit_compile=True)(images)
    np.testing.assert_allclose(compiled, mean(images), rtol=1e-5)


def test_a_variable_may_be_used_by_programs_that_split_and_that_do_not(
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
    devices = [jax_device.device(split) for split in (False, True)]
    assert devices == [jax_device.device(split) for split in (False, True)]
    clients = {id(device.client) for device in (*devices, jax.devices()[0])}
    assert len(clients) == 3


def test_a_call_runs_on_the_thread_that_makes_it() -> None:
    threads: list[int] = []
    jax_ffi.register("where", lambda spec, addresses: threads.append(threading.get_ident()))

    def function(x: Any) -> Any:
        (x,) = jax_ffi.call("where", [x], [jax.ShapeDtypeStruct(x.shape, x.dtype)], "")
        return jax.numpy.exp(x)

    device = jax_device.device(split=False)
    # A copy of a NumPy array may be under way on another thread when the program is called.
    x = jax.device_put(np.zeros(500_000, np.float32), device).block_until_ready()
    with jax.default_device(device):
        compiled = jax.jit(function).lower(jax.ShapeDtypeStruct(x.shape, x.dtype)).compile()
    for _ in range(3):
        compiled(x).block_until_ready()
    if jax_device.on_processors():
        assert set(threads) == {threading.get_ident()}


def test_large_arguments_do_not_take_a_call_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()
    execute = onednn_plan.Plan._execute

    def noted(self: Any, *arguments: Any) -> None:
        threads.add(threading.get_ident())
        execute(self, *arguments)

    monkeypatch.setattr(onednn_plan.Plan, "_execute", noted)
    memory = np.zeros(4 * 8 * 8 * 64 * 8 + 1, np.float32)
    images = memory[1:].reshape(-1, 8, 8, 64)
    for _ in range(8):
        filters = tf.Variable(tf.ones([3, 3, 64, 64]))

        @tf.function(jit_compile=True)
        def step(x: Any, filters: Any) -> Any:
            y = tf.nn.conv2d(x, filters, 1, "SAME")
            filters.assign_add(filters)
            return y

        for size in (32, 16):
            assert not step(tf.constant(images[:size]), filters).numpy().any()
        assert filters.numpy()[0, 0, 0, 0] == 4.0
    if jax_device.on_processors():
        assert threads <= {threading.get_ident()}


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPROC", "7")
    jax_device._at_once.__wrapped__()
    assert os.environ["NPROC"] == "7"
    monkeypatch.delenv("NPROC")
    jax_device._at_once.__wrapped__()
    assert "NPROC" not in os.environ


def test_there_is_a_core() -> None:
    assert threads.cores() >= 1
