"""Compiled programs outlive the process."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import program_files, xla, xla_disk
from tests.executors.helpers import Traced, same

X = np.arange(12.0, dtype=np.float32).reshape(1, 2, 3, 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(program_files.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / program_files.SUBFOLDER


def _program() -> tuple[Traced, Any]:
    v = tf.Variable(np.ones((1, 1, 2, 2), np.float32))

    def function(x: Any) -> Any:
        y = tf.nn.conv2d(x, v, 1, "SAME")
        v.assign_add(v * 0.5)
        return y, tf.random.uniform([2], seed=3)

    return Traced(function, X), v


def _compiles(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is stored, which is what was compiled."""
    stored: list[Any] = []
    store = xla_disk._store
    monkeypatch.setattr(xla_disk, "_store", lambda *a: (stored.append(a), store(*a)))
    return stored


def test_a_program_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = _compiles(monkeypatch)
    for _ in range(2):
        tf.random.set_seed(1)
        program, v = _program()
        executable = xla.Executable(program.body, program.inputs(X))
        first = executable(program.inputs(X))
        executable(program.inputs(X))
        device = v._cell.device
        executable(program.inputs(X))
        assert device.is_deleted()
        after = v.numpy()
        tf.random.set_seed(1)
        v.assign(np.ones((1, 1, 2, 2), np.float32))
        same(first, program.interpreted(X), tolerance=1e-6)
        for _ in range(2):
            program.interpreted(X)
        np.testing.assert_allclose(after, v.numpy())
    assert len(stored) == 1 and len(os.listdir(folder)) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_arguments_that_nothing_uses_tell_programs_apart(folder: Path) -> None:
    for dtype in (tf.int64, tf.uint8, tf.complex64):
        for shape in ([2, 4], [8]):
            count = tf.function(lambda x: tf.size(x), jit_compile=True)
            assert count(tf.ones(shape, dtype)).numpy() == 8


CODE = """
import numpy as np, sys
from tapeflow._src.executors import xla, xla_disk
from tests.executors.test_xla_disk import _program, X
xla_disk._store = lambda *a: print("compiled")
program, v = _program()
executable = xla.Executable(program.body, program.inputs(X))
print(executable(program.inputs(X))[0].sum())
"""


@pytest.mark.usefixtures("optimized")
def test_another_process_finds_it(folder: Path) -> None:
    program, _ = _program()
    result = xla.Executable(program.body, program.inputs(X))(program.inputs(X))[0]
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(result.sum())]


def test_a_damaged_program_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = _program()
    xla.Executable(program.body, program.inputs(X))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    stored = _compiles(monkeypatch)
    middle = len(whole) // 2
    for damaged in (b"", whole[:-1], whole[:middle] + b"?" + whole[middle + 1 :]):
        stored.clear()
        path.write_bytes(damaged)
        executable = xla.Executable(program.body, program.inputs(X))
        executable(program.inputs(X))
        assert len(stored) == 1 and len(path.read_bytes()) > middle
    # Whole, but nothing that the compiler knows.
    program_files.write(path, b"not a program")
    xla.Executable(program.body, program.inputs(X))
    assert len(stored) == 2


def test_loading_unpickles_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = _program()
    first = xla.Executable(program.body, program.inputs(X))(program.inputs(X))
    monkeypatch.setattr(pickle, "Unpickler", None)
    monkeypatch.setattr(pickle, "loads", None)
    stored = _compiles(monkeypatch)
    program, _ = _program()
    second = xla.Executable(program.body, program.inputs(X))(program.inputs(X))
    assert not stored
    np.testing.assert_array_equal(first[0], second[0])


def test_what_others_can_write_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = _program()
    xla.Executable(program.body, program.inputs(X))
    (path,) = folder.iterdir()
    stored = _compiles(monkeypatch)
    path.chmod(0o666)
    xla.Executable(program.body, program.inputs(X))
    assert len(stored) == 1
    folder.chmod(0o777)
    xla.Executable(program.body, program.inputs(X))
    assert len(stored) == 1


def test_it_can_be_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(program_files.VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program, _ = _program()
    xla.Executable(program.body, program.inputs(X))
    assert not os.listdir(tmp_path)
    monkeypatch.delenv(program_files.VARIABLE)
    xla.Executable(program.body, program.inputs(X))
    assert os.listdir(tmp_path) == ["tapeflow"]
