"""The preprocessing layers beyond what is recorded from Keras: configs, sparse weights, files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
TEXTS = ["the red rose", "a red song", "the song of the rose"]


@tf.keras.utils.register_keras_serializable("preprocessing_text")
def shout(texts: Any) -> Any:
    """A function of the program that a config can name."""
    return tf.strings.upper(texts)


def layers() -> list[Any]:
    normalization = L.Normalization()
    normalization.adapt(np.arange(6.0).reshape(2, 3))
    discretization = L.Discretization(num_bins=3, output_mode="one_hot")
    discretization.adapt(np.arange(9.0))
    return [
        normalization,
        L.Normalization(mean=[1.0, 2.0, 3.0], variance=[1.0, 4.0, 9.0], invert=True),
        discretization,
        L.Discretization([0.5, 1.5]),
        L.CategoryEncoding(4, "count"),
        L.Hashing(5, mask_value="", salt=[3, 4]),
        L.StringLookup(vocabulary=["a", "b"], mask_token="", num_oov_indices=2),
        L.StringLookup(vocabulary=["a"], output_mode="tf_idf", idf_weights=[0.5]),
        L.IntegerLookup(vocabulary=[4, 2], invert=True),
        L.TextVectorization(standardize=shout, vocabulary=["A"], ngrams=(1, 2)),
        L.HashedCrossing(5, "one_hot"),
    ]


@pytest.mark.parametrize("layer", layers(), ids=lambda layer: layer.name)
def test_config_makes_an_equal_layer(layer: Any) -> None:
    config = tf.keras.saving.serialize_keras_object(layer)
    again = tf.keras.saving.deserialize_keras_object(config)
    assert again.get_config() == layer.get_config()


@pytest.mark.parametrize("kind", ["StringLookup", "IntegerLookup", "TextVectorization"])
def test_config_cannot_name_a_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("1\n2\n")
    layer = getattr(L, kind)(vocabulary=[str(1), str(2)] if kind != "IntegerLookup" else [1, 2])
    config = tf.keras.saving.serialize_keras_object(layer)
    config["config"]["vocabulary"] = str(path)
    for safe in (True, False):
        with pytest.raises(ValueError, match="path"):
            tf.keras.saving.deserialize_keras_object(config, safe_mode=safe)


def test_layer_under_load_reads_no_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("a\n")

    class Wraps(L.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, file: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.lookup = L.StringLookup(vocabulary=file)

    config = {"class_name": "Wraps", "config": {"file": str(path)}, "registered_name": "Wraps"}
    with pytest.raises(TypeError, match="refused"):
        tf.keras.saving.deserialize_keras_object(config, custom_objects={"Wraps": Wraps})


def test_lambda_in_a_config_is_refused() -> None:
    layer = L.TextVectorization(standardize=lambda text: text)
    with pytest.warns(UserWarning, match="lambda"):
        config = tf.keras.saving.serialize_keras_object(layer)
    with pytest.raises(ValueError, match="lambda"):
        tf.keras.saving.deserialize_keras_object(config)


@pytest.mark.parametrize("kind", ["StringLookup", "IntegerLookup", "TextVectorization"])
def test_calls_before_there_is_a_vocabulary_raise(kind: str) -> None:
    layer = getattr(L, kind)()
    data = tf.constant([[1]] if kind == "IntegerLookup" else [["a"]])
    inputs = tf.keras.Input((1,), dtype=data.dtype)
    model = tf.keras.Model(inputs, layer(inputs))
    error = pytest.raises(tf.errors.FailedPreconditionError)
    with error as caught:
        layer(data)
    assert "vocabulary" in str(caught.value)
    with error:
        tf.function(layer)(data)
    with error:
        model.predict(data, verbose=0)
    with error:
        list(tf.data.Dataset.from_tensors(data).map(layer))
    layer.adapt(data)
    assert layer(data).numpy().max() > 0
    np.testing.assert_array_equal(model.predict(data, verbose=0), layer(data))


def test_vocabulary_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("rose\nGröße\n".encode())
    layer = L.StringLookup(vocabulary=str(path))
    assert layer.get_vocabulary() == ["[UNK]", "rose", "Größe"]
    assert layer(["Größe", "x"]).numpy().tolist() == [2, 0]
    assert layer.get_config()["vocabulary"] is None
    path.write_text("7\n-3\n")
    assert L.IntegerLookup(vocabulary=path)([-3, 1]).numpy().tolist() == [2, 0]


@pytest.mark.parametrize("mode", ["multi_hot", "count", "tf_idf"])
def test_sparse_outputs_equal_dense_ones(mode: str) -> None:
    dense = L.TextVectorization(output_mode=mode)
    sparse = L.TextVectorization(output_mode=mode, sparse=True)
    for layer in (dense, sparse):
        layer.adapt(TEXTS)
    traced = tf.function(lambda texts: tf.sparse.to_dense(sparse(texts)))
    for outputs in (tf.sparse.to_dense(sparse(TEXTS)), traced(tf.constant(TEXTS))):
        np.testing.assert_allclose(outputs, dense(TEXTS), rtol=1e-6)


def test_adapt_counts_documents_of_all_kinds_of_batches() -> None:
    rows = tf.ragged.constant([["a", "b", "b"], ["b"], []])
    batches = {
        "ragged": rows,
        "sparse": rows.to_sparse(),
        "dataset": tf.data.Dataset.from_tensor_slices(rows).ragged_batch(2),
    }
    weights = []
    for data in batches.values():
        layer = L.StringLookup(output_mode="tf_idf")
        layer.adapt(data)
        assert layer.get_vocabulary() == ["[UNK]", "b", "a"]
        weights.append(layer.idf_weights.numpy())
    np.testing.assert_allclose(weights[1:], [weights[0]] * 2)
    np.testing.assert_allclose(weights[0][1:], np.log(1 + 3 / np.array([3.0, 2.0])), rtol=1e-6)


def test_normalization_in_batches_equals_all_at_once() -> None:
    data = np.random.default_rng(0).standard_normal((50, 3)).astype("float32") * 9 + 100
    whole, batched = L.Normalization(), L.Normalization()
    whole.adapt(data)
    batched.adapt(tf.data.Dataset.from_tensor_slices(data).batch(7))
    for a, b in zip(whole.weights, batched.weights):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


def test_normalization_uses_weights_that_are_set() -> None:
    layer = L.Normalization()
    layer.build((None, 1))
    layer.set_weights([np.array([1.0]), np.array([4.0]), np.array(0)])
    assert layer([[5.0]]).numpy().tolist() == [[2.0]]


# -- files ---------------------------------------------------------------------------------------

GOLDEN = Path(__file__).parents[2] / "golden"
INPUTS = [[["red rose"], ["größe"], ["y"]], [[5.0], [3.0], [4.0]]]
COLUMNS = {"a": [1.0, 3.0], "b": ["x", "y"], "c": [1, 2], "d": [0.5, 0.25], "e": [1.0, 2.0]}
# What Keras returns for these inputs from the models in `tests/golden`.
MODEL_OUTPUTS: list[Any] = [
    [[0, 0, 0.5108256, 0.6931472, 0, 0, 0], [0.6323733] + [0] * 6, [0.6323733] + [0] * 6],
    [[4, 3, 9], [1, 0, 0], [1, 0, 0]],
    [[1], [3], [1]],
    [[1, 0, 0], [1, 0, 0], [0, 0, 1]],
    [[1], [2], [0]],
    [[1.0], [0.0], [0.5]],
    [[1], [1], [1]],
    [[3], [6], [3]],
]
SPACE_OUTPUTS = [
    [-1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
    [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
]


def assert_same_outputs(model: Any) -> None:
    outputs = model([tf.constant(each) for each in INPUTS])
    for ours, theirs in zip(outputs, MODEL_OUTPUTS, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_model_of_keras_loads_and_is_written_again(tmp_path: Path) -> None:
    model = tf.keras.models.load_model(GOLDEN / "keras_preprocessing.keras")
    assert_same_outputs(model)
    model.save(tmp_path / "again.keras")
    with zipfile.ZipFile(tmp_path / "again.keras") as ours:
        names = set(ours.namelist())
    with zipfile.ZipFile(GOLDEN / "keras_preprocessing.keras") as theirs:
        assert names == set(theirs.namelist())
    assert_same_outputs(tf.keras.models.load_model(tmp_path / "again.keras"))


def test_feature_space_of_keras_loads_and_is_written_again(tmp_path: Path) -> None:
    space = tf.keras.models.load_model(GOLDEN / "keras_feature_space.keras")
    np.testing.assert_allclose(space(COLUMNS), SPACE_OUTPUTS)
    space.save(tmp_path / "again.keras")
    again = tf.keras.models.load_model(tmp_path / "again.keras")
    np.testing.assert_allclose(again(COLUMNS), SPACE_OUTPUTS)
    rows = tf.data.Dataset.from_tensor_slices(COLUMNS).map(again)
    np.testing.assert_allclose(list(rows.as_numpy_iterator()), SPACE_OUTPUTS)


def test_padded_weights_are_loaded(tmp_path: Path) -> None:
    layer = L.TextVectorization(output_mode="tf_idf", max_tokens=20, pad_to_max_tokens=True)
    layer.adapt(TEXTS)
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    expected = model(tf.constant(TEXTS)[:, None])
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(tf.constant(TEXTS)[:, None]), expected)


def test_exported_model_serves_strings(tmp_path: Path) -> None:
    layer = L.TextVectorization(output_sequence_length=4)
    layer.adapt(TEXTS)
    module = tf.Module()
    module.layer = layer
    module.serve = tf.function(
        lambda texts: layer(texts), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    tf.saved_model.save(module, str(tmp_path / "served"))
    served = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_array_equal(served.serve(tf.constant(TEXTS)), layer(TEXTS))


def test_text_files_become_a_dataset(tmp_path: Path) -> None:
    for name, texts in (("bad", ["no", "never"]), ("good", ["yes"])):
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number}.txt").write_text(text)
    dataset = tf.keras.utils.text_dataset_from_directory(
        tmp_path, batch_size=None, shuffle=False, max_length=3, verbose=False
    )
    found = [(text.decode(), int(label)) for text, label in dataset.as_numpy_iterator()]
    assert found == [("no", 0), ("nev", 0), ("yes", 1)]
    assert dataset.class_names == ["bad", "good"]


def test_normalization_adapts_to_lists_of_pairs() -> None:
    x = np.random.default_rng(0).random((24, 3)).astype("float32")
    layer = tf.keras.layers.Normalization(axis=-1)
    layer.adapt([(x[i : i + 8], np.zeros(8)) for i in range(0, 24, 8)])
    np.testing.assert_allclose(np.var(layer(x), axis=0), 1.0, atol=1e-5)
    with pytest.raises(ValueError, match="empty"):
        tf.keras.layers.Normalization().adapt([])
