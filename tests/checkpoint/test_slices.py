"""Tensors in parts: written and read as TensorFlow does, whatever the parts are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, delete_bundle, write_bundle
from tapeflow._src.checkpoint.slices import ALL, Extents, Part, Sliced, key_of, region

WHOLE = np.arange(6 * 5, dtype=np.float32).reshape(6, 5)


def sliced(whole: np.ndarray, *extents: Extents) -> Sliced:
    parts = [Part(each, lambda each=each: whole[region(each)]) for each in extents]
    return Sliced(whole.dtype, whole.shape, parts)


# Recorded from TensorFlow 2.21: keys in the index that `tf.raw_ops.SaveV2` writes.
KEYS = (
    ("v", ((0, 63), (0, ALL)), "00760001010280bf807f"),
    ("v", ((63, 137), (0, ALL)), "007600010102bfc089807f"),
    ("v", ((200, 100), (0, ALL)), "007600010102c0c8c064807f"),
)


@pytest.mark.parametrize(("name", "extents", "key"), KEYS)
def test_keys_are_those_of_tensorflow(name: str, extents: Extents, key: str) -> None:
    assert key_of(name, extents).hex() == key


@pytest.mark.parametrize(
    "extents",
    [
        (((0, 2), (0, ALL)), ((2, 4), (0, ALL))),
        (((0, ALL), (0, 1)), ((0, ALL), (1, 4))),
        tuple(((i, 3), (j, n)) for i in (0, 3) for j, n in ((0, 2), (2, 3))),
    ],
)
def test_reading_joins_the_parts(tmp_path: Path, extents: tuple[Extents, ...]) -> None:
    prefix = str(tmp_path / "bundle")
    plain = np.array([1, 2])
    write_bundle(prefix, [("plain", plain), ("v", sliced(WHOLE, *extents))])
    files = [f"bundle.data-{i:05}-of-{len(extents):05}" for i in range(len(extents))]
    assert sorted(os.listdir(tmp_path)) == [*files, "bundle.index"]
    reader = tf.train.load_checkpoint(prefix)
    assert reader.get_variable_to_shape_map() == {"plain": [2], "v": [6, 5]}
    np.testing.assert_array_equal(reader.get_tensor("v"), WHOLE)
    np.testing.assert_array_equal(reader.get_tensor("plain"), plain)
    delete_bundle(prefix)
    assert not os.listdir(tmp_path)


def test_parts_are_loaded_one_at_a_time(tmp_path: Path) -> None:
    loaded: list[str] = []

    def part(name: str, i: int) -> Part:
        def load() -> np.ndarray:
            loaded.append(f"{name}{i}")
            return WHOLE[3 * i : 3 * i + 3]

        return Part(((3 * i, 3), (0, ALL)), load)

    tensors = [(n, Sliced(WHOLE.dtype, WHOLE.shape, [part(n, 0), part(n, 1)])) for n in "ab"]
    write_bundle(str(tmp_path / "bundle"), tensors)
    assert loaded == ["a0", "b0", "a1", "b1"]


@pytest.mark.parametrize(
    "extents",
    [(((0, 2), (0, ALL)),), (((0, 2), (0, ALL)), ((2, 3), (0, ALL)))],
)
def test_missing_parts_are_noticed(tmp_path: Path, extents: tuple[Extents, ...]) -> None:
    write_bundle(str(tmp_path / "bundle"), [("v", sliced(WHOLE, *extents))])
    with pytest.raises(tf.errors.DataLossError, match="'v' of 30 elements"):
        BundleReader(str(tmp_path / "bundle")).read("v")
