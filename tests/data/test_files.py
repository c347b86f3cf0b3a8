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
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a multiple of 4"):
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


# -- damaged files ------------------------------------------------------------------------------

BODY = b"".join(b"line %d\n" % i for i in range(2000))


def _flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 0xFF
    return bytes(changed)


_DAMAGE: dict[str, Any] = {
    "cut in the middle": lambda data: data[: len(data) // 2],
    "last byte missing": lambda data: data[:-1],
    "only the start": lambda data: data[:1],
    "flipped byte": lambda data: _flipped(data, len(data) // 2),
    "flipped start": lambda data: _flipped(data, 0),
    "wrong checksum": lambda data: _flipped(data, -1),
    "not compressed": lambda data: BODY,
}


@pytest.mark.parametrize("damage", _DAMAGE)
@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_damaged_compressed_files_raise_data_loss(kind: str, damage: str, tmp_path: Path) -> None:
    whole = Path(written(tmp_path, kind, BODY)).read_bytes()
    path = tmp_path / "damaged"
    path.write_bytes(_DAMAGE[damage](whole))
    datasets = [
        tf.data.TextLineDataset(str(path), kind),
        tf.data.FixedLengthRecordDataset(str(path), 10, compression_type=kind),
    ]
    for dataset in datasets:
        with pytest.raises(tf.errors.DataLossError, match=rf"damaged.*{kind}.*compression_type"):
            elements(dataset)


def test_data_after_compressed_data(tmp_path: Path) -> None:
    gzipped = Path(written(tmp_path, "GZIP", b"a\n")).read_bytes()
    zipped = Path(written(tmp_path, "ZLIB", b"a\n")).read_bytes()
    path = tmp_path / "more"
    path.write_bytes(gzipped + gzipped)
    assert elements(tf.data.TextLineDataset(str(path), "GZIP")) == [b"a", b"a"]
    path.write_bytes(zipped + b"ignored")
    assert elements(tf.data.TextLineDataset(str(path), "ZLIB")) == [b"a"]
    path.write_bytes(gzipped + b"refused")
    with pytest.raises(tf.errors.DataLossError):
        elements(tf.data.TextLineDataset(str(path), "GZIP"))


def test_all_compressions_split_lines_alike(tmp_path: Path) -> None:
    for kind in ("", "GZIP", "ZLIB"):
        path = written(tmp_path, kind, b"a\rb\r\nc\n\nd\x0be")
        assert elements(tf.data.TextLineDataset(path, kind)) == [b"ab", b"c", b"", b"d\x0be"]


def test_files_that_are_no_whole_number_of_records(tmp_path: Path) -> None:
    make = tf.data.FixedLengthRecordDataset
    plain_path = written(tmp_path, "", b"x" * 25)
    packed = written(tmp_path, "GZIP", b"x" * 25, "packed")
    for sizes in ((10, 0, 0), (10, 30, 0), (10, 0, 30)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="25 bytes"):
            elements(make(plain_path, *sizes))
    assert elements(make(packed, 10, 2, 3, compression_type="GZIP")) == [b"x" * 10] * 2
    walk = iter(make(packed, 10, compression_type="GZIP"))
    assert [next(walk).numpy() for _ in range(2)] == [b"x" * 10] * 2
    with pytest.raises(tf.errors.DataLossError, match="offset 20"):
        next(walk)
    with pytest.raises(tf.errors.InternalError, match="30 bytes of header"):
        elements(make(packed, 10, 30, compression_type="GZIP"))


@pytest.mark.parametrize("sizes", [(0,), (-1,), (3, -1), (3, 0, -1), (3, 0, 0, -1)])
def test_sizes_below_the_least_are_refused(sizes: tuple[int, ...], tmp_path: Path) -> None:
    path = written(tmp_path, "", b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"received {min(sizes)}"):
        elements(tf.data.FixedLengthRecordDataset(path, *sizes))
