"""Functions of `map` that run once for a whole batch return what they return for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.data import functions

ROWS = np.random.default_rng(0).normal(size=(23, 4, 6)).astype(np.float32)
LABELS = np.arange(23) % 5
SCALE = tf.constant([0.5, 1.0, 2.0, -1.0, 3.0, 0.1])

VECTORIZED: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda x, y: (x * 2.0 - 1.0, y),
    "captured tensor": lambda x, y: (x * SCALE, y + 1),
    "broadcast within the element": lambda x, y: (x * x[0] + x[:, :1], y),
    "pictures": lambda x, y: (
        tf.reshape(tf.cast(x, tf.float64) / 255, [4, 6, 1]),
        tf.one_hot(y, 5),
    ),
    "transposed": lambda x, y: (tf.transpose(x), tf.expand_dims(y, 0)),
    "functions": lambda x, y: (tf.nn.relu(tf.sin(x)) ** 2, tf.cast(y, tf.float32)),
    "chosen": lambda x, y: (tf.where(x > 0, x, 0.5), tf.maximum(y, 2)),
    "clipped": lambda x, y: (tf.clip_by_value(x, -0.5, 0.5), y % 3),
    "constant": lambda x, y: (tf.ones([2]), y),
    "padded": lambda x, y: (tf.pad(x, [[1, 0], [0, 2]]), tf.stack([y, y])),
    "largest": lambda x, y: (tf.reduce_max(x, axis=0), tf.reduce_min(x)),
    "dictionary": lambda x, y: {"x": x + 1.0, "label": y},
}
ONE_BY_ONE: dict[str, Callable[..., Any]] = {
    "sums round in another order": lambda x, y: (tf.reduce_sum(x), y),
    "products of matrices": lambda x, y: (tf.matmul(x, x, transpose_b=True), y),
    "random numbers": lambda x, y: (x + tf.random.normal([6], seed=3), y),
    "branches": lambda x, y: (tf.cond(y > 2, lambda: x, lambda: -x), y),
}


def source() -> Any:
    return tf.data.Dataset.from_tensor_slices((ROWS, LABELS))


def arrays(dataset: Any) -> list[list[np.ndarray]]:
    return [[np.asarray(t) for t in tf.nest.flatten(element)] for element in dataset]


def assert_same_bits(a: list[list[np.ndarray]], b: list[list[np.ndarray]]) -> None:
    assert len(a) == len(b)
    for ours, expected in zip(a, b, strict=True):
        for x, y in zip(ours, expected, strict=True):
            assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())


def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that functions run for."""
    sizes: list[int] = []
    on_rows = functions.Call.on_rows

    def counted(self: functions.Call, rows: Any) -> Any:
        sizes.append(rows[0].shape[0])
        return on_rows(self, rows)

    monkeypatch.setattr(functions.Call, "on_rows", counted)
    return sizes


@pytest.mark.parametrize("parallel", [None, 2])
@pytest.mark.parametrize("name", VECTORIZED)
def test_batches_hold_what_elements_are(
    name: str, parallel: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped = source().map(VECTORIZED[name], num_parallel_calls=parallel)
    expected = [
        [np.stack(column) for column in zip(*batch, strict=True)]
        for batch in (arrays(mapped)[i : i + 5] for i in range(0, 23, 5))
    ]
    sizes = calls(monkeypatch)
    assert_same_bits(arrays(mapped.batch(5)), expected)
    assert sizes == [5, 5, 5, 5, 3]


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_other_functions_run_for_each_element(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = calls(monkeypatch)
    assert len(list(source().map(ONE_BY_ONE[name]).batch(5))) == 5
    assert sizes == []


def test_random_numbers_differ_among_elements_of_a_batch() -> None:
    dataset = tf.data.Dataset.range(8).map(lambda x: tf.random.uniform([])).batch(8)
    (numbers,) = arrays(dataset)[0]
    assert len(set(numbers.tolist())) == 8


def test_shapes_that_differ_are_not_vectorized() -> None:
    dataset = tf.data.Dataset.from_generator(
        lambda: iter([[1], [2, 3]]), output_signature=tf.TensorSpec([None], tf.int32)
    )
    assert [r.tolist() for (r,) in arrays(dataset.map(lambda x: x * 2))] == [[2], [4, 6]]


def test_an_error_comes_at_its_own_element_and_the_next_batch_follows_it() -> None:
    dataset = tf.data.Dataset.range(10).map(lambda x: 12 // (x - 4)).batch(3)
    iterator = iter(dataset)
    assert next(iterator).numpy().tolist() == [-3, -4, -6]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert next(iterator).numpy().tolist() == [12, 6, 4]
    assert next(iterator).numpy().tolist() == [3, 2]


def test_state_after_an_error_keeps_the_elements_behind_it(tmp_path: Any) -> None:
    dataset = tf.data.Dataset.range(10).map(lambda x: 12 // (x - 4)).batch(3)
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "state"))
    other = iter(dataset)
    tf.train.Checkpoint(iterator=other).read(path).assert_consumed()
    assert next(other).numpy().tolist() == [12, 6, 4]


def test_examples_of_records_are_parsed_in_batches(tmp_path: Any) -> None:
    def example(i: int) -> bytes:
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i / 2])),
            "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % i])),
        }
        if i % 2:
            feature["y"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    path = str(tmp_path / "x.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(7):
            writer.write(example(i))
    features = {
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "y": tf.io.FixedLenFeature([], tf.int64, default_value=-1),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    dataset = tf.data.TFRecordDataset([path, path]).map(
        lambda record: tf.io.parse_single_example(record, features)
    )
    expected = [
        [np.stack(c) for c in zip(*arrays(dataset)[i : i + 5], strict=True)] for i in (0, 5, 10)
    ]
    batches = arrays(dataset.batch(5))
    assert [[a.tolist() for a in b] for b in batches] == [[a.tolist() for a in b] for b in expected]


def test_lines_of_two_files_fill_one_batch(tmp_path: Any) -> None:
    for name, lines in (("a", "1,x\n2,y\n"), ("b", "3,z\n")):
        (tmp_path / name).write_text(lines)
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    lines = tf.data.TextLineDataset(paths)
    assert arrays(lines.batch(4))[0][0].tolist() == [b"1,x", b"2,y", b"3,z"]
    table = tf.data.experimental.CsvDataset(paths, [tf.int32, tf.string])
    (numbers, words), (rest, _) = arrays(table.batch(2))
    assert (numbers.tolist(), words.tolist(), rest.tolist()) == ([1, 2], [b"x", b"y"], [3])


def test_a_batch_of_all_elements_beside_an_endless_dataset() -> None:
    dataset = source().enumerate().map(lambda index, element: index).batch(2**63 - 1)
    assert arrays(dataset)[0][0].tolist() == list(range(23))


def test_datasets_of_different_shapes_cannot_share_a_batch() -> None:
    dataset = tf.data.Dataset.range(1, 3).flat_map(
        lambda n: tf.data.Dataset.from_tensors(tf.zeros([n]))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        list(dataset.batch(2))
