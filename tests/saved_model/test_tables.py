"""Tables in SavedModels: made, filled and restored where they are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tapeflow as tf

WORDS = tf.TensorSpec([None], tf.string)


def test_tables_are_made_anew(tmp_path: Path) -> None:
    made = tf.Module()
    made.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made.table.insert(["a"], tf.constant([1], tf.int64))
    made.find = tf.function(lambda x: made.table.lookup(x), input_signature=[WORDS])
    tf.saved_model.save(made, tmp_path)
    first, second = tf.saved_model.load(tmp_path), tf.saved_model.load(tmp_path)
    made.table.insert(["b"], tf.constant([2], tf.int64))
    words = tf.constant(["a", "b"])
    assert first.find(words).numpy().tolist() == [1, -1]
    assert first.table.resource_handle is not second.table.resource_handle
    assert made.find(words).numpy().tolist() == [1, 2]


def test_loaded_tables_in_checkpoints(tmp_path: Path) -> None:
    made = tf.Module()
    made.table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64), tf.TensorSpec([2], tf.float32)])
    def insert(key: Any, value: Any) -> Any:
        made.table.insert(key, value)
        return made.table.lookup(tf.constant([1, 2], tf.int64))

    made.insert = insert
    tf.saved_model.save(made, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    one, two = tf.constant(1, tf.int64), tf.constant(2, tf.int64)
    loaded.insert(one, [1.0, 1.0])
    path = tf.train.Checkpoint(loaded).save(tmp_path / "ckpt")
    loaded.insert(one, [5.0, 5.0])
    tf.train.Checkpoint(loaded).restore(path).expect_partial()
    assert loaded.insert(two, [2.0, 2.0]).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    assert again.insert(two, [3.0, 3.0]).numpy().tolist() == [[1.0, 1.0], [3.0, 3.0]]


def test_two_tables_of_one_file(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("a\nb\n")
    made = tf.Module()
    index = tf.lookup.TextFileIndex
    for name in ("first", "second"):
        lines = tf.lookup.TextFileInitializer(
            str(file), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        setattr(made, name, tf.lookup.StaticHashTable(lines, -1))
    made.find = tf.function(
        lambda x: made.first.lookup(x) + made.second.lookup(x), input_signature=[WORDS]
    )
    tf.saved_model.save(made, tmp_path / "model")
    file.unlink()
    assert [f.name for f in (tmp_path / "model" / "assets").iterdir()] == ["words.txt"]
    loaded = tf.saved_model.load(tmp_path / "model")
    assert loaded.find(tf.constant(["b", "c"])).numpy().tolist() == [2, -2]
    assert loaded.signatures["serving_default"](x=tf.constant(["b"]))["output_0"].numpy() == [2]
