"""Bundles of tensors: all dtypes and shapes come back, damage and absence are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, data_name, index_name, write_bundle
from tapeflow._src.checkpoint.sorted_table import read_table, write_table
from tapeflow._src.core import dtypes, protos

VALUED = sorted((d for d in dtypes.ALL if d.is_numpy_compatible), key=lambda d: d.name)


def sample(dtype: Any) -> np.ndarray:
    if dtype is tf.string:
        return np.array([[b"", b"a"], [b"\0\xff", b"x" * 300]], object)
    return np.arange(4).astype(np.int8).reshape(2, 2).astype(dtype.np)


@pytest.mark.parametrize("dtype", VALUED, ids=lambda d: d.name)
def test_dtypes(tmp_path: Path, dtype: Any) -> None:
    array = sample(dtype)
    write_bundle(str(tmp_path / "b"), [("x", array), ("scalar", array[1:, 1:].reshape(()))])
    reader = BundleReader(tmp_path / "b")
    assert reader.dtype("x") is dtype
    assert reader.shape("x") == (2, 2)
    found = reader.read("x")
    assert found.dtype == array.dtype
    assert found.tolist() == array.tolist()
    assert reader.read("scalar").shape == ()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (1, 2, 3)])
def test_shapes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    write_bundle(str(tmp_path / "b"), [("x", array)])
    np.testing.assert_array_equal(BundleReader(tmp_path / "b").read("x"), array)


def test_arrays_that_are_not_contiguous(tmp_path: Path) -> None:
    array = np.arange(12.0).reshape(3, 4).T
    write_bundle(str(tmp_path / "b"), [("x", array), ("y", np.broadcast_to(1.0, (5,)))])
    reader = BundleReader(tmp_path / "b")
    np.testing.assert_array_equal(reader.read("x"), array)
    np.testing.assert_array_equal(reader.read("y"), np.ones(5))


def test_names_are_unique(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the name 'x'"):
        write_bundle(str(tmp_path / "b"), [("x", np.zeros(1)), ("x", np.zeros(1))])
    assert list(tmp_path.iterdir()) == []


def test_damage_is_noticed(tmp_path: Path) -> None:
    prefix = str(tmp_path / "b")
    write_bundle(prefix, [("x", np.arange(4.0)), ("s", np.array([b"ab", b"c"], object))])
    whole = Path(data_name(prefix)).read_bytes()
    for at in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        Path(data_name(prefix)).write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError, match=r"the tensor '(x|s)'"):
            [BundleReader(prefix).read(name) for name in ("x", "s")]
    Path(data_name(prefix)).write_bytes(whole[:8])
    with pytest.raises(tf.errors.DataLossError, match="'x' is at bytes 0 to 32 of a data"):
        BundleReader(prefix).read("x")
    Path(index_name(prefix)).write_bytes(b"nothing")
    with pytest.raises(tf.errors.DataLossError, match=r"b\.index.*magic number"):
        BundleReader(prefix)


def test_absence(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"b\.index"):
        BundleReader(tmp_path / "b")
    with pytest.raises(tf.errors.DataLossError, match="is a directory"):
        BundleReader(tmp_path)
    write_bundle(str(tmp_path / "b"), [("x", np.zeros(1))])
    with pytest.raises(tf.errors.NotFoundError, match="Key y not found in checkpoint"):
        BundleReader(tmp_path / "b").read("y")


def test_a_failed_write_leaves_the_old_files(tmp_path: Path) -> None:
    prefix = str(tmp_path / "b")
    write_bundle(prefix, [("x", np.zeros(1))])
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def failing() -> Any:
        yield "x", np.ones(1)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_bundle(prefix, failing())
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("size", [-1, -2, -(2**63), 2**40, 2**62])
def test_damaged_shapes_with_valid_checksums(tmp_path: Path, size: int) -> None:
    prefix = str(tmp_path / "b")
    write_bundle(prefix, [("x", np.arange(4.0))])
    index = Path(index_name(prefix))
    table = dict(read_table(index.read_bytes(), "index"))
    entry = protos.BundleEntryProto.FromString(table[b"x"])
    entry.shape.dim.add(size=size)
    index.write_bytes(write_table(sorted({**table, b"x": entry.SerializeToString()}.items())))
    with pytest.raises(tf.errors.DataLossError, match="the tensor 'x'"):
        BundleReader(prefix).read("x")
