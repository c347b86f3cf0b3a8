"""Mutated files of saved datasets and of CSV: nothing but errors of the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import protos
from tests.fuzzing import as_gzip, as_record, check
from tests.fuzzing_protos import message_mutation, watched

Dataset = tf.data.Dataset
SIZES = [pytest.param(60, id="sample"), pytest.param(4000, id="large", marks=pytest.mark.slow)]
LIMITS: dict[str, Any] = {"memory": 1 << 28, "seconds": 20.0}


def element(x: Any) -> dict[str, Any]:
    return {
        "number": x,
        "text": tf.strings.as_string(x),
        "ragged": tf.RaggedTensor.from_row_lengths(tf.range(x), [x - 1, 1]),
        "sparse": tf.sparse.from_dense(tf.one_hot(x, 4)),
        "pair": (tf.zeros([2, 3]), tf.cast(x, tf.bfloat16)),
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Dataset.range(1, 4).map(element).save(str(tmp_path / "data"))
    return tmp_path / "data"


def loading(folder: Path, path: Path, compression: str | None = None) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        path.write_bytes(data)
        with watched(str(folder)):
            loaded = Dataset.load(str(folder), compression=compression)
            loaded.cardinality()
            for _ in loaded.take(5):
                pass

    return target


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("dataset_spec.pb", protos.StructuredValue),
        ("snapshot.metadata", protos.SnapshotMetadataRecord),
    ],
)
def test_descriptions(name: str, kind: Any, count: int, folder: Path) -> None:
    path = folder / name
    # The spec of an extension type whose class is not defined is refused with the reason.
    check(loading(folder, path), [path.read_bytes()], count, seed=31, **LIMITS,
          allowed=(NotImplementedError,), extra=[message_mutation(kind)])  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_shards(count: int, folder: Path) -> None:
    (path,) = folder.glob("*/*.shard/*.snapshot")
    check(loading(folder, path), [path.read_bytes()], count, seed=32, **LIMITS,
          wrap=as_record)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_compressed_shards(count: int, tmp_path: Path) -> None:
    Dataset.range(5).save(str(tmp_path / "data"), compression="GZIP")
    (path,) = tmp_path.glob("data/*/*.shard/*.snapshot")
    wrap = lambda data: as_gzip(as_record(data))  # noqa: E731
    check(loading(tmp_path / "data", path, "GZIP"), [path.read_bytes()], count, seed=33,
          **LIMITS, wrap=wrap)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_elements_with_valid_checksums(count: int, tmp_path: Path) -> None:
    """One record of an element is replaced: the rest of it stays as it was."""
    folder = tmp_path / "data"
    Dataset.range(2, 3).map(element).save(str(folder))
    (path,) = folder.glob("*/*.shard/*.snapshot")
    records = list(tf.data.TFRecordDataset(str(path)).as_numpy_iterator())
    load = loading(folder, path)
    for place, record in enumerate(records):

        def target(data: bytes, place: int = place) -> None:
            changed = [*records[:place], data, *records[place + 1 :]]
            load(b"".join(map(as_record, changed)))

        check(target, [record], count // 6, seed=34 + place, **LIMITS,
              extra=[message_mutation(protos.TensorProto)])  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_csv(compression: str | None, count: int, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    sample = b'a,b,c\n1,2.5,"x, y"\n-3,,"""q"""\n4,1e3,z\n'

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with watched(str(path)):
            rows = tf.data.experimental.CsvDataset(
                str(path), [tf.int32, 0.0, ""], compression, header=True
            )
            list(rows.take(5))
            if compression is None:
                batches = tf.data.experimental.make_csv_dataset(
                    str(path), 2, num_epochs=1, shuffle=False
                )
                list(batches.take(3))

    check(target, [as_gzip(sample) if compression else sample], count, seed=51, **LIMITS,
          allowed=(ValueError,), wrap=as_gzip if compression else None)  # fmt: skip
