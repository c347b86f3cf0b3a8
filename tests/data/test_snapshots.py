"""`save` and `load`: what is loaded is what was saved, in TensorFlow's own format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.core import protos
from tapeflow._src.data.snapshot_tensors import from_record, to_record
from tests.data.helpers import Dataset, elements, pipelines

# What TensorFlow 2.21 writes for tensors, with the arrays that they are here.
STRING = b'\x08\x07\x12\x00"\x02\x010'
EMPTY = b"\x08\x01\x12\x02\x12\x00"
RAGGED = (
    b'\x08\x15\x12\x00"43\n\x13RaggedTensorVariant\x1a\r\x08\t\x12\x04\x12\x02\x08\x03R\x03\x00'
    b"\x01\x03\x1a\r\x08\x03\x12\x04\x12\x02\x08\x03:\x03\x01\x02\x03"
)
SPARSE = (
    b'\x08\x15\x12\x04\x12\x02\x08\x03"j%!!\n\x12tensorflow::Tensor\x1a\x0f\x08\t\x12\x08\x12\x02'
    b"\x08\x01\x12\x02\x08\x01R\x01\x01\n\x12tensorflow::Tensor\x1a\x0b\x08\x03\x12\x04\x12\x02"
    b"\x08\x01:\x01\x01\n\x12tensorflow::Tensor\x1a\x0b\x08\t\x12\x04\x12\x02\x08\x01R\x01\x03"
)


def test_records_of_tensorflow_are_read() -> None:
    assert from_record(STRING, tf.TensorSpec([], tf.string)).item() == b"0"
    assert from_record(EMPTY, tf.TensorSpec([None])).shape == (0,)
    ragged = from_record(RAGGED, tf.RaggedTensorSpec([2, None], tf.int32))
    assert isinstance(ragged, RaggedValue)
    assert ragged.splits[0].tolist() == [0, 1, 3] and ragged.values.tolist() == [1, 2, 3]
    spec = tf.SparseTensorSpec([3], tf.int32)
    sparse = from_record(SPARSE, spec)
    assert [
        tf.io.parse_tensor(part, dtype).numpy().tolist()
        for part, dtype in zip(sparse, (tf.int64, tf.int32, tf.int64))
    ] == [[[1]], [1], [3]]
    again = from_record(to_record(sparse, spec), spec)
    assert again.tolist() == sparse.tolist()


def test_a_damaged_record_is_refused() -> None:
    for damaged in (STRING[:-2] + b"\x050", STRING[:-2] + b"\xff\xff"):
        with pytest.raises(tf.errors.DataLossError):
            from_record(damaged, tf.TensorSpec([], tf.string))


@pytest.mark.parametrize("name", sorted(pipelines()))
def test_what_is_loaded_is_what_was_saved(name: str, tmp_path: Path) -> None:
    dataset = pipelines()[name].take(30)
    saved = list(dataset)
    Dataset.from_generator(lambda: iter(saved), output_signature=dataset.element_spec).save(
        tmp_path / "a"
    )
    loaded = Dataset.load(tmp_path / "a")
    assert loaded.element_spec == dataset.element_spec
    assert len(loaded) == len(saved)
    for actual, expected in zip(loaded, saved, strict=True):
        tf.nest.map_structure(_assert_equal, actual, expected, expand_composites=True)


def _assert_equal(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(actual, expected)


def test_ragged_and_sparse_elements(tmp_path: Path) -> None:
    def parts(x: Any) -> dict[str, Any]:
        return {
            "ragged": tf.RaggedTensor.from_row_lengths(tf.range(x), [x - 1, 1]),
            "sparse": tf.sparse.from_dense(tf.one_hot(x, 4)),
        }

    Dataset.range(1, 4).map(parts).save(tmp_path / "a")
    loaded = list(Dataset.load(str(tmp_path / "a")))
    assert [e["ragged"].to_list() for e in loaded] == [[[], [0]], [[0], [1]], [[0, 1], [2]]]
    assert [e["sparse"].indices.numpy().item() for e in loaded] == [1, 2, 3]
    assert loaded[0]["sparse"].shape == [4]


def test_compression_and_shards(tmp_path: Path) -> None:
    modulus = tf.Variable(3, dtype=tf.int64)
    Dataset.range(10).save(tmp_path / "a", "GZIP", shard_func=lambda x: x % modulus)
    assert len(list(tmp_path.glob("a/*/*.shard/*.snapshot"))) == 3
    loaded = Dataset.load(tmp_path / "a", compression="GZIP")
    assert sorted(elements(loaded)) == list(range(10))
    in_turn = Dataset.load(
        tmp_path / "a", compression="GZIP", reader_func=lambda shards: shards.flat_map(lambda s: s)
    )
    assert elements(in_turn) == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    with pytest.raises(tf.errors.DataLossError):
        elements(Dataset.load(tmp_path / "a"))


def test_a_saved_dataset_is_replaced(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    before = Dataset.load(tmp_path)
    Dataset.from_tensor_slices(["x", "y"]).save(tmp_path)
    assert elements(Dataset.load(tmp_path)) == [b"x", b"y"]
    assert elements(before) == [0, 1, 2]


def test_a_failed_save_leaves_what_was_saved(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    failing = Dataset.range(3).map(
        lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, "float32"), "x")
    )
    files = sorted(tmp_path.rglob("*"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        failing.save(tmp_path)
    assert sorted(tmp_path.rglob("*")) == files
    assert elements(Dataset.load(tmp_path)) == [0, 1, 2]


def test_shards_are_durable_before_the_metadata_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    sync, rename = os.fsync, os.replace

    def record(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        sync(descriptor)

    def check(source: str, target: str) -> None:
        unsynced = [path for path in tmp_path.rglob("*") if path.stat().st_ino not in synced]
        assert not unsynced, f"renamed before these were synced: {unsynced}"
        rename(source, target)

    monkeypatch.setattr(os, "fsync", record)
    monkeypatch.setattr(os, "replace", check)
    Dataset.range(4).save(tmp_path, shard_func=lambda x: x % 2)
    assert sorted(elements(Dataset.load(tmp_path))) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "1\0", "../1"])
def test_metadata_with_a_path_for_a_run_is_refused(name: str, tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    metadata = tmp_path / "snapshot.metadata"
    record = protos.SnapshotMetadataRecord.FromString(metadata.read_bytes())
    record.run_id = name
    metadata.write_bytes(record.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match="number of a run"):
        Dataset.load(tmp_path)


def test_a_place_in_a_loaded_dataset_can_be_saved(tmp_path: Path) -> None:
    Dataset.range(6).save(tmp_path / "data", shard_func=lambda x: tf.cast(x == 1, tf.int64))
    iterator = iter(Dataset.load(tmp_path / "data"))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    for _ in range(2):
        next(iterator)
    path = checkpoint.save(str(tmp_path / "checkpoint"))
    assert [int(x) for x in iterator] == [2, 3, 4, 5]
    checkpoint.restore(path)
    assert [int(x) for x in iterator] == [2, 3, 4, 5]


def test_a_loaded_dataset_in_a_function(tmp_path: Path) -> None:
    Dataset.range(4).save(tmp_path)

    @tf.function
    def total() -> Any:
        return Dataset.load(tmp_path).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    assert total().numpy() == 6


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    dataset = Dataset.range(3)
    with pytest.raises(ValueError, match="GZIP"):
        dataset.save(tmp_path, compression="LZ")
    with pytest.raises(NotImplementedError, match="checkpoint_args"):
        dataset.save(tmp_path, checkpoint_args={"directory": "x"})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.int64"):
        dataset.save(tmp_path, shard_func=lambda x: tf.cast(x, tf.float32))
    with pytest.raises(tf.errors.NotFoundError, match=r"dataset_spec\.pb"):
        Dataset.load(tmp_path / "missing")
    dataset.save(tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int64"):
        Dataset.load(tmp_path, element_spec=tf.TensorSpec([], tf.float32))


def test_former_names(tmp_path: Path) -> None:
    tf.data.experimental.save(Dataset.range(2), str(tmp_path))
    assert elements(tf.data.experimental.load(str(tmp_path))) == [0, 1]


@pytest.mark.parametrize(
    ("saved", "spec"),
    [
        (tf.TensorSpec([2], tf.int64), tf.TensorSpec([3], tf.int64)),
        (tf.RaggedTensorSpec([2, None], tf.int32), tf.RaggedTensorSpec([3, None], tf.int32)),
        (tf.RaggedTensorSpec([None, None], tf.int32), tf.RaggedTensorSpec([None] * 3, tf.int32)),
        (tf.RaggedTensorSpec([2, None], tf.int32), tf.RaggedTensorSpec([2, None], tf.float32)),
        (tf.SparseTensorSpec([4], tf.float32), tf.SparseTensorSpec([4, 1], tf.float32)),
        (tf.SparseTensorSpec([4], tf.float32), tf.SparseTensorSpec([4], tf.int32)),
    ],
)
def test_elements_of_another_spec_are_refused(saved: Any, spec: Any, tmp_path: Path) -> None:
    values = {
        tf.TensorSpec: tf.constant([1, 2], tf.int64),
        tf.RaggedTensorSpec: tf.ragged.constant([[1], [2, 3]]),
        tf.SparseTensorSpec: tf.sparse.from_dense([0.0, 1.0, 0.0, 2.0]),
    }
    value = values[type(saved)]
    Dataset.from_generator(lambda: iter([value]), output_signature=saved).save(tmp_path)
    assert len(list(Dataset.load(tmp_path))) == 1
    with pytest.raises(tf.errors.DataLossError, match="expected"):
        list(Dataset.load(tmp_path, element_spec=spec))
