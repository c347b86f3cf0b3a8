"""`KerasFileEditor`: the weights in a file, to look at, to change and to write to another file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import replacing
from tapeflow._src.keras.models.saved_layers import saved_layers
from tapeflow._src.keras.models.weights_files import write_dataset
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.archive import open_archive
from tapeflow._src.keras.saving.hdf5 import WeightsFile, open_weights
from tapeflow._src.keras.saving.legacy_weights import read_dataset

h5py = LazyModule("h5py", needed_for="files of weights in HDF5")
_SUFFIX, _WEIGHTS, _VARIABLES = ".weights.h5", "model.weights.h5", "vars"
_OPTIMIZER = "optimizer"
Weights = dict[str, Any]


class KerasFileEditor:
    """Shows and changes the weights in a `.keras` or `.weights.h5` file.

    That helps with weights of a model whose layers have changed since. The file itself stays as it
    is; `save` writes another one.

    Args:
        filepath: File to read.

    Attributes:
        weights_dict: The weights by the names of objects, as dicts in dicts of arrays.
        object_metadata: The names of layers, by the paths of their objects.
        config: The config of the model in a `.keras` file, or None.
        metadata: What a `.keras` file says of its version, or None.

    Raises:
        ValueError: The name has another ending, or the file cannot be read.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> model.save_weights("old.weights.h5")
        >>> editor = tf.keras.saving.KerasFileEditor("old.weights.h5")
        >>> editor.rename_object("dense", "scores")
        >>> editor.save("new.weights.h5")
    """

    def __init__(self, filepath: Any) -> None:
        self.filepath = os.fspath(filepath)
        self.config: Any = None
        self.metadata: Any = None
        self.object_metadata: dict[str, str] = {}
        if not self.filepath.endswith((".keras", _SUFFIX)):
            raise ValueError(
                f"Expected the name of a `.keras` or `{_SUFFIX}` file. Received: "
                f"filepath={self.filepath}"
            )
        try:
            with self._opened() as file:
                self.weights_dict = self._read(file, "")
        except OSError as error:
            raise ValueError(f"{self.filepath} cannot be read: {error}") from error

    @contextmanager
    def _opened(self) -> Iterator[WeightsFile]:
        if self.filepath.endswith(_SUFFIX):
            with open_weights(self.filepath, self.filepath) as file:
                yield file
            return
        with tempfile.TemporaryFile() as copy:
            with open_archive(self.filepath) as archive:
                for name, attribute in (("config", "config"), ("metadata", "metadata")):
                    data = archive.read(f"{name}.json", limits.CONFIG_BYTES)
                    where = f"`{name}.json` in {self.filepath}"
                    setattr(self, attribute, limits.parse_json(data, where))
                archive.copy(_WEIGHTS, copy)
            with open_weights(copy, f"`{_WEIGHTS}` in {self.filepath}") as file:
                yield file

    def _read(self, file: WeightsFile, path: str) -> Weights:
        """Return the weights below a group; variables of an object are not nested in a dict."""
        weights: Weights = {}
        for name in file.groups(path):
            inner = f"{path}/{name}".strip("/")
            if name == _VARIABLES:
                label = file.text(inner, "name", limits.MEBIBYTE)
                if label is not None:
                    self.object_metadata[path] = label
                datasets = file.datasets(inner)
                weights |= {key: read_dataset(file, each) for key, each in datasets.items()}
                continue
            below = self._read(file, inner)
            if below:
                weights[name] = below
        return weights

    # -- looking -------------------------------------------------------------------------------

    def summary(self) -> None:
        """Print the objects in the file, and the shapes and dtypes of their weights."""
        print(f"Weights in {self.filepath}")
        self._print(self.weights_dict, "", 1)

    def _print(self, weights: Weights, path: str, depth: int) -> None:
        for name, value in weights.items():
            space = "    " * depth
            if not isinstance(value, dict):
                print(f"{space}{name}: shape={value.shape}, dtype={value.dtype.name}")
                continue
            inner = f"{path}/{name}".strip("/")
            label = self.object_metadata.get(inner)
            print(f"{space}{name}" + (f" ('{label}')" if label and label != name else ""))
            self._print(value, inner, depth + 1)

    def compare(self, reference_model: Any) -> dict[str, Any]:
        """Compare the weights with those of a model, and print the differences.

        Args:
            reference_model: Model that is built.

        Returns:
            A dict with `status` (`"success"` or `"error"`), `error_count` and `match_count`. The
            state of optimizers is not compared.
        """
        expected = _weights_of(reference_model)
        saved = {path: each for path, each in _objects(self.weights_dict, "") if path}
        saved = {path: each for path, each in saved.items() if path.split("/")[0] != _OPTIMIZER}
        problems = [f"{path}: only in the file" for path in saved if path not in expected]
        matches = 0
        for path, shapes in expected.items():
            if shapes and path not in saved:
                problems.append(f"{path}: only in the model")
                continue
            own = saved.get(path, {})
            for name in {**shapes, **own}:
                here = own[name].shape if name in own else "nothing"
                expected_shape = shapes.get(name, "nothing")
                if here == expected_shape:
                    matches += 1
                else:
                    problems.append(
                        f"{path}: weight '{name}': {here} in the file, not {expected_shape}"
                    )
        for problem in problems:
            print(f"...{problem}")
        if not problems:
            print("The file and the model have the same weights.")
        status = "error" if problems else "success"
        return {"status": status, "error_count": len(problems), "match_count": matches}

    # -- changing ------------------------------------------------------------------------------

    def rename_object(self, object_name: str, new_name: str) -> None:
        """Rename an object, such as the layer `"layers/dense"`.

        Args:
            object_name: Path of the object, or its name alone if that is unique.
            new_name: New name, without the path.

        Raises:
            ValueError: There is no such object, or several, or one of the new name.
        """

        def renamed(parent: Weights, name: str, path: str) -> None:
            if new_name in parent:
                raise ValueError(f"There is an object '{new_name}' beside '{name}' already.")
            items = list(parent.items())
            parent.clear()
            parent.update((new_name if key == name else key, value) for key, value in items)
            if path in self.object_metadata:
                target = "/".join([*path.split("/")[:-1], new_name])
                self.object_metadata[target] = self.object_metadata.pop(path)

        self._edit(object_name, renamed)

    def delete_object(self, object_name: str) -> None:
        """Remove an object with all its weights.

        Args:
            object_name: Path of the object, or its name alone if that is unique.

        Raises:
            ValueError: There is no such object, or several.
        """

        def deleted(parent: Weights, name: str, path: str) -> None:
            del parent[name]
            self.object_metadata.pop(path, None)

        self._edit(object_name, deleted)

    def add_object(self, object_path: str, weights: Weights) -> None:
        """Add an object with weights.

        Args:
            object_path: Path of the new object, whose parents exist.
            weights: Dict of arrays by name.

        Raises:
            ValueError: A parent does not exist, or `weights` is no dict.
        """
        *before, name = object_path.split("/")
        parent = self.weights_dict
        for part in before:
            inner = parent.get(part)
            if not isinstance(inner, dict):
                raise ValueError(f"There is no object '{part}' on the way to '{object_path}'.")
            parent = inner
        parent[name] = _arrays(weights)

    def delete_weight(self, object_name: str, weight_name: str) -> None:
        """Remove a weight of an object.

        Args:
            object_name: Path of the object, or its name alone if that is unique.
            weight_name: Name of the weight, such as `"0"`.

        Raises:
            ValueError: There is no such object or weight.
        """

        def deleted(parent: Weights, name: str, path: str) -> None:
            if weight_name not in parent[name]:
                raise ValueError(
                    f"'{path}' has no weight '{weight_name}'. Its weights: {sorted(parent[name])}"
                )
            del parent[name][weight_name]

        self._edit(object_name, deleted)

    def add_weights(self, object_name: str, weights: Weights) -> None:
        """Add weights to an object, or replace those of the same names.

        Args:
            object_name: Path of the object, or its name alone if that is unique.
            weights: Dict of arrays by name.

        Raises:
            ValueError: There is no such object, or `weights` is no dict.
        """
        self._edit(object_name, lambda parent, name, path: parent[name].update(_arrays(weights)))

    def _edit(self, object_name: str, edit: Callable[[Weights, str, str], None]) -> None:
        """Change the object of a name or a path: `edit` takes what it is in, its name and path."""
        matches = [
            (parent, name, path)
            for parent, name, path in _places(self.weights_dict, "")
            if (path if "/" in object_name else name) == object_name
        ]
        if not matches:
            raise ValueError(f"There is no object '{object_name}' in the weights.")
        if len(matches) > 1:
            paths = [path for _, _, path in matches]
            raise ValueError(f"'{object_name}' is the name of several objects: {paths}")
        edit(*matches[0])

    # -- writing -------------------------------------------------------------------------------

    def save(self, filepath: Any) -> None:
        """Write the weights to a `.weights.h5` file.

        Args:
            filepath: File to write.

        Raises:
            ValueError: The name has another ending.
        """
        path = os.fspath(filepath)
        if not path.endswith(_SUFFIX):
            raise ValueError(f"The filename must end in `{_SUFFIX}`. Received: filepath={path}")
        with replacing(path) as target, h5py.File(target, "w") as file:
            for object_path, weights in _objects(self.weights_dict, ""):
                group = file.create_group(f"{object_path}/{_VARIABLES}".lstrip("/"))
                if object_path in self.object_metadata:
                    group.attrs["name"] = self.object_metadata[object_path]
                for name, value in weights.items():
                    write_dataset(group, name, value)

    def resave_weights(self, filepath: Any) -> None:
        """Write the weights to a `.weights.h5` file; the older name of `save`.

        Args:
            filepath: File to write.
        """
        self.save(filepath)

    def __repr__(self) -> str:
        about = "" if self.metadata is None else f", metadata={json.dumps(self.metadata)}"
        return f"<KerasFileEditor {self.filepath}{about}>"


def _arrays(weights: Any) -> Weights:
    if not isinstance(weights, dict):
        raise ValueError(f"Expected a dict of arrays by name, but received {weights!r}.")
    return {str(name): np.asarray(value) for name, value in weights.items()}


def _places(weights: Weights, path: str) -> Iterator[tuple[Weights, str, str]]:
    """All objects: the dict that each is in, its name, and its path."""
    for name, value in weights.items():
        if isinstance(value, dict):
            inner = f"{path}/{name}".lstrip("/")
            yield weights, name, inner
            yield from _places(value, inner)


def _objects(weights: Weights, path: str) -> Iterator[tuple[str, Weights]]:
    """All objects that have weights of their own, by path."""
    own = {name: value for name, value in weights.items() if not isinstance(value, dict)}
    if own:
        yield path, own
    for name, value in weights.items():
        if isinstance(value, dict):
            yield from _objects(value, f"{path}/{name}".lstrip("/"))


def _weights_of(model: Any) -> dict[str, dict[str, Any]]:
    """The shapes of a model's weights as they would be saved, by path and name."""
    shapes: dict[str, dict[str, Any]] = {}
    for path, layer in saved_layers(model):
        values: dict[str, Any] = {}
        layer.save_own_variables(values)
        if values and path:
            own = {name: tuple(np.shape(value)) for name, value in values.items()}
            shapes[path.rstrip("/")] = own
    return shapes
