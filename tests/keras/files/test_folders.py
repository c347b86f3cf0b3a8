"""Whole models in the SavedModel folders of Keras 2, and weights in its checkpoints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.__internal__ import saved_model as saved_models
from tapeflow._src.keras.models.legacy_files import training_config
from tests.keras.files.folders import (
    FOLDERS,
    TEXTS,
    VALUES,
    X,
    Y,
    line,
    own_classes,
    texts_inputs,
    trained,
)
from tests.keras.files.samples import outputs
from tests.keras.files.test_legacy_h5 import same_values, small

keras = tf.keras
layers = keras.layers
RECORDED = np.load(VALUES)


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_folder_of_keras_loads_with_its_training() -> None:
    model = keras.models.load_model(FOLDERS / "branches")
    for number, each in enumerate(outputs(model, "branches")):
        close(each, RECORDED[f"branches{number}"])
    rate = model.optimizer.learning_rate
    slots = [np.abs(v.numpy()).sum() for v in model.optimizer.variables if v is not rate]
    np.testing.assert_allclose(slots, RECORDED["slots"], rtol=1e-5)
    assert np.isclose(rate.numpy(), 0.01) and model.name == "branches"
    assert model.get_layer("inner").get_layer("ibn").moving_mean.numpy().any()
    assert not keras.models.load_model(FOLDERS / "branches", compile=False).compiled


def test_own_classes_are_passed_or_run_what_was_saved() -> None:
    scale, blocks = own_classes(keras)
    own = {"Scale": scale, "Blocks": blocks}
    model = keras.models.load_model(FOLDERS / "own", custom_objects=own)
    assert type(model) is blocks and len(model.blocks) == 2
    revived = keras.models.load_model(FOLDERS / "own")
    assert type(revived).__name__ == "Blocks" and len(revived.trainable_weights) == 4
    for each in (model, revived):
        close(each.predict(X, verbose=0), RECORDED["own"])
        close(each.test_on_batch(X, Y), RECORDED["own_loss"])
    losses = [each.train_on_batch(X, Y) for each in (model, revived)]
    close(losses[0], losses[1])
    close(*(each.predict(X, verbose=0) for each in (model, revived)))


def test_a_checkpoint_of_keras_2_is_restored_with_its_slots() -> None:
    model = line(keras)
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.optimizer.build(model.trainable_variables)
    model.load_weights(FOLDERS / "weights" / "line").expect_partial()
    close(model.predict(X, verbose=0), RECORDED["line"])
    close(model.optimizer._momentums[0], RECORDED["momentum"])
    assert model.optimizer.iterations.numpy() == 2
    latest = tf.train.latest_checkpoint(str(FOLDERS / "weights"))
    other = line(keras)
    other.load_weights(latest).expect_partial()
    assert same_values(model.weights, other.weights)


def test_adapted_vocabularies_of_keras_2_are_restored() -> None:
    with pytest.warns(UserWarning, match="compile"):
        model = keras.models.load_model(FOLDERS / "texts")
    for number, each in enumerate(model(texts_inputs(tf))):
        close(each, RECORDED[f"texts{number}"])
    assert model.get_layer("v").get_vocabulary()[:4] == ["", "[UNK]", "the", "dog"]


def test_tensorflow_loads_folders_whose_functions_take_iterators() -> None:
    # The adapting functions of the layers are called with iterators.
    loaded = tf.saved_model.load(FOLDERS / "texts")
    layer = getattr(loaded, "layer_with_weights-0")
    spec = layer._adapt_function.concrete_functions[0].structured_input_signature[0][0]
    assert spec == tf.data.IteratorSpec(tf.TensorSpec([None], tf.string))


def test_adapted_vocabularies_are_written_as_keras_2_creates_them(tmp_path: Path) -> None:
    words = keras.Input((1,), dtype="string", name="words")
    vectorize = layers.TextVectorization(name="v")
    vectorize.adapt(TEXTS)
    model = keras.Model(words, vectorize(words))
    model.save(tmp_path / "m", save_format="tf")
    notes = saved_models.object_notes(tmp_path / "m")
    texts = {note.path: json.loads(note.text) for note in notes}
    config = texts["root.layer_with_weights-0"]["config"]
    assert config["dtype"] == "string" and config["vocabulary"] == vectorize.get_vocabulary()[2:]
    # Keras 2 would fill the table that it has created from the config for a second time.
    loaded = tf.saved_model.load(tmp_path / "m")
    assert not hasattr(getattr(loaded, "layer-1")._lookup_layer, "lookup_table")
    data = tf.constant([["the dog"], ["nobody"]])
    served = loaded.signatures["serving_default"](data)
    np.testing.assert_array_equal(served["v"], model(data))


def test_layers_stay_adaptable_in_folders(tmp_path: Path) -> None:
    words = keras.Input((1,), dtype="string", name="words")
    vectorize = layers.TextVectorization(name="v")
    vectorize.adapt(TEXTS)
    model = keras.Model(words, layers.Embedding(20, 2, name="e")(vectorize(words)))
    model.compile("sgd", "mse")
    path = str(tmp_path / "m")
    model.save(path, save_format="tf")
    again = keras.models.load_model(path)
    np.testing.assert_array_equal(again.get_weights()[0], model.get_weights()[0])
    assert again.get_layer("v").get_vocabulary() == vectorize.get_vocabulary()
    # The weights are numbered as those of a model that was adapted.
    again.save_weights(str(tmp_path / "cp"), save_format="tf")
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "cp"))}
    assert "layer_with_weights-1/embeddings/.ATTRIBUTES/VARIABLE_VALUE" in names
    again.get_layer("v").adapt(["other", "terms"])
    again.save(path, save_format="tf")
    third = keras.models.load_model(path)
    assert third.get_layer("v").get_vocabulary() == ["", "[UNK]", "terms", "other"]


def test_tables_with_gaps_are_refused() -> None:
    layer = layers.StringLookup()
    initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 5], tf.int64))
    table = tf.lookup.StaticHashTable(initializer, -1)
    with pytest.raises(ValueError, match="indices 1 to 2"):
        layer._tpf_set_table(table.resource_handle, None)
    assert layer.get_vocabulary(False) == []


def test_layers_without_a_vocabulary_stay_so_in_folders(tmp_path: Path) -> None:
    inputs = keras.Input((1,), dtype="string")
    lookup = layers.StringLookup(name="s")
    keras.Model(inputs, lookup(inputs)).save(tmp_path / "m", save_traces=False)
    with pytest.warns(UserWarning, match="compile"):
        again = keras.models.load_model(tmp_path / "m")
    again.get_layer("s").adapt(TEXTS)
    assert "the dog" in again.get_layer("s").get_vocabulary()


def test_stateful_layers_are_saved_in_folders(tmp_path: Path) -> None:
    inputs = keras.Input(batch_shape=(3, 2, 2))
    model = keras.Model(inputs, layers.GRU(2, stateful=True)(inputs))
    model.save(tmp_path / "m")
    with pytest.warns(UserWarning, match="compile"):
        again = keras.models.load_model(tmp_path / "m")
    data = X.reshape(3, 2, 2)
    for _ in range(2):
        close(again(data), model(data))


def test_attention_has_the_shapes_that_keras_2_builds_it_with(tmp_path: Path) -> None:
    x = keras.Input((2, 3))
    model = keras.Model(x, layers.MultiHeadAttention(2, 2, name="a")(x, x))
    model.save(tmp_path / "m", save_traces=False)
    notes = [json.loads(note.text) for note in saved_models.object_notes(tmp_path / "m")]
    config = next(note["config"] for note in notes if note["class_name"] == "MultiHeadAttention")
    assert config["query_shape"] == config["key_shape"] == config["value_shape"]
    assert config["query_shape"]["items"] == [None, 2, 3]
    with pytest.warns(UserWarning, match="compile"):
        again = keras.models.load_model(tmp_path / "m")
    assert same_values(model.weights, again.weights)


OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "use_ema": True},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Adam": {"amsgrad": True, "use_ema": True},
    "Lion": {},
    "Nadam": {},
    "Adafactor": {},
    "Ftrl": {},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_state_of_an_optimizer_waits_until_it_is_built(name: str, tmp_path: Path) -> None:
    def compiled() -> Any:
        model = small()
        model.compile(getattr(keras.optimizers, name)(0.1, **OPTIMIZERS[name]), "mse")
        return model

    model, later = compiled(), compiled()
    model.fit(X, Y[:, :2], epochs=2, verbose=0)
    model.save_weights(tmp_path / "w", save_format="tf")
    later.load_weights(tmp_path / "w").expect_partial()
    later.optimizer.build(later.trainable_variables)
    assert same_values(model.optimizer.variables, later.optimizer.variables)


def test_layers_are_matched_where_keras_numbers_the_ops_of_masks(tmp_path: Path) -> None:
    def masked(mask_ops: int) -> Any:
        x = keras.Input((3,), dtype="int32")
        y = layers.Embedding(5, 2, name="e")(x)
        for _ in range(mask_ops):
            y = keras.ops.multiply(y, 1.0)
        return keras.Model(x, layers.Dense(2, name="d")(y))

    model, other = masked(2), masked(0)
    tf.train.Checkpoint(model=model).write(str(tmp_path / "c"))
    tf.train.Checkpoint(model=other).read(str(tmp_path / "c")).assert_nontrivial_match()
    assert same_values(model.weights, other.weights)


def test_a_model_comes_back_from_a_folder(tmp_path: Path) -> None:
    model = keras.models.load_model(FOLDERS / "branches")
    model.save(tmp_path / "m")
    again = keras.models.load_model(tmp_path / "m")
    assert same_values(model.weights, again.weights)
    assert same_values(model.optimizer.variables, again.optimizer.variables)
    assert again.get_config() == model.get_config()
    assert [type(m) for m in again.metrics] == [type(m) for m in model.metrics]
    # What programs without Keras see: a function by names, and the parts of the model.
    served = tf.saved_model.load(str(tmp_path / "m"))
    x = np.ones((2, 8, 8, 2), "float32")
    expected = model.predict(x, verbose=0)
    by_name = served.signatures["serving_default"](x=tf.constant(x))
    assert sorted(by_name) == ["o", "p"]
    close(by_name["o"], expected[0])
    close(served(x)[1], expected[1])
    assert len(served.trainable_variables) == len(model.trainable_weights)
    close(served.regularization_losses[0](), model.losses[0])


def test_a_folder_without_traces_and_optimizer_is_small(tmp_path: Path) -> None:
    model = trained(small(), "adam", np.ones((3, 2)))
    model.save(tmp_path / "m", save_traces=False, include_optimizer=False)
    assert not tf.saved_model.load(str(tmp_path / "m")).signatures
    with pytest.warns(UserWarning, match="compile"):
        again = keras.models.load_model(tmp_path / "m")
    assert same_values(model.weights, again.weights) and not again.compiled


def test_layers_of_unknown_classes_in_a_graph(tmp_path: Path) -> None:
    scale, _ = own_classes(keras)
    x = keras.Input((4,))
    model = keras.Model(x, layers.Dense(2)(scale(3.0, name="mine")(x)))
    model.save(tmp_path / "m")
    with pytest.warns(UserWarning, match="compile"):
        revived = keras.models.load_model(tmp_path / "m")
    assert type(revived.get_layer("mine")).__name__ == "Scale" and len(revived.weights) == 3
    close(revived(X), model(X))
    close(revived(X, training=True), model(X, training=True))
    model.save(tmp_path / "bare", save_traces=False)
    with pytest.raises(ValueError, match="custom_objects"):
        keras.models.load_model(tmp_path / "bare")(X)


def test_names_say_how_a_model_is_saved(tmp_path: Path) -> None:
    model = small()
    for name, kwargs in (("a", {}), ("b-1.5", {}), ("c.zip", {"save_format": "tf"})):
        model.save(tmp_path / name, **kwargs)
        assert (tmp_path / name / "keras_metadata.pb").is_file()
    with pytest.raises(ValueError, match="save_format='tf'"):
        model.save(tmp_path / "d.png")
    with pytest.raises(ValueError, match="save_traces"):
        model.save(tmp_path / "e.keras", save_traces=False)
    with pytest.raises(FileExistsError, match="overwrite"):
        model.save(tmp_path / "a", overwrite=False)
    with pytest.raises(ValueError, match="not built"):
        keras.Sequential([layers.Dense(2)]).save(tmp_path / "f")


@pytest.mark.parametrize("weights_only", [False, True])
def test_checkpoints_while_a_model_is_trained(weights_only: bool, tmp_path: Path) -> None:
    model = small()
    model.compile("adam", "mse")
    name = tmp_path / "cp-{epoch}.ckpt"
    callback = keras.callbacks.ModelCheckpoint(name, save_weights_only=weights_only)
    model.fit(X, Y[:, :2], epochs=2, verbose=0, callbacks=[callback])
    if weights_only:
        again = small()
        again.load_weights(tf.train.latest_checkpoint(str(tmp_path))).expect_partial()
    else:
        again = keras.models.load_model(tmp_path / "cp-2.ckpt")
        assert same_values(model.optimizer.variables, again.optimizer.variables)
    assert same_values(model.weights, again.weights)


def test_weights_in_checkpoints_have_the_state_of_the_optimizer(tmp_path: Path) -> None:
    model = trained(small(), "adam", np.ones((3, 2)))
    model.save_weights(tmp_path / "w", save_format="tf")
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "w"))}
    assert "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
    other = trained(small(), "adam", np.zeros((3, 2)))
    other.load_weights(tmp_path / "w").assert_nontrivial_match()
    assert same_values(model.weights, other.weights)
    assert same_values(model.optimizer.variables, other.optimizer.variables)
    with pytest.raises(AssertionError, match="root"):
        keras.Sequential([keras.Input((4,)), layers.Flatten(), layers.Dense(3)]).load_weights(
            _foreign(tmp_path)
        )
    with pytest.raises(ValueError, match="save_format"):
        model.save_weights(tmp_path / "w", save_format="zip")


@pytest.mark.parametrize("adapted", [True, False], ids=["adapted", "fixed"])
def test_vocabularies_from_data_are_numbered_as_in_keras_2(tmp_path: Path, adapted: bool) -> None:
    layers = keras.layers
    lookup = layers.StringLookup(vocabulary=None if adapted else ["a", "b"])
    if adapted:
        lookup.adapt(["a", "b"])
    inputs = keras.Input((2,), dtype="string")
    model = keras.Model(inputs, layers.Embedding(4, 2)(lookup(inputs)))
    model.save_weights(str(tmp_path / "cp"))
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "cp"))}
    number = 1 if adapted else 0
    assert f"layer_with_weights-{number}/embeddings/.ATTRIBUTES/VARIABLE_VALUE" in names


def _foreign(folder: Path) -> str:
    """A checkpoint of something else."""
    checkpoint = tf.train.Checkpoint(other=tf.Variable(1.0))
    path: str = checkpoint.write(str(folder / "foreign"))
    return path


def test_weights_wait_for_layers_that_are_not_built(tmp_path: Path) -> None:
    _, blocks = own_classes(keras)
    model = trained(blocks(), "sgd", Y)
    model.save_weights(tmp_path / "w")
    later = blocks()
    later.load_weights(tmp_path / "w").expect_partial()
    close(later(X), model(X))


# -- safety ----------------------------------------------------------------------------------------


def noted(folder: Path, change: Any) -> None:
    """Change the notes on the model of a folder."""
    notes = saved_models.object_notes(folder)
    metadata = json.loads(notes[0].text)
    change(metadata)
    first = saved_models.ObjectNote(0, "root", notes[0].identifier, json.dumps(metadata))
    data = saved_models.written_notes([first, *notes[1:]])
    (folder / saved_models.NOTES_FILE).write_bytes(data)


def test_lambdas_in_folders_need_trust(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Lambda(lambda x: x * 2)])
    with pytest.warns(UserWarning, match="lambda"):
        model.save(tmp_path / "m")
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.models.load_model(tmp_path / "m")
    with pytest.warns(UserWarning, match="compile"):
        again = keras.models.load_model(tmp_path / "m", safe_mode=False)
    assert again(np.ones((1, 2), "float32")).numpy().tolist() == [[2.0, 2.0]]


def test_notes_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    def copied(name: str, change: Any) -> Path:
        shutil.copytree(FOLDERS / "branches", tmp_path / name)
        noted(tmp_path / name, change)
        return tmp_path / name

    def widen(metadata: Any) -> None:
        metadata["config"]["layers"][-1]["config"]["units"] = 4

    def rename(metadata: Any) -> None:
        metadata["config"]["layers"][-1]["class_name"] = "os.system"

    def huge(metadata: Any) -> None:
        metadata["config"]["layers"][-1]["config"]["units"] = 10**12

    for name, change in (("wide", widen), ("name", rename), ("huge", huge)):
        with pytest.raises((ValueError, TypeError)):
            keras.models.load_model(copied(name, change))
    small().save(tmp_path / "other")
    shutil.copy(FOLDERS / "branches" / saved_models.NOTES_FILE, tmp_path / "other")
    with pytest.raises(ValueError, match="beside it"):
        keras.models.load_model(tmp_path / "other")


def test_other_saved_models_are_loaded_as_they_are(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(3.0)
    tf.saved_model.save(module, str(tmp_path / "m"))
    with pytest.warns(UserWarning, match="no Keras model"):
        assert keras.models.load_model(tmp_path / "m").v.numpy() == 3.0


def test_tensorflow_saves_models_of_keras_2_with_their_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = keras.Input((2,), name="x")
    outputs = keras.layers.Dense(3, name="predictions")(inputs)
    model = keras.Model(inputs, keras.layers.BatchNormalization(name="scaled")(outputs))
    tf.saved_model.save(model, tmp_path / "3")
    assert not hasattr(tf.saved_model.load(tmp_path / "3"), "trainable_variables")
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    tf.saved_model.save(model, tmp_path / "2")
    loaded = tf.saved_model.load(tmp_path / "2")
    assert (len(loaded.variables), len(loaded.trainable_variables)) == (6, 4)
    data = np.array([[1.0, 2.0]], "float32")
    served = loaded.signatures["serving_default"](tf.constant(data))
    np.testing.assert_allclose(served["scaled"], model(data), rtol=1e-6)
    np.testing.assert_allclose(loaded(data), model(data), rtol=1e-6)


def test_metrics_and_averages_are_written_as_keras_2_reads_them(tmp_path: Path) -> None:
    x = keras.Input((2,))
    outputs = {name: keras.layers.Dense(1, name=name)(x) for name in ("p", "q")}
    model = keras.Model(x, outputs)
    optimizer = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    model.compile(optimizer, "mse", metrics={"p": ["mae"], "q": ["mae", "mse"]})
    data = np.ones((4, 2), "float32")
    labels = {"p": data[:, :1], "q": data[:, 1:]}
    model.fit(data, labels, verbose=0)
    model.save(tmp_path / "model", save_format="tf")
    written = training_config(model, optimizer, for_keras_2=True)
    # Keras 2 takes the names of such metrics as they are, and equal ones for one metric.
    names = [each["config"]["name"] for each in written["metrics"]["q"]]
    assert names == ["q_mae", "q_mse"]
    assert written["optimizer_config"]["config"]["is_legacy_optimizer"] is False
    again = keras.models.load_model(tmp_path / "model")
    results = [each.evaluate(data, labels, verbose=0, return_dict=True) for each in (model, again)]
    assert results[0] == pytest.approx(results[1]) and "q_mse" in results[1]
    assert again.optimizer.use_ema
