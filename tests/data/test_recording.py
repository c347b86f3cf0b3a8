"""`snapshot` and `cache` with a file name: elements are made once and then read from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements


def counting(calls: list[int], count: int = 5) -> Any:
    """A dataset whose elements are noted when they are made."""

    def numbers() -> Any:
        for number in range(count):
            calls.append(number)
            yield number * 2

    return Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))


def snapshot(dataset: Any, folder: Path) -> Any:
    return dataset.snapshot(str(folder / "snapshot"))


def cache(dataset: Any, folder: Path) -> Any:
    return dataset.cache(str(folder / "cache"))


@pytest.mark.parametrize("recorded", [snapshot, cache])
def test_elements_are_made_once(recorded: Any, tmp_path: Path) -> None:
    calls: list[int] = []
    dataset = recorded(counting(calls), tmp_path)
    for _ in range(2):
        assert elements(dataset) == [0, 2, 4, 6, 8]
        assert elements(recorded(counting(calls), tmp_path)) == [0, 2, 4, 6, 8]
    assert len(calls) == 5


@pytest.mark.parametrize("recorded", [snapshot, cache])
def test_an_iteration_that_was_broken_off_leaves_nothing(recorded: Any, tmp_path: Path) -> None:
    calls: list[int] = []
    dataset = recorded(counting(calls), tmp_path)
    assert next(iter(dataset)).numpy() == 0
    assert elements(dataset) == [0, 2, 4, 6, 8]
    assert len(calls) == 6


@pytest.mark.parametrize("compression", [None, "AUTO", "GZIP", "SNAPPY"])
def test_snapshots_hold_elements_of_any_kind(compression: Any, tmp_path: Path) -> None:
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    parts = {"r": ragged, "s": ["a", "", "ccc"], "b": tf.cast([1, 2, 3], tf.bfloat16)}
    dataset = Dataset.from_tensor_slices(parts).snapshot(str(tmp_path), compression)
    first, second = ([tf.nest.map_structure(str, e) for e in dataset] for _ in range(2))
    assert first == second
    assert dataset.element_spec["r"] == tf.RaggedTensorSpec([None], tf.int32, 0)


def test_other_datasets_do_not_share_a_snapshot(tmp_path: Path) -> None:
    assert elements(snapshot(Dataset.range(3), tmp_path)) == [0, 1, 2]
    assert elements(snapshot(Dataset.range(4), tmp_path)) == [0, 1, 2, 3]


def test_shard_and_reader_functions_decide_the_order(tmp_path: Path) -> None:
    dataset = Dataset.range(6).snapshot(
        str(tmp_path),
        reader_func=lambda shards: shards.flat_map(lambda shard: shard),
        shard_func=lambda x: x % 2,
    )
    assert elements(dataset) == [0, 1, 2, 3, 4, 5]
    assert elements(dataset) == [0, 2, 4, 1, 3, 5]


def test_a_damaged_index_is_an_error(tmp_path: Path) -> None:
    elements(cache(Dataset.range(3), tmp_path))
    (tmp_path / "cache.index").write_text("[]")
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        elements(cache(Dataset.range(3), tmp_path))


def test_wrong_arguments_of_snapshot_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="compression"):
        Dataset.range(3).snapshot(str(tmp_path), "LZ4")
    with pytest.raises(TypeError, match="shard_func"):
        Dataset.range(3).snapshot(str(tmp_path), shard_func=lambda x: tf.cast(x, tf.float32))
    with pytest.raises(TypeError, match="reader_func"):
        Dataset.range(3).snapshot(str(tmp_path), reader_func=lambda shards: 3)


def test_equal_datasets_have_equal_fingerprints() -> None:
    def made(count: int, factor: int) -> int:
        return int(Dataset.range(count).map(lambda x: x * factor).batch(2).fingerprint())

    assert made(5, 2) == made(5, 2)
    assert len({made(5, 2), made(6, 2), made(5, 3)}) == 3
