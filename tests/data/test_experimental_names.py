"""Names of `tf.data.experimental` that read, write or group elements."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements

experimental = tf.data.experimental


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "people.db")
    with sqlite3.connect(path) as connection:
        connection.execute("create table people(number integer, name text, height real)")
        connection.execute("insert into people values (1, 'Ada', 1.5), (2, null, null)")
    connection.close()
    return path


def test_rows_of_a_query(database: str) -> None:
    query = "select name, number, height from people order by number"
    rows = experimental.SqlDataset("sqlite", database, query, (tf.string, tf.int64, tf.float64))
    assert elements(rows) == [(b"Ada", 1, 1.5), (b"", 2, 0.0)]
    walk = rows.as_numpy_iterator()
    next(walk)
    other = rows.as_numpy_iterator()
    other.restore(walk.save())
    assert next(other)[1] == 2


def test_wrong_queries_are_errors(database: str) -> None:
    def read(query: str, types: Any, driver: str = "sqlite") -> Any:
        return elements(experimental.SqlDataset(driver, database, query, types))

    with pytest.raises(tf.errors.UnknownError, match="no such table"):
        read("select * from animals", (tf.int64,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="columns"):
        read("select number, name from people", (tf.int64,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="driver_name"):
        read("select number from people", (tf.int64,), "postgres")


def test_a_reducer_makes_one_element_of_each_key() -> None:
    reducer = experimental.Reducer(
        lambda key: (key, tf.zeros([], tf.int64)),
        lambda state, x: (state[0], state[1] + x),
        lambda key, total: total * 10 + key,
    )
    dataset = Dataset.range(7).apply(experimental.group_by_reducer(lambda x: x % 3, reducer))
    assert elements(dataset) == [90, 51, 72]


def test_records_are_written_and_read(tmp_path: Path) -> None:
    name = str(tmp_path / "records")
    experimental.TFRecordWriter(name, "GZIP").write(Dataset.from_tensor_slices(["a", "bc"]))
    assert elements(tf.data.TFRecordDataset(name, "GZIP")) == [b"a", b"bc"]
    with pytest.raises(TypeError, match="dtype"):
        experimental.TFRecordWriter(name).write(Dataset.range(3))


def test_an_element_by_its_index() -> None:
    squares = Dataset.range(6).map(lambda x: x * x)
    assert [int(experimental.at(squares, i)) for i in (0, 5)] == [0, 25]
    for index in (6, -1):
        with pytest.raises(tf.errors.OutOfRangeError):
            experimental.at(squares, index)


def test_datasets_are_padded_with_marked_zeros() -> None:
    dataset = Dataset.from_tensor_slices({"a": [1, 2]})
    padded = dataset.apply(experimental.pad_to_cardinality(3))
    assert elements(padded) == [
        {"a": 1, "valid": True},
        {"a": 2, "valid": True},
        {"a": 0, "valid": False},
    ]
    with pytest.raises(ValueError, match="at most 1"):
        dataset.apply(experimental.pad_to_cardinality(1))


def test_batches_of_parsed_examples(tmp_path: Path) -> None:
    name = str(tmp_path / "examples")
    with tf.io.TFRecordWriter(name) as writer:
        for number in range(5):
            ints = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
            features = tf.train.Features(feature={"x": ints, "y": ints})
            writer.write(tf.train.Example(features=features).SerializeToString())
    parse = {key: tf.io.FixedLenFeature([], tf.int64) for key in "xy"}
    dataset = experimental.make_batched_features_dataset(
        name, 2, parse, label_key="y", num_epochs=1, shuffle=False
    )
    assert [(f["x"].tolist(), y.tolist()) for f, y in dataset.as_numpy_iterator()] == [
        ([0, 1], [0, 1]),
        ([2, 3], [2, 3]),
        ([4], [4]),
    ]
    with pytest.raises(ValueError, match="label_key"):
        experimental.make_batched_features_dataset(name, 2, parse, label_key="z")


def test_options_are_attributes_of_their_classes() -> None:
    assert hasattr(tf.data.Options, "autotune")
    options = tf.data.Options()
    options.experimental_deterministic = False
    assert options.deterministic is False
    options.experimental_threading.private_threadpool_size = 3
    assert options.threading.private_threadpool_size == 3
    with pytest.raises(AttributeError, match="Cannot set"):
        options.speed = 3
    with pytest.raises(TypeError, match="must be of type bool"):
        options.deterministic = 3
