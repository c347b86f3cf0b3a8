"""Compiled loops that are called directly compute what the programs compute."""

from __future__ import annotations

import ctypes
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import jax_device, team, threads
from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.backends.object_code import MAGIC, LoadedFunction, UnsupportedCode
from tapeflow._src.core.registry import OPS
from tapeflow._src.executors import large_ops, xla_disk
from tapeflow._src.executors.string_programs import hot
from tapeflow._src.executors.xla_kernels import Kernel, compiled_loop
from tapeflow._src.executors.xla_strings import StringProgram

jax = pytest.importorskip("jax")


def _compiled(function: Any, *shapes: tuple[int, ...]) -> tuple[Any, Kernel | None]:
    device = jax_device.device(split=False)
    with jax.enable_x64(True), jax.default_device(device):
        specs = [jax.ShapeDtypeStruct(shape, np.uint64) for shape in shapes]
        return compiled_loop(jax.jit(function).lower(*specs), device)


def _words(count: int) -> np.ndarray:
    words = aligned_empty((count,), np.uint64)
    words[:] = np.random.default_rng(count).integers(0, 2**63, count, np.uint64)
    return words


@pytest.mark.parametrize("stored", [False, True])
def test_a_loop_called_directly_computes_what_its_program_computes(
    stored: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPEFLOW_CACHE_DIR", str(tmp_path) if stored else "")

    def function(x: Any, y: Any) -> Any:
        return (x * y ^ x >> np.uint64(7)) + y * np.uint64(0x9E3779B97F4A7C15)

    for _ in range(2):
        program, kernel = _compiled(function, (100,), (100,))
        assert kernel is not None
        x, y, result = _words(100), _words(100)[::-1].copy(), aligned_empty((100,), np.uint64)
        aligned_y = aligned_empty((100,), np.uint64)
        aligned_y[:] = y
        kernel(address(x), address(aligned_y), address(result))
        np.testing.assert_array_equal(result, function(x, y))
        result[:] = 0
        kernel.briefly(address(x), address(aligned_y), address(result))
        np.testing.assert_array_equal(result, function(x, y))
        with jax.enable_x64(True):
            np.testing.assert_array_equal(np.asarray(program(x, aligned_y)), result)


def test_numbers_below_the_normal_ones_are_zeros_as_in_programs() -> None:
    device = jax_device.device(split=False)
    spec = jax.ShapeDtypeStruct((100,), np.float32)
    with jax.default_device(device):
        program, kernel = compiled_loop(jax.jit(lambda x: x * 0.5 + x).lower(spec), device)
    assert kernel is not None
    x, result = aligned_empty((100,), np.float32), aligned_empty((100,), np.float32)
    x[:] = np.geomspace(1e-44, 1.0, 100)
    kernel(address(x), address(result))
    np.testing.assert_array_equal(result, np.asarray(program(x)))
    assert result[0] == 0
    assert np.float32(1e-44) * np.float32(0.5) != 0  # as before, outside


_VALUES = np.random.default_rng(0).uniform(-0.9, 0.9, 10_002)
_OPERANDS = [_VALUES[:10_000], _VALUES[1:10_001], _VALUES[:10_000].reshape(100, 100).T]


@pytest.mark.parametrize("operand", _OPERANDS, ids=["first", "second", "transposed"])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, np.float32) for name in ("Erf", "Asin", "Log1p", "Selu", "Atan2", "Maximum")),
        *((name, np.float64) for name in ("Exp", "Selu", "Pow")),
    ],
)
def test_ops_of_one_loop_are_called_wherever_their_arrays_are(
    name: str, dtype: Any, operand: np.ndarray
) -> None:
    op = OPS[name]
    arrays = [operand.astype(dtype, order="K"), np.array(2, dtype)][: op.arity]
    for old_emitter in (False, True):
        program = large_ops._Program(op, arrays, {}, old_emitter)
        assert program._loop is not None
        result = program(arrays, {})
        assert result.dtype == dtype
        np.testing.assert_allclose(result, op.run(xp, *arrays), rtol=1e-5)


_MANY = (1 << 20) + 1000


@pytest.fixture(scope="module")
def divided() -> Kernel:
    """The loop `sqrt(x) + y`, divided into pieces."""
    device = jax_device.device(split=True)
    spec = jax.ShapeDtypeStruct((_MANY,), np.float32)
    with jax.default_device(device):
        lowered = jax.jit(lambda x, y: jax.numpy.sqrt(x) + y).lower(spec, spec)
        _, kernel = compiled_loop(lowered, device)
    assert kernel is not None
    return kernel


def _on_cores(kernel: Kernel, offset: int = 0) -> None:
    """Compare a call on all cores with NumPy's result."""
    x, y, result = (aligned_empty((_MANY,), np.float32) for _ in range(3))
    x[:], y[:], result[:] = np.arange(_MANY) + offset, 1e-3, np.nan
    kernel.on_cores(*map(address, (x, y, result)))
    np.testing.assert_array_equal(result, np.sqrt(x) + y)


@pytest.fixture(params=[1, 2, 4])
def team_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run pieces on so many threads, whatever the number of cores."""
    monkeypatch.setattr(threads, "cores", lambda: request.param)
    monkeypatch.setattr(team, "_current", [])
    return request.param


def test_the_pieces_of_a_loop_run_on_all_cores(team_of: int, divided: Kernel) -> None:
    for kept in (False, True):  # also calls whose memory is used again
        divided._idle *= kept
        _on_cores(divided)


def test_threads_run_a_divided_loop_at_once(team_of: int, divided: Kernel) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda offset: _on_cores(divided, offset), range(20)))


def test_a_forked_process_runs_pieces_on_one_thread(divided: Kernel) -> None:
    _on_cores(divided)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # forking with threads is what is tested
        child = os.fork()
    if not child:
        try:
            _on_cores(divided)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_failing_code_raises() -> None:
    function = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t)(lambda piece: piece == 7)
    pieces = team.Task(ctypes.cast(function, ctypes.c_void_p).value or 0, range(9), False)
    for run in (pieces.run, pieces.run_briefly):
        with pytest.raises(RuntimeError, match="failed"):
            run()


def test_programs_of_more_than_one_loop_are_called_by_jax() -> None:
    program, kernel = _compiled(lambda x: jax.numpy.sort(x), (100,))
    assert kernel is None
    words = _words(100)
    with jax.enable_x64(True):
        np.testing.assert_array_equal(np.asarray(program(words)), np.sort(words))


def test_other_object_files_are_refused() -> None:
    with pytest.raises(UnsupportedCode, match="x86-64"):
        LoadedFunction(MAGIC + bytes(100))


def test_strings_are_hashed_alike_without_direct_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = tf.constant([b"s%d" % number for number in range(5000)])
    expected = tf.strings.to_hash_bucket_fast(strings, 1000).numpy()
    for loops in (True, False):
        if not loops:
            unloaded = lambda lowered, device: (xla_disk.compiled(lowered, device), None)  # noqa: E731
            monkeypatch.setattr("tapeflow._src.executors.xla_strings.compiled_loop", unloaded)
        program = StringProgram("farm")
        assert bool(program._kernels) is loops
        entry = type("Entry", (), {"program": program, "spent": lambda self, seconds: None})()
        monkeypatch.setitem(hot, "farm", entry)
        np.testing.assert_array_equal(tf.strings.to_hash_bucket_fast(strings, 1000), expected)
