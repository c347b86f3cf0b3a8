"""`tapeflow inspect` says what files hold: each number is one that the file was written with."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.cli.inspect import describe
from tapeflow._src.cli.main import main


def rows(path: Path, title: str) -> list[dict[str, Any]]:
    return describe(str(path)).to_json()[title]


def model() -> Any:
    layers = [tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="head")]
    return tf.keras.Sequential(layers, name="small")


def test_saved_model(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(tf.ones([2, 3]))
    module.f = tf.function(
        lambda x: tf.nn.relu(x @ module.v), input_signature=[tf.TensorSpec([None, 2], name="x")]
    )
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    description = describe(str(tmp_path)).to_json()
    signature, initializer = {"signature": "serving_default"}, "__saved_model_init_op"
    assert [row for row in description["signatures"] if row["signature"] != initializer] == [
        signature | {"": "input", "tensor": "x", "dtype": "float32", "shape": [None, 2]},
        signature | {"": "output", "tensor": "output_0", "dtype": "float32", "shape": [None, 3]},
    ]
    variable = {"name": "v/.ATTRIBUTES/VARIABLE_VALUE", "dtype": "float32", "shape": [2, 3]}
    assert description["variables"] == [variable | {"size": 24}]
    assert {"Relu", "MatMul"} <= {row["op"] for row in description["ops"]}
    assert description["tags"] == [["serve"]]
    assert describe(str(tmp_path / "saved_model.pb")).to_json() == description


def test_saved_model_names_ops_that_are_not_supported(tmp_path: Path) -> None:
    tf.saved_model.save(tf.Module(), str(tmp_path))
    path = tmp_path / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"NoOp", b"ZzOp"))
    description = describe(str(tmp_path))
    notes = {row["op"]: row["note"] for row in rows(tmp_path, "ops")}
    assert notes.pop("ZzOp") == "not supported" and "not supported" not in notes.values()
    assert "ZzOp" in description.warnings[0]


def test_checkpoint_prefix_index_and_folder(tmp_path: Path) -> None:
    values = tf.Variable(tf.zeros([4], tf.float64))
    prefix = tf.train.Checkpoint(values=values).save(str(tmp_path / "ckpt"))
    for path in (prefix, f"{prefix}.index", str(tmp_path)):
        tensors = {row["name"]: row for row in rows(Path(path), "tensors")}
        row = tensors["values/.ATTRIBUTES/VARIABLE_VALUE"]
        assert (row["dtype"], row["shape"], row["size"]) == ("float64", [4], 32)


def test_keras_archive(tmp_path: Path) -> None:
    path = tmp_path / "m.keras"
    model().save(path)
    description = describe(str(path)).to_json()
    assert (description["class"], description["name"]) == ("Sequential", "small")
    assert ("head", "Dense") in {(row["layer"], row["class"]) for row in description["layers"]}
    assert [(row["shape"], row["size"]) for row in description["weights"]] == [
        ([3, 2], 24),
        ([2], 8),
    ]


@pytest.mark.parametrize("name", ["m.h5", "m.weights.h5"])
def test_hdf5(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made = model()
    if name == "m.h5":
        made.save(path)
    else:
        made.save_weights(path)
    description = describe(str(path)).to_json()
    assert sorted(row["size"] for row in description["weights"]) == [8, 24]
    assert ("class" in description) == (name == "m.h5")


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_records_of_examples(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "data.tfrecord"
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for length in (1, 3):
            feature = {"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7] * length))}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())
    description = describe(str(path)).to_json()
    assert (description["records"], description["compression"]) == (2, compression or "none")
    assert description["features"] == [
        {"feature": "x", "dtype": "int64", "values": "1 to 3", "of 2 records": 2}
    ]


def test_records_up_to_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "data.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"one")
        writer.write(b"two")
    path.write_bytes(path.read_bytes()[:-2])
    description = describe(str(path))
    assert description.facts["records"] == 1
    assert "damaged after record 1" in description.warnings[0]


def test_events(tmp_path: Path) -> None:
    made = model()
    made.compile("sgd", "mse")
    board = tf.keras.callbacks.TensorBoard(str(tmp_path))
    made.fit(np.ones((4, 3)), np.ones((4, 2)), epochs=2, verbose=0, callbacks=[board])
    (path,) = (tmp_path / "train").glob("*.tfevents.*")
    tags = {row["tag"]: row for row in rows(path, "tags")}
    assert tags["epoch_loss"]["steps"] == "0 to 1"


def test_command_prints_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.keras"
    model().save(path)
    assert main(["inspect", str(path)]) == 0
    text = capsys.readouterr().out
    assert "8 elements, 32 bytes" in text and "head" in text
    assert main(["inspect", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == describe(str(path)).to_json()


def test_unknown_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("something else entirely")
    assert main(["inspect", str(path)]) == 1
    assert "none of the kinds" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path / "absent")]) == 1
    assert "absent" in capsys.readouterr().err


def test_long_tables_are_cut_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = {f"v{i}": tf.Variable(float(i)) for i in range(60)}
    prefix = tf.train.Checkpoint(**variables).write(str(tmp_path / "many"))
    main(["inspect", prefix])
    assert "20 more" in capsys.readouterr().out
    main(["inspect", "--all", prefix])
    assert "v59" in capsys.readouterr().out


def test_a_compressed_file_that_is_no_record_file(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"no record at all, but text"))
    assert describe(str(path)).warnings
