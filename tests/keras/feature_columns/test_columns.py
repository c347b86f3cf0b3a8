"""Feature columns beyond what is recorded: files, shared embeddings, checkpoints, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FC = tf.feature_column
L = tf.keras.layers
FEATURES = {"age": np.array([3.0, 20.0]), "pet": np.array(["dog", "cat"]), "day": np.array([2, 0])}


def halved(values: Any) -> Any:
    """A function of the program that a config can name."""
    return values / 2


def columns() -> list[Any]:
    age = FC.numeric_column("age", normalizer_fn=halved)
    pet = FC.categorical_column_with_vocabulary_list("pet", np.array(["cat", "dog"]))
    decades = FC.bucketized_column(age, [5, 10])
    return [
        age,
        decades,
        FC.embedding_column(pet, 3),
        FC.embedding_column(
            FC.categorical_column_with_hash_bucket("day", 5, tf.int64),
            2,
            initializer=tf.keras.initializers.HeNormal(),
        ),
        FC.indicator_column(FC.crossed_column([decades, pet], 7)),
        FC.embedding_column(FC.crossed_column(["pet", decades], 4, hash_key=5), 2),
    ]


def test_configs_round_trip() -> None:
    layer = L.DenseFeatures(columns())
    outputs = layer(FEATURES)
    with tf.keras.utils.custom_object_scope({"halved": halved}):
        again = L.DenseFeatures.from_config(layer.get_config())
    again.build(None)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(FEATURES), outputs)
    assert again.get_config() == layer.get_config()


def test_models_are_saved_with_their_tables(tmp_path: Path) -> None:
    pet = FC.categorical_column_with_vocabulary_list("pet", ["cat", "dog"])
    inputs = {"pet": tf.keras.Input((1,), dtype="string")}
    features = L.DenseFeatures([FC.embedding_column(pet, 3)])(inputs)
    model = tf.keras.Model(inputs, L.Dense(1)(features))
    batch = {"pet": tf.constant([["dog"], ["newt"]])}
    expected = model(batch)
    model.save(tmp_path / "m.keras")
    np.testing.assert_allclose(tf.keras.models.load_model(tmp_path / "m.keras")(batch), expected)
    model.export(tmp_path / "exported", verbose=False)
    served = tf.saved_model.load(tmp_path / "exported").serve(batch)
    np.testing.assert_allclose(served, expected, rtol=1e-6)


def test_checkpoints_have_the_names_of_keras_2(tmp_path: Path) -> None:
    layer = L.DenseFeatures(FC.embedding_column(FC.categorical_column_with_identity("day", 4), 2))
    layer(FEATURES)
    prefix = tf.train.Checkpoint(layer=layer).write(tmp_path / "weights")
    names = [name for name, _ in tf.train.list_variables(prefix)]
    assert "layer/day_embedding.Sembedding_weights/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_embeddings_start_from_a_checkpoint(tmp_path: Path) -> None:
    vectors = np.arange(8.0, dtype="float32").reshape(4, 2)
    prefix = tf.train.Checkpoint(v=tf.Variable(vectors)).write(tmp_path / "vectors")
    day = FC.categorical_column_with_identity("day", 4)
    name = "v/.ATTRIBUTES/VARIABLE_VALUE"
    column = FC.embedding_column(day, 2, ckpt_to_load_from=prefix, tensor_name_in_ckpt=name)
    np.testing.assert_array_equal(L.DenseFeatures(column)(FEATURES), vectors[[2, 0]])


def test_shared_embeddings_are_one_variable_in_all_layers() -> None:
    ends = [FC.categorical_column_with_identity(key, 4) for key in ("start", "goal")]
    first, second = FC.shared_embeddings(ends, 3)
    both, alone = L.DenseFeatures([first, second]), L.DenseFeatures([second])
    features = {"start": np.array([1, 2]), "goal": np.array([2, 1])}
    goal, start = tf.split(both(features), 2, axis=1)
    np.testing.assert_array_equal(start, goal[::-1])
    np.testing.assert_array_equal(alone(features), goal)
    assert [id(weight) for weight in both.weights] == [id(weight) for weight in alone.weights]
    assert both.weights[0].name == "goal_start_shared_embedding"


def test_shared_embeddings_must_be_alike() -> None:
    day = FC.categorical_column_with_identity("day", 4)
    with pytest.raises(ValueError, match="same number"):
        FC.shared_embeddings([day, FC.categorical_column_with_identity("hour", 5)], 2)
    with pytest.raises(ValueError, match="one kind"):
        FC.shared_embeddings([day, FC.categorical_column_with_hash_bucket("hour", 4)], 2)


@pytest.mark.parametrize("records", [False, True])
def test_vocabularies_are_read_from_files(tmp_path: Path, records: bool) -> None:
    path = str(tmp_path / ("terms.tfrecord.gz" if records else "terms.txt"))
    if records:
        with tf.io.TFRecordWriter(path, "GZIP") as writer:
            for term in (b"cat", b"dog"):
                writer.write(term)
    else:
        Path(path).write_text("cat\ndog\n", encoding="utf-8")
    pet = FC.categorical_column_with_vocabulary_file("pet", path)
    assert pet.num_buckets == 2
    layer = L.DenseFeatures(FC.indicator_column(pet))
    np.testing.assert_array_equal(layer(FEATURES), [[0, 1], [1, 0]])
    sequences = FC.sequence_categorical_column_with_vocabulary_file("pet", path, 1)
    values, lengths = tf.keras.experimental.SequenceFeatures(FC.indicator_column(sequences))(
        {"pet": tf.sparse.from_dense([["cat", "dog"], ["cat", ""]])}
    )
    np.testing.assert_array_equal(values, [[[1], [0]], [[1], [0]]])
    np.testing.assert_array_equal(lengths, [2, 1])
    with pytest.raises(ValueError, match="files"):
        L.DenseFeatures.from_config(layer.get_config())
    with pytest.raises(ValueError, match="does not exist"):
        FC.categorical_column_with_vocabulary_file("pet", path + ".missing")


def test_configs_create_only_registered_classes() -> None:
    config = L.DenseFeatures(columns()).get_config()
    with pytest.raises(ValueError, match="halved"):
        L.DenseFeatures.from_config(config)
    config["feature_columns"] = [{"class_name": "system", "config": {"command": "true"}}]
    with pytest.raises(ValueError, match="system"):
        L.DenseFeatures.from_config(config)


def test_columns_of_a_library_are_told_about_training() -> None:
    base: Any = tf.__internal__.feature_column.DenseColumn

    class Phase(base):
        name = "phase"
        variable_shape = tf.TensorShape([1])

        def get_dense_tensor(self, transformation_cache: Any, state_manager: Any, training: Any):
            ages = transformation_cache.get("age", state_manager)
            return tf.ones_like(ages) if training else tf.zeros_like(ages)

    layer = L.DenseFeatures([Phase()])
    assert layer(FEATURES, training=True).numpy().sum() == 2
    assert layer(FEATURES, training=False).numpy().sum() == 0
