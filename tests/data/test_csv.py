"""Datasets of CSV files; rows of plain `CsvDataset`s are those that TensorFlow read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

CSV = tf.data.experimental.CsvDataset
make = tf.data.experimental.make_csv_dataset
TEXT = 'a,b,c\n1,2.5,x\n2,,y\n30000000000,4,"q,z"\n'


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "table.csv").write_text(TEXT)
    return str(tmp_path / "table.csv")


def rows(dataset: Any) -> list[Any]:
    return [tuple(float(field) for field in row) for row in dataset.as_numpy_iterator()]


def plain(batch: Any) -> Any:
    features, labels = batch
    return {name: values.tolist() for name, values in features.items()}, labels.tolist()


def test_rows_have_the_dtypes_and_defaults_of_columns(path: str) -> None:
    dataset = CSV(path, [tf.int64, 0.5, tf.constant(["?"])], header=True)
    assert [spec.dtype for spec in dataset.element_spec] == [tf.int64, tf.float32, tf.string]
    assert list(dataset.as_numpy_iterator()) == [
        (1, 2.5, b"x"),
        (2, 0.5, b"y"),
        (30000000000, 4.0, b"q,z"),
    ]


def test_columns_are_selected_or_excluded(path: str) -> None:
    expected = [(2.5,), (9.0,), (4.0,)]
    assert rows(CSV([path], [9.0], header=True, select_cols=[1])) == expected
    assert rows(CSV([path], [9.0], header=True, exclude_cols=[0, 2])) == expected
    with pytest.raises(tf.errors.InvalidArgumentError, match="either `select_cols` or"):
        CSV(path, [9.0], select_cols=[1], exclude_cols=[0])


def test_a_missing_value_without_default_is_an_error(path: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(CSV(path, [tf.float32], header=True, select_cols=[1]))


def test_dtypes_are_inferred_and_labels_apart(path: str) -> None:
    dataset = make(path, 2, label_name="c", shuffle=False, num_epochs=1)
    features, label = dataset.element_spec
    assert {name: spec.dtype for name, spec in features.items()} == {
        "a": tf.int64,
        "b": tf.float32,
    }
    assert label.dtype == tf.string
    assert [plain(batch) for batch in dataset.as_numpy_iterator()] == [
        ({"a": [1, 2], "b": [2.5, 0.0]}, [b"x", b"y"]),
        ({"a": [30000000000], "b": [4.0]}, [b"q,z"]),
    ]


def test_rows_repeat_and_shuffle_by_default(path: str) -> None:
    dataset = make(path, 2, label_name="a", select_columns=["c", "a"], shuffle_seed=1)
    batches = [plain(batch) for batch in dataset.take(6).as_numpy_iterator()]
    assert all(len(labels) == 2 and list(features) == ["c"] for features, labels in batches)
    assert {label for _, labels in batches for label in labels} == {1, 2, 30000000000}


def test_files_are_matched_read_in_turn_and_decompressed(tmp_path: Path) -> None:
    for number in range(2):
        text = f"x;y\n{number};1.5\n{number + 2};2.5\n"
        (tmp_path / f"part{number}.csv").write_bytes(gzip.compress(text.encode()))
    options: dict[str, Any] = {"field_delim": ";", "compression_type": "GZIP", "num_epochs": 1}
    dataset = make(
        str(tmp_path / "*.csv"), 4, shuffle=False, num_parallel_reads=2, header=True, **options
    )
    (batch,) = dataset.as_numpy_iterator()
    assert batch["x"].tolist() == [0, 1, 2, 3] and batch["y"].tolist() == [1.5, 1.5, 2.5, 2.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label_name": "d"}, "`label_name` must be one of"),
        ({"select_columns": ["d"]}, "`select_columns` must be columns of"),
        ({"select_columns": [0, "a"]}, "must be unique"),
        ({"column_names": ["a", "a", "b"]}, "must be unique"),
        ({"header": False}, "`column_names` are required"),
    ],
)
def test_refused(arguments: dict[str, Any], message: str, path: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(path, 2, **arguments)


def test_no_file_matches(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No file matches"):
        make(str(tmp_path / "*.csv"), 2)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "header in the first line"),
        (b"a,b,c\n1,2\n", "3 fields or more in row 0"),
        (b"a,b\n\xff\xfe,1\n", "no CSV"),
        (b"a\xff,b\n1,2\n", "no CSV"),
    ],
)
def test_files_that_are_no_csv_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words) as failure:
        tf.data.experimental.make_csv_dataset(str(path), 2)
    assert "broken.csv" in str(failure.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'"a\nb",2\n3,"4"\n', [(b"a\nb", b"2"), (b"3", b"4")]),
        (b'"a\r\nb",2\r\n3,4', [(b"a\r\nb", b"2"), (b"3", b"4")]),
        (b"1,2\r3,4\r", [(b"1", b"2"), (b"3", b"4")]),
        (b'"a""b","c,d"\n', [(b'a"b', b"c,d")]),
        (b",\n", [(b"?", b"?")]),
        (b"", []),
    ],
)
def test_records_are_those_that_tensorflow_reads(content: bytes, expected: Any, tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    dataset = CSV(str(path), [["?"], ["?"]])
    assert list(dataset.as_numpy_iterator()) == expected
    assert [tuple(row) for batch in dataset.batch(3) for row in zip(*batch)] == expected


@pytest.mark.parametrize("wrong", [b'1,2"3', b'1,"2"3"', b"1", b"1,2,3", b"", b"x,2"])
def test_rows_after_a_wrong_one_are_read(wrong: bytes, tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"5,6\n" + wrong + b"\n7,8\n")
    dataset = CSV(str(path), [tf.int32, tf.int32])
    assert rows(dataset.ignore_errors()) == [(5, 6), (7, 8)]
    iterator = iter(dataset.batch(1))
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"rows\.csv, record 1, counted"):
        next(iterator)
    assert next(iterator)[0].numpy() == [7]


def test_rows_cross_the_pieces_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tapeflow._src.data.csv_records._PIECE", 3)
    path = tmp_path / "rows.csv"
    path.write_bytes(b'1,"a\r\nb"\r\n2,c\r\n3,"d""e"\r\n')
    expected = [(1, b"a\r\nb"), (2, b"c"), (3, b'd"e')]
    assert list(CSV(str(path), [0, ""]).as_numpy_iterator()) == expected


@pytest.mark.parametrize(
    ("field", "dtype"),
    [("1_0", tf.int32), ("1_0", tf.float32), ("3000000000", tf.int32), ("1e999999", tf.int64)],
)
def test_what_is_no_number_here_is_refused(field: str, dtype: Any):
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid"):
        tf.io.decode_csv([field, "1"], [tf.constant([], dtype)])


def test_columns_parsed_at_once_equal_those_parsed_one_by_one():
    lines = [f"{i},{i / 7:.6f},text {i},{'nan' if i % 5 else '0x1p3'}" for i in range(50)]
    defaults = [tf.constant([], kind) for kind in (tf.int32, tf.float32, tf.string, tf.float64)]
    together = tf.io.decode_csv(lines, defaults)
    alone = [tf.io.decode_csv(line, defaults) for line in lines]
    for column, values in zip(together, zip(*alone)):
        assert column.dtype == values[0].dtype
        assert repr(column.numpy().tolist()) == repr([value.numpy() for value in values]) or (
            column.numpy().tobytes() == tf.stack(values).numpy().tobytes()
        )


def test_columns_are_inferred_while_a_graph_is_built(path: str):
    with tf.Graph().as_default():
        dataset = make(path, 2, num_epochs=1, shuffle=False)
        element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        with tf.compat.v1.Session() as session:
            assert session.run(element)["c"].tolist() == [b"x", b"y"]
