"""Datasets of the records of files."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements, plain

LINES = [b"the cow", b"", b"jumped over", b"the moon"]


def written(folder: Path, kind: str, data: bytes, name: str = "file") -> str:
    path = folder / name
    compress: Any = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[kind]
    path.write_bytes(compress(data))
    return str(path)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines(kind: str, end: bytes, tmp_path: Path) -> None:
    first = written(tmp_path, kind, end.join(LINES), "a")
    second = written(tmp_path, kind, end.join(LINES) + end, "b")
    dataset = tf.data.TextLineDataset([first, second], compression_type=kind)
    assert isinstance(dataset, Dataset)
    assert dataset.element_spec == tf.TensorSpec([], tf.string)
    assert elements(dataset) == LINES + LINES
    assert elements(tf.data.TextLineDataset(first, kind).skip(2).batch(2)) == [LINES[2:]]
    both = tf.data.TextLineDataset(Dataset.from_tensor_slices([first, second]), kind)
    assert elements(both) == LINES + LINES
    parallel = tf.data.TextLineDataset([first, second], kind, num_parallel_reads=2)
    assert elements(parallel) == [line for line in LINES for _ in range(2)]


def test_records_of_one_length(tmp_path: Path) -> None:
    path = written(tmp_path, "", b"HEADER012345FOOTER")
    make = tf.data.FixedLengthRecordDataset
    assert elements(make(path, 2, 6, 6)) == [b"01", b"23", b"45"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple"):
        elements(make(path, 4, 6, 6))


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_tfrecords(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, kind) as writer:
        for line in LINES:
            writer.write(line)
    assert elements(tf.data.TFRecordDataset([path, path], kind)) == LINES + LINES


def test_a_place_in_files_can_be_saved(tmp_path: Path) -> None:
    path = written(tmp_path, "", b"\n".join(LINES))
    walk = tf.data.TextLineDataset([path, path]).as_numpy_iterator()
    for _ in range(5):
        next(walk)
    saved = walk.save()
    anew = tf.data.TextLineDataset([path, path]).as_numpy_iterator()
    anew.restore(saved)
    assert [plain(line) for line in anew] == LINES[1:]


def test_files_are_opened_when_they_are_read() -> None:
    dataset = tf.data.TextLineDataset("/nowhere/at/all")
    with pytest.raises(tf.errors.NotFoundError):
        elements(dataset)


def test_names_of_files(tmp_path: Path) -> None:
    names = [written(tmp_path, "", b"", name) for name in ("b.txt", "a.txt", "c.py")]
    found = elements(Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False))
    assert [name.decode() for name in found] == sorted(names[:2])
    every = Dataset.list_files([str(tmp_path / "*.txt"), str(tmp_path / "*.py")], seed=1)
    assert sorted(name.decode() for name in elements(every)) == sorted(names)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
        Dataset.list_files(str(tmp_path / "*.none"))
