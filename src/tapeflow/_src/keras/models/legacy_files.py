"""Whole models and weights in the HDF5 files of Keras 2 (`.h5`), which Keras 3 still exchanges.

The configs stand in attributes of the file, the weights in the group `model_weights`, and the
state of the optimizer in `optimizer_weights`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import replacing
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.layers.preprocessing.vocabulary import vocabularies_in_configs
from tapeflow._src.keras.metrics.lookup import FUNCTIONS, KNOWN
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.deserialization import (
    SafeModeScope,
    in_safe_mode,
    located,
    read_object,
)
from tapeflow._src.keras.saving.hdf5 import WeightsFile, open_weights
from tapeflow._src.keras.saving.legacy_configs import (
    modern_optimizer,
    modern_part,
    modernized,
    simplified,
)
from tapeflow._src.keras.saving.legacy_weights import (
    LegacyWeights,
    read_dataset,
    stored_variables,
    variable_names,
    write_layers,
    write_variables,
)
from tapeflow._src.keras.saving.object_registration import CustomObjectScope
from tapeflow._src.keras.saving.registry import LAYER, LOSS, METRIC, OPTIMIZER, functions
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.saving.unchanged import unchanged_on_failure
from tapeflow._src.keras.version import __version__

h5py = LazyModule("h5py", needed_for="models and weights in HDF5")
_MODEL_WEIGHTS, _OPTIMIZER_WEIGHTS = "model_weights", "optimizer_weights"
# The number of steps in the first optimizers of Keras 2.
_STEP = "iter"
# Those of Keras 2 that are registered for files.
_KERAS_2_OPTIMIZERS = frozenset(
    [
        "Adadelta",
        "Adafactor",
        "Adagrad",
        "Adam",
        "AdamW",
        "Adamax",
        "Ftrl",
        "Lion",
        "Nadam",
        "RMSprop",
        "SGD",
    ]
)


# -- writing -------------------------------------------------------------------------------------


def save_legacy_model(model: Any, path: str, include_optimizer: bool = True) -> None:
    """Write a model to an HDF5 file, which is replaced at once.

    Keras 3 reads it, and Keras 2 what both express in the same way. Where the program asks for
    Keras 2, the file is in the form of Keras 2.
    """
    attributes = {"backend": "tensorflow", "keras_version": __version__}
    keras_2 = is_keras_2()
    with vocabularies_in_configs():  # there are no assets in HDF5
        config = simplified(serialize_keras_object(model), keras_2)
    attributes["model_config"] = json.dumps(
        {"class_name": config["class_name"], "config": config["config"]}
    )
    optimizer = getattr(model, "optimizer", None) if include_optimizer else None
    if optimizer is not None and model.compiled:
        training = training_config(model, optimizer, for_keras_2=keras_2)
        if keras_2:
            training["optimizer_config"] = _keras_2_optimizer(training["optimizer_config"])
        attributes["training_config"] = json.dumps(training)
    with replacing(path) as target, h5py.File(target, "w") as file:
        for name, text in attributes.items():
            file.attrs[name] = text
        write_layers(file.create_group(_MODEL_WEIGHTS), model)
        if optimizer is not None and optimizer.variables:
            _write_optimizer(file.create_group(_OPTIMIZER_WEIGHTS), optimizer, keras_2)


def _keras_2_optimizer(config: dict[str, Any]) -> dict[str, Any]:
    """The config of an optimizer as Keras 2 writes those that are not its first ones."""
    if config["class_name"] not in _KERAS_2_OPTIMIZERS:
        return config
    inner = {**config["config"], "is_legacy_optimizer": False}
    return {"class_name": f"Custom>{config['class_name']}", "config": inner}


def _write_optimizer(group: Any, optimizer: Any, keras_2: bool) -> None:
    """Write the state of an optimizer as Keras 2 restores it, if it has no more than that.

    Without `keras_2`, Keras 2 creates one of its first optimizers for the config. Keras 3 restores
    no state.
    """
    if keras_2 and type(optimizer).__name__ in _KERAS_2_OPTIMIZERS:
        write_variables(group, optimizer._tpf_without_rate())
        return
    state = optimizer._tpf_keras_2_state() if optimizer.built else None
    if state is None:
        write_variables(group, list(optimizer.variables))
        return
    names = [f"{optimizer.name}/{_STEP}", *(variable.path for variable in state[1:])]
    write_variables(group, state, names)


def training_config(model: Any, optimizer: Any, for_keras_2: bool = False) -> dict[str, Any]:
    """Return what `compile` was called with, as files have it.

    With `for_keras_2`, the names of metrics begin with those of their outputs, which Keras 3
    would repeat, and averages of weights are left to an optimizer that Keras 3 cannot read.
    """
    config = {**model.get_compile_config()}
    config.pop("optimizer", None)
    written = simplified(serialize_keras_object(optimizer))
    name = written.get("registered_name") or written["class_name"]
    config = {key: _simple_part(value) for key, value in config.items()}
    config["loss"] = _with_names(config["loss"], _full_loss)
    for part in ("metrics", "weighted_metrics"):
        config[part] = _with_names(config[part], _full_metric)
        if for_keras_2 and isinstance(config[part], dict):
            parts = config[part].items()
            config[part] = {name: _prefixed_by(name, metrics) for name, metrics in parts}
    inner = written["config"]
    if not inner.get("use_ema"):
        # The defaults, which the optimizers that Keras 2 creates here do not take.
        inner = {key: inner[key] for key in inner if key not in ("use_ema", "ema_momentum")}
    elif for_keras_2:
        inner = {**inner, "is_legacy_optimizer": False}
    config["optimizer_config"] = {"class_name": name, "config": inner}
    return config


def _with_names(config: Any, full: Callable[[str], Any]) -> Any:
    """Losses and metrics with the names in them replaced: Keras reads no abbreviations here."""
    if isinstance(config, str):
        return full(config)
    if isinstance(config, list):
        return [_with_names(item, full) for item in config]
    if isinstance(config, dict) and "class_name" not in config:
        return {key: _with_names(value, full) for key, value in config.items()}
    return config


def _full_loss(name: str) -> str:
    function = functions("losses").get(name)
    return name if function is None else function.__name__


def _full_metric(name: str) -> Any:
    if name in ("accuracy", "acc", "crossentropy", "ce"):
        return name
    if name not in KNOWN and name not in FUNCTIONS:
        # A function of the user's, which `custom_objects` has when the file is read.
        return name
    config = _simple_part(serialize_keras_object(tf.keras.metrics.get(name)))
    return {**config, "config": {**config["config"], "name": name}} if config else name


def _simple_part(config: Any) -> Any:
    """Losses and metrics without their modules."""
    config = simplified(config)
    if isinstance(config, list):
        return [_simple_part(item) for item in config]
    if not isinstance(config, dict):
        return config
    if "class_name" not in config:
        return {key: _simple_part(value) for key, value in config.items()}
    name = config.get("registered_name") or config["class_name"]
    return {"class_name": name, "config": config["config"]}


def save_legacy_weights(model: Any, path: str) -> None:
    """Write the weights of a model to an HDF5 file."""
    with replacing(path) as target, h5py.File(target, "w") as file:
        write_layers(file, model)


# -- reading -------------------------------------------------------------------------------------


def is_legacy(file: WeightsFile) -> bool:
    """Whether a file of weights lists the names of layers."""
    return bool(file.names("", "layer_names")) or file.has_group(_MODEL_WEIGHTS)


def assign_legacy_weights(
    model: Any, file: WeightsFile, by_name: bool, skip_mismatch: bool
) -> None:
    """Assign the values in an open file, by the order or the names of layers."""
    whole = not file.names("", "layer_names") and file.has_group(_MODEL_WEIGHTS)
    saved = LegacyWeights(file, _MODEL_WEIGHTS if whole else "")
    matched = saved.by_name if by_name else saved.by_topology
    for variable, value in matched(model, skip_mismatch):
        variable.assign(value)


def load_legacy_model(
    path: str, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Read a model from an HDF5 file; if that fails, the program is as before."""
    size = tf.io.gfile.stat(path).length
    budget = limits.FREE_BYTES + limits.VARIABLE_RATIO * size
    asked = in_safe_mode()
    with (
        unchanged_on_failure(),
        limits.variable_budget(budget),
        open_weights(path, path) as file,
        SafeModeScope(safe_mode if asked is None else asked),
        CustomObjectScope(custom_objects),
    ):
        model = _created(file, custom_objects)
        values = LegacyWeights(file, _MODEL_WEIGHTS).by_topology(model, False)
        training = _json_attribute(file, "training_config") if compile else None
        if training is not None:
            compile_as_saved(model, training)
        for variable, value in values:
            variable.assign(value)
        if training is not None and file.has_group(_OPTIMIZER_WEIGHTS):
            _restore_optimizer(model, file)
    return model


def _json_attribute(file: WeightsFile, name: str) -> Any:
    text = file.text("", name, limits.CONFIG_BYTES)
    return None if text is None else limits.parse_json(text, f"`{name}` in {file.name}")


def _created(file: WeightsFile, custom_objects: Any) -> Any:
    config = _json_attribute(file, "model_config")
    if config is None:
        raise ValueError(
            f"{file.name} has no model config: it has the weights of a model alone. Create the "
            f"model, and call `model.load_weights({file.name!r})`."
        )
    return read_object(modernized(config), LAYER, custom_objects)


def compile_as_saved(model: Any, config: Any) -> None:
    if not isinstance(config, dict):
        raise ValueError(f"Expected a dict in `training_config`, but received {config!r}.")
    with located(".training_config"):
        arguments = {
            "optimizer": read_object(modern_optimizer(config.get("optimizer_config")), OPTIMIZER)
        }
        for name, kind in (("loss", LOSS), ("metrics", METRIC), ("weighted_metrics", METRIC)):
            with located(f".{name}"):
                part = modern_part(_unprefixed(config.get(name), model))
                arguments[name] = read_object(part, kind, required=False)
        arguments["loss_weights"] = config.get("loss_weights")
        model.compile(**arguments)


def _unprefixed(part: Any, model: Any) -> Any:
    """Metrics without the names of outputs, which Keras 2 writes in front of theirs."""
    names = getattr(model, "output_names", None) or []
    if isinstance(part, dict) and "class_name" not in part:
        return {name: _unprefixed_by(name, metrics) for name, metrics in part.items()}
    if len(names) < 2 or not isinstance(part, list) or len(part) != len(names):
        return part
    return [_unprefixed_by(name, metrics) for name, metrics in zip(names, part)]


def _prefixed_by(output: str, metrics: Any) -> Any:
    return _renamed(metrics, lambda name: f"{output}_{name}")


def _unprefixed_by(output: Any, metrics: Any) -> Any:
    return _renamed(metrics, lambda name: name.removeprefix(f"{output}_"))


def _renamed(metric: Any, rename: Callable[[str], str]) -> Any:
    """The config of a metric, or of metrics in lists, with another name."""
    if isinstance(metric, list):
        return [_renamed(each, rename) for each in metric]
    config = metric.get("config") if isinstance(metric, dict) else None
    if not isinstance(config, dict) or not isinstance(config.get("name"), str):
        return metric
    return {**metric, "config": {**config, "name": rename(config["name"])}}


def _restore_optimizer(model: Any, file: WeightsFile) -> None:
    """Restore the optimizer state; warn and skip it if it is another optimizer's."""
    optimizer = model.optimizer
    datasets = stored_variables(file, _OPTIMIZER_WEIGHTS)
    names = variable_names(file, _OPTIMIZER_WEIGHTS)
    optimizer.build(model.trainable_variables)
    targets = state_variables(optimizer, len(datasets))
    if names and names[0].split(":")[0].rpartition("/")[-1] == _STEP:
        targets = optimizer._tpf_keras_2_state() or targets
    fits = len(targets) == len(datasets) and all(
        tuple(each.shape or ()) == tuple(variable.shape)
        for variable, each in zip(targets, datasets)
    )
    if not fits:
        warn_user(
            f"The state of optimizer '{optimizer.name}' in {file.name} does not fit it: expected "
            f"{len(targets)} variables, received {len(datasets)}. The optimizer starts anew."
        )
        return
    for variable, dataset in zip(targets, datasets):
        variable.assign(read_dataset(file, dataset))


def state_variables(optimizer: Any, count: int) -> list[Any]:
    """Return the variables of an optimizer that a file with `count` of them has values for.

    Keras 2 writes the learning rate into the config alone.
    """
    variables = list(optimizer.variables)
    if count == len(variables) - 1:
        return [each for each in variables if each is not optimizer._learning_rate]
    return variables
