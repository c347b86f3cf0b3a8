"""Weights in HDF5 as Keras 2 orders them: a group for each layer, which lists its weights.

The names of layers and of weights stand in attributes, in order; HDF5 limits the size of an
attribute, so long lists are split into numbered parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.saving.hdf5 import WeightsFile
from tapeflow._src.keras.version import __version__

_LAYERS, _WEIGHTS = "layer_names", "weight_names"
_TOP_LEVEL = "top_level_model_weights"
# What an attribute may take, so that it fits into the header of its group.
_HEADER_BYTES = 64512


def weights_of(layer: Any) -> list[Any]:
    """The weights of a layer in the order of such files: those that are trained come first."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def _top_level(model: Any) -> list[Any]:
    """The weights of a model that belong to none of its layers."""
    inner = {id(weight) for layer in model.layers for weight in layer.weights}
    return [weight for weight in weights_of(model) if id(weight) not in inner]


# -- writing -------------------------------------------------------------------------------------


def write_layers(group: Any, model: Any) -> None:
    """Write the weights of all layers of a model into a group."""
    _set_names(group, _LAYERS, [layer.name for layer in model.layers])
    group.attrs["backend"] = "tensorflow"
    group.attrs["keras_version"] = __version__
    for layer in sorted(model.layers, key=lambda each: each.name):
        write_variables(group.create_group(layer.name), weights_of(layer))
    write_variables(group.create_group(_TOP_LEVEL), _top_level(model))


def write_variables(group: Any, variables: list[Any], names: list[str] | None = None) -> None:
    """Write variables into a group, and their names in order; by default these are the paths."""
    names = _unique([variable.path for variable in variables] if names is None else names)
    _set_names(group, _WEIGHTS, names)
    for name, variable in zip(names, variables):
        value = variable.numpy()
        dataset = group.create_dataset(name, data=value)
        if dataset.dtype.kind == "V":
            dataset.attrs["dtype"] = value.dtype.name


def _unique(names: list[str]) -> list[str]:
    """The names, numbered where one occurs again."""
    used: dict[str, int] = {}
    unique = []
    for name in names:
        number = used[name] = used.get(name, -1) + 1
        unique.append(f"{name}_{number}" if number else name)
    return unique


def _set_names(group: Any, attribute: str, names: list[str]) -> None:
    encoded = [name.encode("utf-8") for name in names]
    # Texts of any length are references of 16 bytes in the attribute.
    room = _HEADER_BYTES // 2 // max([16, *map(len, encoded)])
    if len(encoded) <= room:
        group.attrs[attribute] = encoded
        return
    for number, start in enumerate(range(0, len(encoded), room)):
        group.attrs[f"{attribute}{number}"] = np.array(encoded[start : start + room])


# -- reading -------------------------------------------------------------------------------------


class LegacyWeights:
    """The layers of such a file: their names, and the values of their weights."""

    def __init__(self, file: WeightsFile, root: str = "") -> None:
        self._file = file
        self._root = root
        self.layer_names = file.names(root, _LAYERS)

    def datasets(self, layer_name: str) -> list[Any]:
        """The datasets of a layer, in order."""
        return stored_variables(self._file, f"{self._root}/{layer_name}")

    def by_topology(self, model: Any, skip_mismatch: bool) -> list[tuple[Any, Any]]:
        """The weights of a model with their values: the layers that have some, one by one."""
        layers = [layer for layer in model.layers if weights_of(layer)]
        saved = [(name, weights) for name in self.layer_names if (weights := self.datasets(name))]
        if len(saved) != len(layers):
            raise ValueError(
                f"The model '{model.name}' has {len(layers)} layers with weights, but "
                f"{self._file.name} has {len(saved)}. Pass `by_name=True` to load the layers whose "
                f"names agree."
            )
        values: list[tuple[Any, Any]] = []
        for layer, (name, datasets) in zip(layers, saved):
            what = f"Layer '{layer.name}' ('{name}' in {self._file.name})"
            values += self._matched(weights_of(layer), datasets, what, skip_mismatch)
        return values + self._of_model(model, skip_mismatch)

    def by_name(self, model: Any, skip_mismatch: bool) -> list[tuple[Any, Any]]:
        """The weights of the layers that the file has under their names, with their values."""
        values: list[tuple[Any, Any]] = []
        for name in self.layer_names:
            for layer in model.layers:
                if layer.name == name:
                    what = f"Layer '{name}' (in {self._file.name})"
                    datasets = self.datasets(name)
                    values += self._matched(weights_of(layer), datasets, what, skip_mismatch)
        return values + self._of_model(model, skip_mismatch)

    def _of_model(self, model: Any, skip_mismatch: bool) -> list[tuple[Any, Any]]:
        if not self._file.has_group(f"{self._root}/{_TOP_LEVEL}"):
            return []
        what = f"The model '{model.name}' (in {self._file.name})"
        return self._matched(_top_level(model), self.datasets(_TOP_LEVEL), what, skip_mismatch)

    def _matched(
        self, variables: list[Any], datasets: list[Any], what: str, skip_mismatch: bool
    ) -> list[tuple[Any, Any]]:
        if len(variables) != len(datasets):
            problem = (
                f"{what} expected {len(variables)} weights, but received {len(datasets)} from the "
                f"file."
            )
            if not skip_mismatch:
                raise ValueError(problem)
            warn_user(f"{problem} They are skipped.")
            return []
        pairs = []
        for variable, dataset in zip(variables, datasets):
            problem_of = _mismatch(variable, dataset)
            if problem_of is None:
                pairs.append((variable, read_dataset(self._file, dataset)))
            elif skip_mismatch:
                warn_user(f"{what}: {problem_of} The weight is skipped.")
            else:
                raise ValueError(f"{what}: {problem_of}")
        return pairs


def stored_variables(file: WeightsFile, path: str) -> list[Any]:
    """The datasets that a group lists, in order."""
    return [file.dataset(f"{path}/{name}") for name in file.names(path, _WEIGHTS)]


def variable_names(file: WeightsFile, path: str) -> list[str]:
    """The names that a group lists, in order."""
    return file.names(path, _WEIGHTS)


def read_dataset(file: WeightsFile, dataset: Any) -> Any:
    """The value of a dataset; two bytes that are no number of HDF5 are a bfloat16."""
    value = file.read(dataset)
    return value.view(tf.bfloat16.as_numpy_dtype) if value.dtype.kind == "V" else value


def _mismatch(variable: Any, dataset: Any) -> str | None:
    if tuple(dataset.shape or ()) != tuple(variable.shape):
        return (
            f"the weight {variable.path} has the shape {tuple(variable.shape)}, but the file has "
            f"{dataset.shape}."
        )
    if dataset.dtype.kind == "c" and not variable.dtype.is_complex:
        return f"the weight {variable.path} has real numbers, but the file has complex ones."
    return None
