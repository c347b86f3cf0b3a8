"""Models in the SavedModel folders of Keras 2, read back whole.

The notes on the objects (`keras_metadata.pb`) have the configs; the weights and the state of the
optimizer are in the checkpoint of the SavedModel. A class that is not known runs what was traced
of it. Nothing in the folder is run but its graphs, in the safe mode of `tf.saved_model.load`.
"""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow.__internal__.saved_model import (
    find_node,
    load_partial,
    object_notes,
    parse_saved_model,
)
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup
from tapeflow._src.keras.models.legacy_files import compile_as_saved
from tapeflow._src.keras.models.revived import (
    RevivedLayer,
    RevivedModel,
    revived_class,
    revived_model,
)
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.deserialization import SafeModeScope, in_safe_mode, read_object
from tapeflow._src.keras.saving.legacy_configs import modernized
from tapeflow._src.keras.saving.object_metadata import decoded
from tapeflow._src.keras.saving.object_registration import (
    CustomObjectScope,
    get_registered_object,
    known_objects,
)
from tapeflow._src.keras.saving.registry import LAYER, find_by_name
from tapeflow._src.keras.saving.unchanged import unchanged_on_failure

_VARIABLES = os.path.join("variables", "variables")
_TABLE, _VALUE = "lookup_table", ".ATTRIBUTES/VARIABLE_VALUE"
_GRAPHS = ("Functional", "Model", "Sequential")
_NO_LAYERS = ("_tf_keras_metric", "_tf_keras_input_layer")


def is_saved_model(path: str) -> bool:
    """Whether a folder holds a SavedModel."""
    return os.path.isdir(path) and tf.saved_model.contains_saved_model(path)


def load_saved_model(
    path: str,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    options: Any = None,
) -> Any:
    """Read a model from a SavedModel folder; if that fails, the program is as before."""
    notes = object_notes(path)
    if not notes or notes[0].number != 0:
        warn_user(
            f"The SavedModel in {path} has no notes of Keras on its objects, as `model.save` "
            f"writes them: what is returned has its functions and variables, but is no Keras model."
        )
        return tf.saved_model.load(path, options=_options(options, safe_mode))
    asked = in_safe_mode()
    budget = limits.FREE_BYTES + limits.VARIABLE_RATIO * _size(path)
    with (
        unchanged_on_failure(),
        limits.variable_budget(budget),
        SafeModeScope(safe_mode if asked is None else asked),
        CustomObjectScope(custom_objects),
    ):
        reader = _Reader(path, notes, known_objects(custom_objects), _options(options, safe_mode))
        model = reader.model()
        training = reader.root.get("training_config") if compile else None
        if training and hasattr(model, "compile"):
            compile_as_saved(model, training)
            model.optimizer.build(model.trainable_variables)
        elif compile and isinstance(model, tf.keras.Model):
            warn_user(f"The model in {path} was not compiled when it was saved: compile it.")
        _restore(model, path)
        _restore_vocabularies(model, path, _options(options, safe_mode))
    return model


def _options(options: Any, safe_mode: bool) -> Any:
    return tf.saved_model.LoadOptions(safe_mode=safe_mode) if options is None else options


def _size(path: str) -> int:
    """The bytes of the files that hold the values."""
    folder = os.path.dirname(os.path.join(path, _VARIABLES))
    if not os.path.isdir(folder):
        return 0
    with os.scandir(folder) as files:
        return sum(file.stat().st_size for file in files if file.is_file())


class _Reader:
    """Creates the model of a folder from what is noted of its objects."""

    def __init__(self, path: str, notes: Any, known: dict[str, Any], options: Any) -> None:
        self._path = path
        self._notes = notes
        self._known = known
        self._options = options
        self._loaded: Any = None
        self._metadata = [decoded(note.text, f"the notes of {path}") for note in notes]
        self.root = self._metadata[0]

    def model(self) -> Any:
        """The model, built, with new weights."""
        name, config = self._class_of(self.root), self.root.get("config")
        if not self._is_known(name) and self.root.get("is_graph_network"):
            # A subclass that is created from inputs and outputs: the graph is all there is to it.
            name = "Functional"
        if not isinstance(config, dict) or not config or not self._is_known(name):
            saved = self._saved(self._notes[0].path)
            return revived_model(name.rpartition(">")[2], saved, self.root)
        described = modernized({"class_name": name, "config": config})
        model = read_object(described, LAYER, {**self._revived(), **self._known})
        if isinstance(self.root.get("name"), str) and model.name != self.root["name"]:
            model.name = self.root["name"]
        if not model.built:
            self._build(model)
        return model

    def _build(self, model: Any) -> None:
        shape = self.root.get("build_input_shape")
        spec = self.root.get("save_spec")
        if shape is None and spec is not None:
            shape = tf.nest.map_structure(lambda each: each.shape.as_list(), spec)
        if shape is not None:
            nested = isinstance(shape, dict) or any(isinstance(each, list) for each in shape)
            model.build(shape if nested else tuple(shape))

    def _class_of(self, metadata: dict[str, Any]) -> str:
        name = metadata.get("class_name")
        if not isinstance(name, str):
            raise ValueError(f"The notes of {self._path} name no class: {sorted(metadata)}.")
        return name

    def _is_known(self, name: str) -> bool:
        own = get_registered_object(name, custom_objects=self._known)
        return own is not None or name in _GRAPHS or find_by_name(name, LAYER) is not None

    def _revived(self) -> dict[str, Any]:
        """Create classes for unknown ones."""
        unknown: dict[str, dict[str, Any]] = {}
        for note, metadata in zip(self._notes[1:], self._metadata[1:]):
            if note.identifier in _NO_LAYERS:
                continue
            name = self._class_of(metadata)
            if not self._is_known(name) and not metadata.get("must_restore_from_config"):
                saved = self._saved(note.path)
                unknown.setdefault(name, {})[metadata.get("name", "")] = (saved, metadata)
        return {name: revived_class(name, known) for name, known in unknown.items()}

    def _saved(self, path: str) -> Any:
        """The object of the SavedModel that a path leads to, such as `root.layer-1`."""
        if self._loaded is None:
            self._loaded = tf.saved_model.load(self._path, options=self._options)
        member = self._loaded
        for part in path.split(".")[1:]:
            member = member[int(part)] if isinstance(member, list) else getattr(member, part, None)
        return member


def _restore(model: Any, path: str) -> None:
    """Restore all weights of a model and its optimizer from the folder."""
    revived = [
        layer
        for layer in model._flatten_layers()
        if isinstance(layer, (RevivedLayer, RevivedModel))
    ]
    prefix = os.path.join(path, _VARIABLES)
    weights = list(model.weights)
    if not weights and model.optimizer is None:
        return
    matched = {id(each) for each in tf.train.CheckpointView(prefix).match(model).values()}
    matched |= {id(weight) for layer in revived for weight in layer.weights}
    missing = [weight.path for weight in weights if id(weight) not in matched]
    if missing:
        raise ValueError(
            f"The SavedModel in {path} has no values for {len(missing)} of the {len(weights)} "
            f"weights of the model '{model.name}': {missing[:10]}. The classes of its layers "
            f"differ from those that were saved."
        )
    tf.train.Checkpoint(model).read(prefix).expect_partial()


def _restore_vocabularies(model: Any, path: str, options: Any) -> None:
    """Restore the tables of lookup layers without a vocabulary from the folder.

    Of the SavedModel, only these tables are created.
    """
    layers = [layer for layer in model._flatten_layers() if isinstance(layer, IndexLookup)]
    empty = {id(layer): layer for layer in layers if not layer.get_vocabulary(False)}
    if not empty:
        return
    prefix = os.path.join(path, _VARIABLES)
    view = tf.train.CheckpointView(prefix)
    paths = _paths(view)
    matched = {
        paths[number]: empty[id(value)]
        for number, value in view.match(model).items()
        if id(value) in empty
    }
    nodes = parse_saved_model(path).meta_graphs[0].object_graph_def.nodes
    tables = {".".join(("root", *names, _TABLE)): names for names in matched}
    tables = {name: names for name, names in tables.items() if find_node(nodes, name) is not None}
    loaded = load_partial(path, list(tables), options=options)
    reader = tf.train.load_checkpoint(prefix)
    for name, names in tables.items():
        weights = "/".join((*names, "idf_weights", _VALUE))
        has_weights = reader.has_tensor(weights)
        matched[names]._tpf_set_table(
            loaded[name].resource_handle, reader.get_tensor(weights) if has_weights else None
        )


def _paths(view: Any) -> dict[int, tuple[str, ...]]:
    """The names that lead from the root of a checkpoint to each of its objects."""
    paths: dict[int, tuple[str, ...]] = {0: ()}
    waiting = [0]
    while waiting:
        number = waiting.pop(0)
        for name, child in view.children(number).items():
            if child not in paths:
                paths[child] = (*paths[number], name)
                waiting.append(child)
    return paths
