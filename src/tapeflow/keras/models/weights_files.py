"""The weights of a model in files: Keras' HDF5 (`.weights.h5`), or a TensorFlow checkpoint.

In HDF5 the variables of a layer stand in the group `vars`, by number, and the layers inside it in
groups that bear the names of attributes, or `layers`, in which they go by their classes.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tapeflow as tf
from tapeflow.core.lazy import LazyModule
from tapeflow.keras.layers.layer_state import LayerState
from tapeflow.keras.utils.naming import to_snake_case

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
_SUFFIX = ".weights.h5"
_OPTIMIZER = "optimizer/vars"


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, max_shard_size: Any = None
) -> None:
    """Write the weights of a model."""
    path = os.fspath(filepath)
    if max_shard_size is not None:
        raise NotImplementedError(
            f"Weights in several files are not supported. Received: max_shard_size={max_shard_size}"
        )
    if not path.endswith(_SUFFIX):
        if path.endswith((".h5", ".keras", ".hdf5")):
            raise ValueError(f"The filename must end in `{_SUFFIX}`. Received: filepath={path}")
        tf.train.Checkpoint(model).write(path)
        return
    if not model.built:
        warnings.warn(
            f"You are saving a model that has not yet been built. It might not contain any "
            f"weights yet: call `{model.name}` on a batch of data first.",
            stacklevel=3,
        )
    if Path(path).exists() and not overwrite:
        raise FileExistsError(f"{path} exists already, and `overwrite` is False.")
    # Written beside, and then put in place: who reads finds the old weights or the new ones.
    unfinished = f"{path}.{os.getpid()}.unfinished"
    try:
        write_weights(model, unfinished)
        os.replace(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def write_weights(model: Any, target: Any) -> None:
    """Write the weights of a model as HDF5, to a path or a file that is open."""
    with h5py.File(target, "w") as file:
        for place, layer in _places(model):
            group = file.create_group(f"{place}vars")
            group.attrs["name"] = layer.name
            for number, variable in enumerate(layer._own_variables()):
                group.create_dataset(str(number), data=variable.numpy())
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None:
            values: dict[str, Any] = {}
            optimizer.save_own_variables(values)
            group = file.create_group(_OPTIMIZER)
            for name, value in values.items():
                group.create_dataset(name, data=value)


def read_weights(model: Any, source: Any, skip_mismatch: bool = False) -> None:
    """Read the weights of a model from HDF5, at a path or in a file that is open."""
    with h5py.File(source, "r") as file:
        for place, layer in _places(model):
            group = file.get(f"{place}vars")
            _load_own(layer, place, {} if group is None else group, skip_mismatch)
        optimizer, group = getattr(model, "optimizer", None), file.get(_OPTIMIZER)
        if optimizer is not None and group is not None:
            # As many as there are before the first step: an optimizer that was never used.
            if not optimizer.built and len(group) > len(optimizer.variables):
                optimizer.build(model.trainable_variables)
            optimizer.load_own_variables({name: group[name][()] for name in group})


def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> Any:
    """Read the weights of a model."""
    path = os.fspath(filepath)
    if kwargs:
        raise ValueError(f"Invalid keyword arguments: {kwargs}")
    if not path.endswith(_SUFFIX):
        if path.endswith((".h5", ".keras", ".hdf5")):
            raise ValueError(
                f"Weights are loaded from files that end in `{_SUFFIX}`, or from TensorFlow "
                f"checkpoints. Received: filepath={path}"
            )
        return tf.train.Checkpoint(model).read(path)
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file of weights at {path}.")
    read_weights(model, path, skip_mismatch)
    return None


def _load_own(layer: Any, place: str, saved: Any, skip_mismatch: bool) -> None:
    variables = layer._own_variables()
    problem = _problem(layer, variables, saved)
    if problem is None:
        for number, variable in enumerate(variables):
            variable.assign(saved[str(number)][()])
    elif skip_mismatch:
        warnings.warn(f"{problem} The layer is skipped.", stacklevel=4)
    else:
        raise ValueError(f"{problem} (At `{place or '/'}` in the file.)")


def _problem(layer: Any, variables: list[Any], saved: Any) -> str | None:
    if len(saved) != len(variables):
        if not layer.built:
            return (
                f"Layer '{layer.name}' was never built and thus it doesn't have any variables. "
                f"However the weights file lists {len(saved)} variables for this layer. Call the "
                f"model on a batch of data, or `build` it, before loading."
            )
        return (
            f"Layer '{layer.name}' expected {len(variables)} variables, but received "
            f"{len(saved)} variables during loading. Expected: "
            f"{[getattr(v, 'path', v.name) for v in variables]}."
        )
    for number, variable in enumerate(variables):
        shape = tuple(saved[str(number)].shape)
        if shape != tuple(variable.shape):
            return (
                f"Layer '{layer.name}': the weight {getattr(variable, 'path', variable.name)} has "
                f"the shape {tuple(variable.shape)}, but the file has {shape}."
            )
    return None


def _places(root: Any) -> Iterator[tuple[str, Any]]:
    """All layers of a model, each once, with the groups in which their variables are."""
    seen: set[int] = set()

    def walk(layer: Any, place: str) -> Iterator[tuple[str, Any]]:
        if id(layer) in seen:
            return
        seen.add(id(layer))
        yield place, layer
        for name, value in _children(layer):
            if isinstance(value, LayerState):
                yield from walk(value, f"{place}{name}/")
            else:
                yield from walk_all(value, f"{place}{name}/")

    def walk_all(items: Any, place: str) -> Iterator[tuple[str, Any]]:
        used: Counter[str] = Counter()
        for item in items:
            if isinstance(item, LayerState):
                name = to_snake_case(type(item).__name__)
                number = used[name]
                used[name] += 1
                yield from walk(item, f"{place}{name}_{number}/" if number else f"{place}{name}/")

    return walk(root, "")


def _children(layer: Any) -> Iterator[tuple[str, Any]]:
    """The layers inside a layer and lists of them, by the names that the file has for them."""
    made_of_layers = {"_functional", "_operations", "_sequence"} & layer.__dict__.keys()
    # The property `layers` of a model is met among its attributes, by the alphabet.
    names = set() if made_of_layers else set(layer._tracked)
    for name in sorted(names | {"layers"}):
        value = getattr(layer, name, ())
        if isinstance(value, LayerState):
            yield name, value
        elif isinstance(value, dict):
            yield name, list(value.values())
        elif isinstance(value, (list, tuple, set)):
            yield name, list(value)
