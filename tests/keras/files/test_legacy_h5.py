"""Whole models and weights in the HDF5 files of Keras 2 and 3."""

from __future__ import annotations

import copy
import io
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.saving import hdf5
from tapeflow._src.keras.saving.hdf5 import open_weights
from tests.keras.files.samples import GOLDEN, MODELS, outputs

h5py = __import__("h5py")
keras = tf.keras
layers = keras.layers
KERAS = ("keras2", "keras3")


def same_values(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all((x.numpy() == y.numpy()).all() for x, y in zip(a, b))


def small(name: str = "small", width: int = 3) -> Any:
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(width, name="a"), layers.Dense(2, name="b")], name=name
    )


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("which", KERAS)
def test_models_of_keras_load_with_their_training(which: str, name: str) -> None:
    model = keras.models.load_model(GOLDEN / f"{which}_{name}.h5")
    recorded = np.load(GOLDEN / f"{which}_{name}_h5.npz")
    for number, each in enumerate(outputs(model, name)):
        np.testing.assert_allclose(each, recorded[str(number)], rtol=1e-5, atol=1e-6)
    own = [v for v in model.optimizer.variables if v is not model.optimizer.learning_rate]
    # Keras 2 keeps the learning rate of `_learning_rate` among the variables, at another place.
    saved = recorded["slots"]
    rate = float(model.optimizer.learning_rate.numpy())
    saved = [s for n, s in enumerate(saved) if n == 0 or not np.isclose(s, rate, rtol=1e-6)]
    sums = [float(np.sum(np.abs(v.numpy()))) for v in own]
    np.testing.assert_allclose(sums, saved, rtol=1e-5)
    assert model.compiled and model.loss is not None


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_from_h5(name: str, tmp_path: Path) -> None:
    model = keras.models.load_model(GOLDEN / f"keras3_{name}.h5")
    model.save(tmp_path / "m.h5")
    again = keras.models.load_model(tmp_path / "m.h5")
    assert same_values(model.weights, again.weights)
    assert same_values(model.optimizer.variables, again.optimizer.variables)
    assert again.get_config() == model.get_config()
    model.save(tmp_path / "bare.h5", include_optimizer=False)
    assert not keras.models.load_model(tmp_path / "bare.h5").compiled


def test_simple_models_are_written_in_the_form_of_keras_2(tmp_path: Path) -> None:
    keras.backend.clear_session()
    x = keras.Input((4,), name="x")
    model = keras.Model(x, layers.Add()([layers.Dense(4, name="a")(x), x]))
    model.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        config = json.loads(file.attrs["model_config"])["config"]
        assert list(file["model_weights"].attrs["layer_names"]) == ["x", "a", "add"]
        assert list(file["model_weights/a"].attrs["weight_names"]) == ["a/kernel", "a/bias"]
    first, second, third = config["layers"]
    assert first["config"]["batch_input_shape"] == [None, 4] and "module" not in first
    assert second["config"]["dtype"] == "float32"
    assert "quantization_config" not in second["config"]
    assert third["inbound_nodes"] == [[["a", 0, 0, {}], ["x", 0, 0, {}]]]


def test_metrics_of_the_users_own_come_back_by_custom_objects(tmp_path: Path) -> None:
    def share(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean(y_true * y_pred)

    model = small()
    model.compile("sgd", "mse", metrics=["mae", share])
    x, y = np.ones((2, 4), "float32"), np.ones((2, 2), "float32")
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "model.h5")
    loaded = keras.models.load_model(tmp_path / "model.h5", custom_objects={"share": share})
    np.testing.assert_allclose(
        loaded.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0), rtol=1e-6
    )


def test_weights_by_topology_and_by_name(tmp_path: Path) -> None:
    model, path = small(), tmp_path / "w.h5"
    model.save_weights(path)
    other = small()
    other.load_weights(path)
    assert same_values(model.weights, other.weights)
    wide = keras.Sequential([keras.Input((4,)), layers.Dense(5, name="a"), layers.Dense(2)])
    before = [w.numpy() for w in wide.weights]
    with pytest.raises(ValueError, match="shape"):
        wide.load_weights(path)
    with pytest.raises(ValueError, match="'a'"):
        wide.load_weights(path, by_name=True)
    with pytest.warns(UserWarning, match="skipped"):
        wide.load_weights(path, by_name=True, skip_mismatch=True)
    assert all((w.numpy() == b).all() for w, b in zip(wide.weights[:1], before))
    assert (wide.weights[1].numpy() == 0).all()
    part = keras.Sequential([keras.Input((4,)), layers.Dense(3, name="a")])
    with pytest.raises(ValueError, match="by_name=True"):
        part.load_weights(path)
    part.load_weights(path, by_name=True)
    assert same_values(part.weights, model.weights[:2])
    with pytest.raises(ValueError, match="model config"):
        keras.models.load_model(path)


def test_weights_of_a_whole_model(tmp_path: Path) -> None:
    model = small()
    model.compile("adam", "mse")
    model.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0)
    for name in ("m.h5", "m.keras"):
        model.save(tmp_path / name)
        other = small()
        other.load_weights(tmp_path / name)
        assert same_values(model.weights, other.weights)
    with pytest.raises(ValueError, match="by_name"):
        small().load_weights(tmp_path / "m.keras", by_name=True)


def test_weights_of_the_model_itself_and_long_lists_of_names(tmp_path: Path) -> None:
    class Many(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.scale = self.add_weight(shape=(1,), name="scale")
            self.inner = [layers.Dense(1, name=f"{'long' * 20}_{n}") for n in range(420)]

        def call(self, x: Any) -> Any:
            for layer in self.inner:
                x = layer(x) * self.scale
            return x

    models = [Many(), Many()]
    for model in models:
        model.build((None, 1))
    models[0].save_weights(tmp_path / "w.h5")
    with h5py.File(tmp_path / "w.h5") as file:
        assert "layer_names1" in file.attrs
    models[1].load_weights(tmp_path / "w.h5")
    assert same_values(*(model.weights for model in models))


def test_weights_in_several_files(tmp_path: Path) -> None:
    model = small(width=40)
    path = tmp_path / "m.weights.json"
    model.save_weights(path, max_shard_size=7e-7)
    names = json.loads(path.read_text())["weight_map"]["/layers/dense/vars"]
    assert names == ["m_00000.weights.h5", "m_00001.weights.h5"]
    other = small(width=40)
    other.load_weights(path)
    assert same_values(model.weights, other.weights)
    with pytest.raises(ValueError, match="max_shard_size"):
        model.save_weights(path, max_shard_size=1e-8)
    with pytest.raises(ValueError, match=r"weights\.json"):
        model.save_weights(tmp_path / "other", max_shard_size=1)
    path.write_text(json.dumps({"weight_map": {"/vars": "../x.weights.h5"}}))
    with pytest.raises(ValueError, match="names of"):
        other.load_weights(path)


@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_lambdas_need_trust(ending: str, tmp_path: Path) -> None:
    offset = 3.0
    model = keras.Sequential(
        [keras.Input((2,)), layers.Lambda(lambda x, factor=2: x * factor + offset)]
    )
    with pytest.warns(UserWarning, match="lambda"):
        model.save(tmp_path / f"m{ending}")
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.models.load_model(tmp_path / f"m{ending}")
    loaded = keras.models.load_model(tmp_path / f"m{ending}", safe_mode=False)
    assert loaded(np.ones((1, 2), "float32")).numpy().tolist() == [[5.0, 5.0]]


@pytest.mark.parametrize("ending", [".keras", ".h5", ".weights.h5"])
def test_bfloat16_comes_back(ending: str, tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(3, dtype="bfloat16")])
    path = tmp_path / f"m{ending}"
    if ending == ".weights.h5":
        model.save_weights(path)
        again = keras.models.clone_model(model)
        again.load_weights(path)
    else:
        model.save(path)
        again = keras.models.load_model(path)
    assert again.weights[0].dtype == tf.bfloat16 and same_values(model.weights, again.weights)


class Scaled(layers.Layer):  # type: ignore[misc, name-defined]
    def __init__(self, factor: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = factor
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, x: Any) -> Any:
        return x * self.scale * self.factor


def squared(x: Any) -> Any:
    return x * x


def test_fitted_models_are_pickled_with_their_own_classes() -> None:
    model = keras.Sequential([keras.Input((4,)), Scaled(2.0), layers.Dense(2, activation=squared)])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0)
    again = pickle.loads(pickle.dumps(model))
    assert same_values(model.weights, again.weights)
    assert same_values(model.optimizer.variables, again.optimizer.variables)
    histories = [m.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0).history for m in (model, again)]
    assert histories[0] == histories[1]


def test_copies_of_layers_have_variables_of_keras() -> None:
    x = keras.Input((4,))
    layer = layers.Dense(3, kernel_regularizer="l2")
    model = keras.Model(x, layer(x))
    alone, whole = copy.deepcopy(layer), copy.deepcopy(model)
    assert not alone._inbound_nodes and whole.layers[1]._inbound_nodes
    for other in (alone, whole.layers[1], pickle.loads(pickle.dumps(layer))):
        assert isinstance(other.kernel, keras.Variable) and other.kernel is not layer.kernel
        assert other.kernel.path == layer.kernel.path and len(other.trainable_weights) == 2
        assert same_values(other.weights, layer.weights) and len(other.losses) == 1
    alone.kernel.assign(alone.kernel + 1.0)
    assert not same_values(alone.weights, layer.weights)


def test_ops_in_models_keep_their_module(tmp_path: Path) -> None:
    x = keras.Input((6, 8))
    mean = keras.ops.mean(layers.Dense(8)(x) + x, axis=1)
    model = keras.Model(x, layers.Dense(3)(mean))
    model.save(tmp_path / "m.h5")
    again = keras.models.load_model(tmp_path / "m.h5")
    data = np.linspace(-1, 1, 96, dtype="float32").reshape(2, 6, 8)
    np.testing.assert_allclose(again(data), model(data), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("ignored", [b"\0\0\0", b"abc"])
def test_a_heap_of_texts_without_an_end_is_refused(tmp_path: Path, ignored: bytes) -> None:
    """HDF5 walks through it for ever, whatever three bytes of the head are."""
    path = tmp_path / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = "x" * 40
    data = bytearray(path.read_bytes())
    start = data.index(b"GCOL")
    free = start + 16 + 16 + 40  # after the heap's head, the text's head and the text
    assert data[free : free + 2] == b"\0\0" and any(data[free + 8 : free + 16])
    data[free + 8 : free + 16] = bytes(8)
    data[start + 5 : start + 8] = ignored
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        keras.models.load_model(path)
    with pytest.raises(ValueError, match="damaged"), open_weights(io.BytesIO(data), "it") as file:
        file.text("", "model_config", 100)


def _with_one_text_for_all(path: Path, size: int, count: int) -> None:
    """Write a list of names that are all one long text: references to it in the file's heap."""
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = ["x" * size, *["y"] * (count - 1)]
    data = bytearray(path.read_bytes())
    # A reference: the length, the address of the heap, the number of the object.
    heap = data.rindex(b"GCOL", 0, data.index(b"x" * size))
    first = data.index(struct.pack("<IQ", size, heap))
    for number in range(1, count):
        start = first + 16 * number
        data[start : start + 16] = data[first : first + 16]
    path.write_bytes(data)


def test_many_names_that_are_one_long_text_are_refused(tmp_path: Path) -> None:
    """A file of a megabyte would become gigabytes: HDF5 reads the text once for each name."""
    path = tmp_path / "few.h5"
    _with_one_text_for_all(path, 1000, 3)
    with h5py.File(path) as file:
        assert list(file.attrs["layer_names"]) == ["x" * 1000] * 3
    with open_weights(path, "few") as weights:
        assert weights.names("", "layer_names") == ["x" * 1000] * 3
    path = tmp_path / "many.h5"
    _with_one_text_for_all(path, 10**6, 3000)
    with (
        open_weights(path, "many") as weights,
        pytest.raises(ValueError, match="may have 3,000,000,000 bytes"),
    ):
        weights.names("", "layer_names")


def test_texts_are_measured_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = "x" * 1000
        file.attrs["fixed"] = np.bytes_("x" * 1000)
    with open_weights(path, "it") as weights:
        for attribute in ("model_config", "fixed"):
            assert weights.text("", attribute, 1000) == "x" * 1000
            with pytest.raises(ValueError, match="at most 999 are read"):
                weights.text("", attribute, 999)


def test_heaps_are_seen_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a file is read in pieces that part the mark."""
    data = b"....GCOL\1\0\0\0" + bytes(40)
    for size in range(1, 20):
        monkeypatch.setattr(hdf5, "_PIECE", size)
        assert list(hdf5._places(io.BytesIO(data), hdf5._HEAP)) == [4]


@pytest.mark.parametrize(
    ("optimizer", "slots"),
    [
        (keras.optimizers.SGD(0.1), 0),
        (keras.optimizers.Adam(0.01, amsgrad=True), 3),
        (keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True), 3),
        (keras.optimizers.Ftrl(0.1), 2),
        (keras.optimizers.Nadam(0.01), None),
    ],
)
def test_optimizers_are_written_as_the_first_ones_of_keras_2(
    optimizer: Any, slots: int | None, tmp_path: Path
) -> None:
    x = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    model.fit(x, x[:, :1], batch_size=2, verbose=0)
    path = tmp_path / "model.h5"
    model.save(path)
    with h5py.File(path) as file:
        names = [str(name) for name in file["optimizer_weights"].attrs["weight_names"]]
    if slots is not None:  # the state of Nadam has more than slots: Keras 2 does not restore it
        assert names[0].endswith("/iter") and len(names) == 1 + 4 * slots
    again = keras.models.load_model(path)
    for each in (model, again):
        each.fit(x, x[:, :1], batch_size=2, shuffle=False, verbose=0)
    for ours, theirs in zip(model.optimizer.variables, again.optimizer.variables):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(model.get_weights()[0], again.get_weights()[0])


def test_adapted_vocabularies_come_back_from_h5(tmp_path: Path) -> None:
    words = keras.Input((1,), dtype="string")
    lookup, vectorize = layers.StringLookup(), layers.TextVectorization(output_mode="tf_idf")
    for each in (lookup, vectorize):
        each.adapt(["the cat", "the dog", "the cat"])
    model = keras.Model(words, [lookup(words), vectorize(words)])
    model.save(tmp_path / "m.h5")
    again = keras.models.load_model(tmp_path / "m.h5", compile=False)
    data = tf.constant([["the cat"], ["a dog"]])
    for ours, theirs in zip(model(data), again(data)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    # Elsewhere, configs are those of Keras.
    assert lookup.get_config()["vocabulary"] is None


def _written_for_keras_2(model: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    model.save(path)
    with h5py.File(path) as file:
        training = json.loads(file.attrs.get("training_config", "{}"))
        names = file["optimizer_weights"].attrs["weight_names"] if training else []
        return json.loads(file.attrs["model_config"])["config"], training, list(names)


def test_files_are_in_the_form_of_keras_2_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = keras.Sequential([keras.Input((5, 3)), layers.LayerNormalization()], name="inner")
    x = keras.Input((5, 3), name="x")
    y = layers.MultiHeadAttention(2, 3, name="attend")(inner(x), x)
    model = keras.Model(x, layers.Dense(1)(layers.LeakyReLU()(y)))
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
    data = np.linspace(-1, 1, 30, dtype="float32").reshape(2, 5, 3)
    model.fit(data, data[..., :1], verbose=0)
    path = tmp_path / "m.h5"
    config, training, names = _written_for_keras_2(model, path, monkeypatch)
    described = {each["name"]: each for each in config["layers"]}
    attend = described["attend"]
    # The calls of a model inside a model are counted from one.
    assert attend["inbound_nodes"] == [[["inner", 1, 0, {"value": ["x", 0, 0]}]]]
    assert attend["config"]["query_shape"] == [None, 5, 3]
    assert "use_gate" not in attend["config"]
    assert "rms_scaling" not in described["inner"]["config"]["layers"][1]["config"]
    assert "alpha" in described["leaky_re_lu"]["config"]
    optimizer = training["optimizer_config"]
    assert optimizer["class_name"] == "Custom>SGD"
    assert optimizer["config"]["is_legacy_optimizer"] is False
    assert len(names) == 1 + len(model.trainable_variables)
    again = keras.models.load_model(path)
    for each in (model, again):
        each.fit(data, data[..., :1], shuffle=False, verbose=0)
    for ours, theirs in zip(model.weights, again.weights):
        np.testing.assert_array_equal(ours, theirs)


def test_vocabularies_have_the_dtypes_of_keras_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = keras.Input((1,), dtype="string", name="words")
    parts = (
        layers.StringLookup(vocabulary=["a", "b"], name="int"),
        layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot", name="hot"),
        layers.TextVectorization(vocabulary=["a", "b"], name="text"),
    )
    model = keras.Model(words, [layer(words) for layer in parts])
    config, _, _ = _written_for_keras_2(model, tmp_path / "m.h5", monkeypatch)
    written = {each["name"]: each["config"] for each in config["layers"]}
    assert [written[name]["dtype"] for name in ("int", "hot", "text")] == [
        "int64",
        "float32",
        "string",
    ]
    assert not any("oov_method" in each for each in written.values())
    again = keras.models.load_model(tmp_path / "m.h5", compile=False)
    for ours, theirs in zip(model(tf.constant([["b"]])), again(tf.constant([["b"]]))):
        np.testing.assert_array_equal(ours, theirs)
