"""The weights of a model in files: Keras' HDF5 (`.weights.h5`), or a TensorFlow checkpoint.

In HDF5 the variables of a layer are in the group `vars` at its path (`saved_layers`), by number
unless the layer says otherwise.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import replacing
from tapeflow._src.internal.meshes import written_once
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.models.legacy_files import (
    assign_legacy_weights,
    is_legacy,
    save_legacy_weights,
    state_variables,
)
from tapeflow._src.keras.models.orbax_files import assign_state, is_orbax, read_checkpoint
from tapeflow._src.keras.models.saved_layers import other_paths, saved_layers
from tapeflow._src.keras.saving.archive import open_archive
from tapeflow._src.keras.saving.hdf5 import WeightsFile, open_weights
from tapeflow._src.keras.saving.shards import open_shards, write_shards

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
_SUFFIX, _INDEX = ".weights.h5", ".weights.json"
# The weights in a `.keras` archive.
_MEMBER = "model.weights.h5"
_OPTIMIZER = "optimizer/vars"
_CHECKPOINT = ("tf", "tensorflow")
_folders = LazyModule("tapeflow._src.keras.models.saved_model_writer")


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, max_shard_size: Any = None, **kwargs: Any
) -> None:
    """Write the weights of a model.

    Args:
        model: the model.
        filepath: a file that ends in `.weights.h5`; one that ends in `.h5` or `.hdf5` is written
            as by Keras 2, and any other name is the prefix of a TensorFlow checkpoint, which has
            the state of the optimizer, too, and is the latest one of its folder.
        overwrite: whether a file that exists is replaced.
        max_shard_size: the gigabytes that a file may have; there are several, then, and an index
            of them that ends in `.weights.json`.
        **kwargs: `objects_to_skip`, layers that are left out of a `.weights.h5` file; of Keras 2:
            `save_format`, which is `"h5"` or `"tf"`, and `options`.
    """
    path = os.fspath(filepath)
    save_format = kwargs.pop("save_format", None)
    kwargs.pop("options", None)
    skipped = kwargs.pop("objects_to_skip", None) or ()
    if kwargs or save_format not in (None, "h5", "hdf5", "keras", *_CHECKPOINT):
        raise ValueError(
            f"`save_weights` takes `objects_to_skip`, `save_format` ('h5' or 'tf') and `options`. "
            f"Received: save_format={save_format!r} and {sorted(kwargs)}"
        )
    if skipped and not path.endswith((_SUFFIX, _INDEX)):
        raise _not_skipped(path)
    if save_format in _CHECKPOINT:
        if path.endswith((".h5", ".hdf5", ".keras")):
            raise ValueError(f"Expected the prefix of a checkpoint. Received: filepath={path}")
        _folders.save_checkpoint(model, path)
        return
    legacy = path.endswith((".h5", ".hdf5")) and not path.endswith(_SUFFIX)
    legacy = legacy or (save_format is not None and not path.endswith((_SUFFIX, ".keras")))
    if path.endswith(".keras") or (max_shard_size is not None and legacy):
        raise ValueError(f"The filename must end in `{_SUFFIX}`. Received: filepath={path}")
    if not path.endswith((_SUFFIX, _INDEX)) and not legacy and max_shard_size is None:
        _folders.save_checkpoint(model, path)
        return
    if not model.built:
        raise ValueError(
            f"The model '{model.name}' is not built, so it has no weights to save: call it on a "
            f"batch of data, or call its `build` method, first."
        )
    with written_once(path, model.variables, overwrite) as own:
        if legacy:
            save_legacy_weights(model, own)
        elif max_shard_size is not None or path.endswith(_INDEX):
            with tempfile.TemporaryFile() as whole:
                write_weights(model, whole, skipped)
                whole.seek(0)
                write_shards(whole, own, max_shard_size)
        else:
            # Replaced at once and durably: who reads finds the old weights or the new ones.
            with replacing(own) as file:
                write_weights(model, file, skipped)


def write_weights(model: Any, target: Any, skipped: Iterable[Any] = ()) -> None:
    """Write the weights of a model as HDF5, to a file that is open for reading and writing."""
    with h5py.File(target, "w") as file:
        for path, layer in saved_layers(model, skipped):
            group = file.create_group(f"{path}vars")
            group.attrs["name"] = layer.name
            values: dict[str, Any] = {}
            layer.save_own_variables(values)
            for name, value in values.items():
                write_dataset(group, name, np.asarray(value))
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None:
            values = {}
            optimizer.save_own_variables(values)
            group = file.create_group(_OPTIMIZER)
            for name, value in values.items():
                write_dataset(group, name, value)


def write_dataset(group: Any, name: str, value: Any) -> None:
    """Write a value into a group."""
    dataset = group.create_dataset(name, data=value)
    if dataset.dtype.kind == "V":
        # HDF5 has no such numbers, only their bytes: which ones they are is noted as Keras does.
        dataset.attrs["dtype"] = value.dtype.name


def read_weights(
    model: Any, file: WeightsFile, skip_mismatch: bool = False, skipped: Iterable[Any] = ()
) -> None:
    """Read the weights of a model; all are read and checked before the first is assigned."""
    values: list[tuple[Any, Any]] = []
    stores: list[tuple[Any, Any]] = []
    for path, layer in saved_layers(model, skipped):
        saved = file.datasets(f"{path}vars")
        if layer._tpf_has_plain_variables():
            if not saved and layer._tpf_own_variables():
                path, saved = _elsewhere(model, layer, file, path)
            values += _checked(layer, path, file, saved, skip_mismatch)
        else:
            stores.append((layer, {name: _read(file, each) for name, each in saved.items()}))
    with _unchanged_on_failure(model) if stores else nullcontext():
        for layer, store in stores:
            _load_own(layer, store, skip_mismatch)
        _read_with_optimizer(model, file, values)


def _elsewhere(model: Any, layer: Any, file: WeightsFile, saved_path: str) -> tuple[str, Any]:
    """The variables of a layer at another path that leads to it, if the file has them there."""
    for path in other_paths(model, layer):
        saved = file.datasets(f"{path}vars")
        if saved and _problem(layer, layer._tpf_own_variables(), saved) is None:
            return path, saved
    return saved_path, {}


def _load_own(layer: Any, store: dict[str, Any], skip_mismatch: bool) -> None:
    """Let a layer that defines how it is loaded do it."""
    try:
        layer.load_own_variables(store)
    except Exception as error:
        if not skip_mismatch:
            raise
        warn_user(f"Layer '{layer.name}' could not load its variables: {error} It is skipped.")


@contextmanager
def _unchanged_on_failure(model: Any) -> Iterator[None]:
    """If the block raises, let the variables of the model have the values from before."""
    before = [(variable, variable.numpy()) for variable in model.variables]
    try:
        yield
    except BaseException:
        _assign(before)
        raise


def _read_with_optimizer(model: Any, file: WeightsFile, values: list[tuple[Any, Any]]) -> None:
    """Assign the values of variables and those of the optimizer's."""
    optimizer, saved = getattr(model, "optimizer", None), file.datasets(_OPTIMIZER)
    if optimizer is None or not saved:
        _assign(values)
        return
    with _unbuilt_on_failure(optimizer):
        # As many as there are before the first step: an optimizer that was never used.
        if not optimizer.built and len(saved) > len(optimizer.variables):
            optimizer.build(model.trainable_variables)
        store = _optimizer_values(optimizer, file, saved)
        _assign(values)
        if store is not None:
            optimizer.load_own_variables(store)


def _assign(values: list[tuple[Any, Any]]) -> None:
    for variable, value in values:
        variable.assign(value)


@contextmanager
def _unbuilt_on_failure(optimizer: Any) -> Iterator[None]:
    """If the block raises, leave an optimizer that was not built as it was."""
    before = {
        name: type(value)(value) if type(value) in (list, dict) else value
        for name, value in vars(optimizer).items()
    }
    built = optimizer.built
    try:
        yield
    except BaseException:
        if not built:
            vars(optimizer).clear()
            vars(optimizer).update(before)
        raise


def _optimizer_values(optimizer: Any, file: WeightsFile, saved: dict[str, Any]) -> Any:
    """The values for `load_own_variables`; None, with a warning, if it is another optimizer's."""
    targets = state_variables(optimizer, len(saved))
    if len(saved) != len(targets):
        warn_user(
            f"Skipping variable loading for optimizer '{optimizer.name}': it has "
            f"{len(targets)} variables, but {file.name} has {len(saved)}.",
        )
        return None
    values = {}
    for number, variable in enumerate(targets):
        problem = _mismatch(variable, str(number), saved)
        if problem is not None:
            raise ValueError(
                f"Optimizer '{optimizer.name}': {problem} (At `{_OPTIMIZER}` in {file.name}.)"
            )
        values[id(variable)] = _read(file, saved[str(number)])
    return {
        str(number): values[id(variable)] if id(variable) in values else variable.numpy()
        for number, variable in enumerate(optimizer.variables)
    }


def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> Any:
    """Read the weights of a model.

    Args:
        model: the model, which is built.
        filepath: a file of weights in HDF5, of Keras 3 or 2; the index of several such files
            (`.weights.json`); a whole model (`.keras`); the folder of an Orbax checkpoint; or the
            prefix of a TensorFlow checkpoint.
        skip_mismatch: whether layers that do not fit are skipped with a warning.
        **kwargs: `by_name`, for files of Keras 2: load the layers whose names agree;
            `objects_to_skip`, layers that a `.weights.h5` file is not read for; `options`.

    Returns:
        For checkpoints what `tf.train.Checkpoint.read` returns: it says what was found.
    """
    path = os.fspath(filepath)
    by_name = kwargs.pop("by_name", False)
    kwargs.pop("options", None)
    skipped = kwargs.pop("objects_to_skip", None)
    if kwargs:
        raise ValueError(f"`load_weights` received the unknown arguments {sorted(kwargs)}.")
    if skipped is not None and not path.endswith((_SUFFIX, _INDEX)):
        raise _not_skipped(path)
    if not path.endswith((".h5", ".hdf5", ".keras", _INDEX)):
        if by_name:
            raise _no_names(path)
        if is_orbax(path):
            assign_state(model, read_checkpoint(path))
            return None
        status = tf.train.Checkpoint(model).read(path)
        # That nothing fits is a mistake, although there may be variables that are yet to come.
        return status.assert_nontrivial_match()
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file of weights at {path}.")
    if not model.built:
        raise ValueError(
            f"The model '{model.name}' is not built, so there is nothing to load {path} into: call "
            f"it on a batch of data, or call its `build` method, first."
        )
    with _opened(path) as file:
        if isinstance(file, WeightsFile) and is_legacy(file):
            assign_legacy_weights(model, file, by_name, skip_mismatch)
        elif by_name:
            raise _no_names(path)
        else:
            read_weights(model, file, skip_mismatch, skipped or ())
    return None


def _not_skipped(path: str) -> ValueError:
    return ValueError(f"`objects_to_skip` is for `{_SUFFIX}` files. Received: filepath={path}")


def _no_names(path: str) -> ValueError:
    return ValueError(
        f"`by_name` is for the `.h5` files of Keras 2, which have the names of layers. Received: "
        f"filepath={path}"
    )


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """The weights in a file of any kind."""
    if path.endswith(_INDEX):
        with open_shards(path) as shards:
            yield shards
        return
    if not path.endswith(".keras"):
        with open_weights(path, path) as file:
            yield file
        return
    with tempfile.TemporaryFile() as copy:
        with open_archive(path) as archive:
            archive.copy(_MEMBER, copy)
        with open_weights(copy, f"`{_MEMBER}` in {path}") as file:
            yield file


def _checked(
    layer: Any, path: str, file: WeightsFile, saved: dict[str, Any], skip_mismatch: bool
) -> list[tuple[Any, Any]]:
    """The variables of a layer with the values that the file has for them."""
    variables = layer._tpf_own_variables()
    problem = _problem(layer, variables, saved)
    if problem is None:
        return [(each, _read(file, saved[str(n)])) for n, each in enumerate(variables)]
    if not skip_mismatch:
        raise ValueError(
            f"{problem} (At `{path or '/'}` in {file.name}.) Load into a model with the same "
            f"layers as the one that was saved, or skip such layers with skip_mismatch=True."
        )
    warn_user(f"{problem} The layer is skipped.")
    return []


def _problem(layer: Any, variables: list[Any], saved: dict[str, Any]) -> str | None:
    if len(saved) != len(variables):
        if not layer.built:
            return (
                f"Layer '{layer.name}' is not built and has no variables, but the file has "
                f"{len(saved)} for it. Call the model once on data, or `build` it, before loading."
            )
        return (
            f"Layer '{layer.name}' expected {len(variables)} variables, but received {len(saved)} "
            f"from the file. Expected: {[_name(variable) for variable in variables]}."
        )
    for number, variable in enumerate(variables):
        problem = _mismatch(variable, str(number), saved)
        if problem is not None:
            return f"Layer '{layer.name}': {problem}"
    return None


def _mismatch(variable: Any, number: str, saved: dict[str, Any]) -> str | None:
    """Return the problem of a variable's dataset as an error message; None if it fits."""
    if number not in saved:
        return f"there is no dataset '{number}' for the weight {_name(variable)}."
    dataset = saved[number]
    if tuple(dataset.shape or ()) != tuple(variable.shape):
        return (
            f"the weight {_name(variable)} has the shape {tuple(variable.shape)}, but the file has "
            f"{dataset.shape}."
        )
    if dataset.dtype.kind == "c" and not variable.dtype.is_complex:
        return f"the weight {_name(variable)} has real numbers, but the file has complex ones."
    return None


def _name(variable: Any) -> str:
    return getattr(variable, "path", variable.name)


def _read(file: WeightsFile, dataset: Any) -> Any:
    value = file.read(dataset)
    return value.view(tf.bfloat16.as_numpy_dtype) if value.dtype.kind == "V" else value
