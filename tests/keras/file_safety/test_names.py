"""What a config can name: registered classes and functions, each where its kind is expected.

The tests bear the numbers of the flaws of Keras (CVE-…) that they are about.
"""

from __future__ import annotations

import base64
import json
import marshal
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.activations import lookup as activation_lookup
from tapeflow._src.keras.saving import registry
from tests.keras.file_safety.samples import GOLDEN, called, functional, with_config

keras = tf.keras


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which nothing may appear."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    assert os.listdir(folder) == []


# (module, function, first argument): each would run a command, or touch files.
HOSTILE_FUNCTIONS = [
    ("os", "system", "touch pwned"),
    ("posix", "system", "touch pwned"),
    ("subprocess", "check_output", ["touch", "pwned"]),
    ("builtins", "eval", "open('pwned', 'w')"),
    ("builtins", "system", "touch pwned"),
    ("keras.models.model_files.os", "system", "touch pwned"),
    ("keras.src.models.model_files.os", "system", "touch pwned"),
    ("keras.callbacks.backup_and_restore.os", "system", "touch pwned"),
    ("keras.layers.layer.tf.io", "write_file", "pwned"),
    ("keras.layers.layer.tf.io.gfile", "makedirs", "pwned"),
    ("keras.src.layers.layer", "tf.io.gfile.makedirs", "pwned"),
    ("keras.utils", "get_file", "http://127.0.0.1:9/x"),
    ("keras.models", "load_model", "x.keras"),
    ("keras.saving", "load_model", "x.keras"),
    ("keras.saving", "deserialize_keras_object", {}),
    ("keras.saving.config_values", "read_lambda", []),
    ("keras.config", "enable_unsafe_deserialization", None),
    ("keras.src.saving.deserialization", "enable_unsafe_deserialization", None),
    ("keras.layers", "deserialize", {}),
    ("keras.layers", "add", []),
    ("tensorflow", "io.write_file", "pwned"),
    ("tensorflow.raw_ops", "WriteFile", "pwned"),
    ("tapeflow.io", "write_file", "pwned"),
]


@pytest.mark.parametrize(("module", "name", "argument"), HOSTILE_FUNCTIONS)
def test_cve_2025_1550_no_function_of_a_module_is_called(
    in_empty_folder: Path, tmp_path: Path, module: str, name: str, argument: Any
) -> None:
    for entry in (
        called(module, "function", name, argument),
        called(module, name, {}, argument),
        called(module, name, {"path": argument}, argument),
    ):
        path = with_config(tmp_path, lambda config, e=entry: config["config"]["layers"].append(e))
        text = json.dumps(json.loads(_config_of(path)))
        with pytest.raises((TypeError, ValueError), match=r"config\.layers\[2\]"):
            keras.models.load_model(path)
        with pytest.raises((TypeError, ValueError), match=r"config\.layers\[2\]"):
            keras.models.model_from_json(text)


def _config_of(path: str) -> str:
    zipfile = __import__("zipfile")
    with zipfile.ZipFile(path) as archive:
        return archive.read("config.json").decode()


@pytest.mark.parametrize(("module", "name", "argument"), HOSTILE_FUNCTIONS)
@pytest.mark.parametrize(
    "argument_name",
    ["activation", "kernel_initializer", "kernel_regularizer", "kernel_constraint", "dtype"],
)
def test_no_argument_of_a_layer_resolves_a_foreign_function(
    module: str, name: str, argument: Any, argument_name: str
) -> None:
    config = keras.layers.Dense(2).get_config()
    for class_name, inner in (("function", name), (name, {})):
        hostile = {"module": module, "class_name": class_name, "config": inner}
        with pytest.raises((TypeError, ValueError)):
            keras.layers.Dense.from_config({**config, argument_name: hostile})


def test_cve_2025_9906_a_file_cannot_switch_the_safe_mode_off(tmp_path: Path) -> None:
    switch = called("keras.config", "function", "enable_unsafe_deserialization")
    with pytest.warns(UserWarning, match="lambda"):
        hostile = keras.saving.serialize_keras_object(lambda x: x)

    def edit(config: dict[str, Any]) -> None:
        layers = config["config"]["layers"]
        layers.insert(0, switch)
        layers[-1]["inbound_nodes"][0]["kwargs"]["training"] = hostile

    with pytest.raises((TypeError, ValueError)):
        keras.models.load_model(with_config(tmp_path, edit))
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.saving.deserialize_keras_object(hostile)


def test_the_safe_mode_of_a_load_under_way_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the code of a registered class does while its object is created."""
    reading = __import__(
        "tapeflow._src.keras.saving.deserialization", fromlist=["_reading"]
    )._reading
    monkeypatch.setattr(reading, "trusting", False)

    class Switch(keras.layers.Layer):  # type: ignore[misc,name-defined]
        @classmethod
        def from_config(cls, config: dict[str, Any]) -> Any:
            keras.config.enable_unsafe_deserialization()
            return cls(name="switch")

    with pytest.warns(UserWarning, match="lambda"):
        hostile = keras.saving.serialize_keras_object(keras.layers.Lambda(lambda x: x))
    config = {
        "module": "keras",
        "class_name": "Sequential",
        "config": {
            "layers": [
                {"module": None, "class_name": "Switch", "config": {}, "registered_name": "Switch"},
                hostile,
            ]
        },
    }
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.saving.deserialize_keras_object(config, custom_objects={"Switch": Switch})


@pytest.mark.parametrize(
    "place", ["layer", "activation", "loss", "metric", "argument", "nested layer", "default"]
)
def test_cve_2024_3660_lambdas_are_refused_everywhere(tmp_path: Path, place: str) -> None:
    with pytest.warns(UserWarning, match="lambda"):
        hostile = keras.saving.serialize_keras_object(lambda x, y=0: x)
        layer = keras.saving.serialize_keras_object(keras.layers.Lambda(lambda x: x))
    wrapped = keras.saving.serialize_keras_object(
        keras.layers.TimeDistributed(keras.layers.Dense(1))
    )
    wrapped["config"]["layer"] = layer

    def edit(config: dict[str, Any]) -> None:
        layers = config["config"]["layers"]
        entry = {"name": "more", "inbound_nodes": []}
        compiled = {"optimizer": "sgd", "loss": "mse", "metrics": None}
        {
            "layer": lambda: layers.append({**layer, **entry}),
            "nested layer": lambda: layers.append({**wrapped, **entry}),
            "activation": lambda: layers[1]["config"].update(activation=hostile),
            "loss": lambda: config.update(compile_config={**compiled, "loss": hostile}),
            "metric": lambda: config.update(compile_config={**compiled, "metrics": [hostile]}),
            "argument": lambda: layers[1]["inbound_nodes"][0]["args"].append(hostile),
            "default": lambda: layers[1]["config"].update(kernel_initializer=hostile),
        }[place]()

    # As in Keras, what a constructor raises is a TypeError of its config.
    with pytest.raises((ValueError, TypeError), match="safe_mode=False"):
        keras.models.load_model(with_config(tmp_path, edit))


def test_cve_2025_9905_code_in_hdf5_models_is_not_run(tmp_path: Path) -> None:
    """Keras 2 stores the code of lambdas: safe mode refuses them in whole models, too."""
    h5py = __import__("h5py")
    mark, path = tmp_path / "ran", tmp_path / "model.h5"
    hostile = compile(f"lambda x: open({str(mark)!r}, 'w') and x", "file", "eval").co_consts[0]
    function = [base64.b64encode(marshal.dumps(hostile)).decode(), None, None]
    layers = [
        {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 2], "name": "i"}},
        {"class_name": "Lambda", "config": {"name": "l", "function": function}},
    ]
    model = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(model)
        file.create_group("model_weights").attrs["layer_names"] = []
    with pytest.raises(ValueError, match="lambda"):
        keras.models.load_model(path)
    assert not mark.exists()


def test_cve_2025_8747_and_12060_nothing_is_downloaded_or_unpacked() -> None:
    """A download, if Keras has one, is no function that a config could name."""
    names = {name for each in registry.ANY.functions for name in registry.functions(each)}
    assert not names & {"get_file", "load_model", "save_model", "load_img", "serialize", "get"}
    assert registry.find_class("keras.utils", "get_file") is None
    assert registry.find_function("keras.utils", "get_file", registry.ANY) is None


def test_cve_2025_12058_a_config_names_no_file_to_read(tmp_path: Path) -> None:
    """No layer opens what its config names: only the program can name a vocabulary's file."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    config = {
        "module": "keras.layers",
        "class_name": "StringLookup",
        "config": {"vocabulary": str(tmp_path / "secret")},
        "registered_name": None,
    }
    with pytest.raises(ValueError, match="StringLookup"):
        keras.saving.deserialize_keras_object(config)


OPTIMIZER = keras.saving.serialize_keras_object(keras.optimizers.SGD())
LOSS = keras.saving.serialize_keras_object(keras.losses.Huber())


@pytest.mark.parametrize("entry", [OPTIMIZER, LOSS, 3, "Dense", None, [], {}])
def test_models_consist_of_operations(tmp_path: Path, entry: Any) -> None:
    whole = {**entry, "name": "evil", "inbound_nodes": []} if isinstance(entry, dict) else entry
    path = with_config(tmp_path, lambda config: config["config"]["layers"].append(whole))
    with pytest.raises((TypeError, ValueError), match=r"config\.layers\[2\]"):
        keras.models.load_model(path)
    with pytest.raises(ValueError, match=r"layers\[0\]"):
        keras.Sequential.from_config({"name": "line", "layers": [entry]})


@pytest.mark.parametrize(
    ("get", "config"),
    [
        (keras.initializers.get, OPTIMIZER),
        (keras.regularizers.get, LOSS),
        (keras.constraints.get, OPTIMIZER),
        (keras.losses.get, OPTIMIZER),
        (keras.metrics.get, OPTIMIZER),
        (keras.optimizers.get, LOSS),
        (keras.optimizers.schedules.deserialize, OPTIMIZER),
        (keras.dtype_policies.get, OPTIMIZER),
        (keras.layers.deserialize, OPTIMIZER),
        (keras.layers.deserialize, None),
        (keras.layers.deserialize, "Dense"),
        (keras.models.model_from_json, json.dumps(OPTIMIZER)),
    ],
)
def test_each_place_expects_its_kind(get: Any, config: Any) -> None:
    with pytest.raises(ValueError, match="Expected"):
        get(config)


def test_functions_are_resolved_only_where_their_kind_is_expected() -> None:
    def config(name: str) -> dict[str, Any]:
        return {"module": "builtins", "class_name": "function", "config": name}

    assert keras.activations.get(config("relu")) is keras.activations.relu
    assert keras.losses.get(config("mean_squared_error")) is keras.losses.mean_squared_error
    read = keras.saving.deserialize_keras_object
    assert read(config("binary_accuracy")) is keras.metrics.binary_accuracy
    with pytest.raises(TypeError, match="relu"):
        keras.losses.get(config("relu"))
    with pytest.raises(TypeError, match="mean_squared_error"):
        keras.activations.get(config("mean_squared_error"))


def test_the_registered_functions_are_these() -> None:
    """A new one is looked at before it can be named by files."""
    activations = set(registry.functions("activations"))
    assert activations == set(activation_lookup.KNOWN)
    both = set(registry.functions("losses")) | set(registry.functions("metrics"))
    for name in both:
        assert registry.find_function("builtins", name, registry.ANY) is not None
    accuracies = {"accuracy", "binary_accuracy", "categorical_accuracy"}
    accuracies |= {"sparse_categorical_accuracy", "top_k_categorical_accuracy"}
    accuracies |= {"sparse_top_k_categorical_accuracy"}
    accuracies |= {"concordance_correlation", "pearson_correlation"}
    assert both - accuracies == set(registry.functions("losses"))


def test_every_public_class_of_a_kind_is_registered() -> None:
    for namespace in ("layers", "optimizers", "losses", "metrics", "initializers"):
        offered = getattr(keras, namespace)
        for name in dir(offered):
            found = getattr(offered, name)
            if name.startswith("_") or not isinstance(found, type):
                continue
            registered = registry.find_class(f"keras.{namespace}", name)
            expected = issubclass(found, registry.ANY.classes())
            assert registered is (found if expected else None), (namespace, name)


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("keras", "Sequential", keras.Sequential),
        ("keras.src.models.functional", "Functional", type(functional())),
        ("tf_keras.src.engine.functional", "Functional", type(functional())),
        ("keras.src.engine.sequential", "Sequential", keras.Sequential),
        ("keras.src.layers.core.dense", "Dense", keras.layers.Dense),
        ("tf_keras.layers", "Dense", keras.layers.Dense),
        ("keras.src.optimizers.schedules.learning_rate_schedule", "CosineDecay", ...),
        ("keras", "Variable", None),
        ("keras", "KerasTensor", None),
        ("keras.callbacks", "CSVLogger", None),
        ("keras.layers", "_later", None),
        ("keras.layers.layer", "tf", None),
        ("keras.nothing", "Dense", None),
        ("keras2.layers", "Dense", None),
        (None, "Dense", None),
        (3, "Dense", None),
    ],
)
def test_modules_of_several_versions(module: Any, name: str, expected: Any) -> None:
    found = registry.find_class(module, name)
    assert found is (keras.optimizers.schedules.CosineDecay if expected is ... else expected)


@pytest.mark.parametrize("name", ["keras_branches", "keras2_branches"])
def test_files_of_keras_3_and_of_keras_2_load(name: str) -> None:
    model = keras.models.load_model(GOLDEN / f"{name}.keras", compile=name == "keras_branches")
    recorded = np.load(GOLDEN / f"{name}.npz")
    outputs = model.predict([recorded["image"], recorded["vec"]], verbose=0)
    np.testing.assert_allclose(outputs, recorded["outputs"], atol=1e-5)


def test_a_compiled_model_of_keras_2_loads() -> None:
    # Its SGD keeps momentum even where there is none.
    with pytest.warns(UserWarning, match="optimizer 'sgd"):
        model = keras.models.load_model(GOLDEN / "keras2_line.keras")
    assert model.compiled and model.optimizer.name.startswith("sgd")
    assert model.predict(np.ones((1, 4)), verbose=0).shape == (1, 2)
