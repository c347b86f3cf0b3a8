"""SavedModels of graphs for sessions: written by `Builder`, loaded as graphs or as functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tapeflow._src.checkpoint.bundle import (
    MODEL_JOURNAL,
    BundleReader,
    PathResolver,
    add_bundle,
    index_name,
)
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.compat.v1.wrapping import WrappedFunction, prune_by_name, wrap_function
from tapeflow._src.core import protos
from tapeflow._src.core.atomic_files import file_transaction, make_folder, one_generation
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.paths import as_text, local_path, translated
from tapeflow._src.core.trackable import AutoTrackable
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.saved_model import meta_graphs
from tapeflow._src.saved_model.model_checks import asset_path, reporting_damage
from tapeflow._src.saved_model.save import ASSETS, FILE, VARIABLES
from tapeflow._src.saved_model.saver import Saver
from tapeflow._src.saved_model.signature_defs import build_tensor_info, predict_signature_def
from tapeflow._src.saved_model.signatures import DEFAULT_KEY, SignatureMap
from tapeflow._src.sessions.default_graph import default_graph

text_format = LazyModule("google.protobuf.text_format", "SavedModels that are text")

MAIN_OP_KEY = "saved_model_main_op"
LEGACY_INIT_OP_KEY = "legacy_init_op"
INIT_KEY = "__saved_model_init_op"


class Builder:
    """Writes a SavedModel: the variables of a session, and graphs that use them, by tags.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [])
    ...     signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x + 2.0})
    ...     builder = v1.saved_model.Builder(tempfile.mkdtemp() + "/model")
    ...     builder.add_meta_graph_and_variables(
    ...         session, ["serve"], {"serving_default": signature}
    ...     )
    ...     path = builder.save()
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = local_path(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(
                f"The folder {self._folder} exists and is not empty: a SavedModel is written to a "
                f"new folder."
            )
        self._model = protos.SavedModel(saved_model_schema_version=1)
        self._values: list[tuple[str, Any]] = []
        self._has_variables = False
        self._assets: dict[str, str] = {}

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the graph of a session, and the values of its variables. Comes first.

        Args:
            sess: The session.
            tags: What the graph is found by, such as "serve".
            signature_def_map: The signatures by name.
            assets_collection: Tensors with the paths of files that belong to the model.
            legacy_init_op: The former name of `main_op`.
            clear_devices: Whether devices are left out.
            main_op: An operation or group that runs when the model is loaded.
            saver: Chooses the variables and their names; all by default.
        """
        if self._has_variables:
            raise AssertionError(
                "The SavedModel has graphs and variables already: add further graphs with "
                "add_meta_graph."
            )
        self._has_variables = True
        self._values = (saver or Saver(_variables(sess.graph), allow_empty=True)).values_in(sess)
        options = (signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op)
        self._add(sess.graph, tags, *options)

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the default graph with other tags; its variables are those added before."""
        if not self._has_variables:
            raise AssertionError(
                "The SavedModel has no variables yet: add_meta_graph_and_variables comes first."
            )
        options = (signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op)
        self._add(default_graph(), tags, *options)

    def _add(
        self,
        graph: Any,
        tags: Iterable[str],
        signatures: Mapping[str, Any] | None,
        assets: Any,
        legacy_init_op: Any,
        clear_devices: bool,
        main_op: Any,
    ) -> None:
        meta = self._model.meta_graphs.add()
        meta.CopyFrom(meta_graphs.meta_graph_of(graph))
        meta.meta_info_def.tags.extend(tags)
        if clear_devices:
            meta_graphs.without_devices(meta.graph_def)
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        initial = legacy_init_op if main_op is None else main_op
        if initial is not None:
            meta.collection_def[MAIN_OP_KEY].node_list.value.append(initial.name)
            signature = meta.signature_def[INIT_KEY]
            signature.outputs[INIT_KEY].CopyFrom(build_tensor_info(initial))
        for tensor in assets or ():
            self._add_asset(meta, tensor)

    def _add_asset(self, meta: Any, tensor: TensorLike) -> None:
        """Have the file that a constant tensor names copied into the model."""
        value = getattr(tensor, "static_value", None)
        if value is None:
            raise ValueError(f"An asset is a constant tensor with a path, received {tensor!r}.")
        source = as_text(value.item())
        name = os.path.basename(source)
        taken = {base for path, base in self._assets.items() if path != source}
        while name in taken:
            name = f"_{name}"
        self._assets[source] = name
        asset = meta.asset_file_def.add(filename=name)
        asset.tensor_info.CopyFrom(build_tensor_info(tensor))

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ) -> str:
        """Write the files, and return the path of the model's own one."""
        folder = self._folder
        path = os.path.join(folder, f"{FILE}txt" if as_text else FILE)
        if as_text:
            data = text_format.MessageToString(self._model).encode()
        else:
            data = self._model.SerializeToString(deterministic=True)
        with translated(folder), file_transaction(os.path.join(folder, MODEL_JOURNAL)) as files:
            make_folder(folder)
            for source, name in self._assets.items():
                make_folder(os.path.join(folder, ASSETS))
                files.write(os.path.join(folder, ASSETS, name), read_file(local_path(source)))
            make_folder(os.path.join(folder, os.path.dirname(VARIABLES)))
            if self._values:
                add_bundle(files, os.path.join(folder, VARIABLES), self._values)
            files.write(path, data)
        return path


def _variables(graph: Any) -> list[Any]:
    """Return the variables of a graph that are saved."""
    variables: list[Any] = graph.get_collection("variables")
    return variables


def simple_save(
    session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None
) -> None:
    """Write a SavedModel with one signature for serving."""
    signatures = {DEFAULT_KEY: predict_signature_def(inputs, outputs)}
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=["serve"],
        signature_def_map=signatures,
        assets_collection=session.graph.get_collection("asset_filepaths"),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()


# -- loading -----------------------------------------------------------------------------------


def graph_with_tags(message: Any, tags: Iterable[str], folder: str) -> Any:
    """Return the MetaGraph of a SavedModel that has exactly these tags."""
    requested = {tags} if isinstance(tags, str) else set(tags)
    for meta in message.meta_graphs:
        if set(meta.meta_info_def.tags) == requested:
            return meta
    known = [sorted(meta.meta_info_def.tags) for meta in message.meta_graphs]
    raise RuntimeError(
        f"The SavedModel in {folder} has no MetaGraph with the tags {sorted(requested)}; it has "
        f"those with {known}."
    )


def load_into_session(
    message: Any, reader: BundleReader | None, folder: str, sess: Any, tags: Any, scope: str | None
) -> Any:
    """Import a graph of a SavedModel, and restore its variables in a session."""
    meta = graph_with_tags(message, tags, folder)
    prefix = f"{scope}/" if scope else ""
    with sess.graph.as_default(), reporting_damage(folder):
        assets = {
            prefix + asset.tensor_info.name: asset_path(folder, asset.filename, False)
            for asset in meta.asset_file_def
        }
        variables = meta_graphs.import_into_graph(meta, scope)
        for variable, value in _values(variables, reader, prefix):
            variable.load(value, sess)
        for name in _initial_operations(meta):
            sess.run(prefix + name, assets)
    return meta


def _values(
    variables: Iterable[Any], reader: BundleReader | None, prefix: str = ""
) -> list[tuple[Any, np.ndarray]]:
    """Read the values of all variables, each checked, before the first is restored."""
    if reader is None:
        return []
    values = []
    for variable in variables:
        name = variable._shared_name
        key = name if name in reader.entries else name.removeprefix(prefix)
        dtype, shape = reader.dtype(key), reader.shape(key)
        if dtype is not variable.dtype or not variable.shape.is_compatible_with(shape):
            raise ValueError(
                f"{reader.prefix}: expected {key} of dtype {variable.dtype.name} and shape "
                f"{variable.shape}, received {dtype.name} of shape {shape}."
            )
        values.append((variable, reader.read(key)))
    return values


def _initial_operations(meta: Any) -> list[str]:
    """Return the operations that run when a model is loaded."""
    if INIT_KEY in meta.signature_def:
        return [info.name for info in meta.signature_def[INIT_KEY].outputs.values()]
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in meta.collection_def:
            return list(meta.collection_def[key].node_list.value)
    return []


class SessionModel(AutoTrackable):
    """A SavedModel of a graph as functions: its `signatures`, and what `prune` cuts out."""

    def __init__(self, wrapped: WrappedFunction, signatures: SignatureMap) -> None:
        self._wrapped = wrapped
        self.variables = list(wrapped.variables)
        self.signatures = signatures

    @property
    def graph(self) -> Any:
        """The graph of the model."""
        return self._wrapped.graph

    def prune(self, feeds: Any, fetches: Any, name: str | None = None) -> WrappedFunction:
        """Return the function that computes tensors of the graph from others."""
        return self._wrapped.prune(feeds, fetches, name)


def load_as_functions(
    meta: Any, reader: BundleReader | None, folder: str, place: PathResolver, safe_mode: bool
) -> SessionModel:
    """Return a SavedModel that a session has written, as an object with functions."""
    named = {a.tensor_info.name: a.filename for a in meta.asset_file_def}
    assets = {
        name: EagerTensor(np.array(place(asset_path(folder, file, not safe_mode)).encode(), object))
        for name, file in named.items()
    }
    wrapped = wrap_function(
        lambda: meta_graphs.import_into_graph(meta, input_map=assets, safe_mode=safe_mode), []
    )
    for variable, value in _values(wrapped.variables, reader):
        variable.assign(value)
    signatures = {
        key: _signature_function(wrapped, key, signature)
        for key, signature in meta.signature_def.items()
        if key != INIT_KEY
    }
    for name in _initial_operations(meta):
        wrapped.prune([], wrapped.graph.as_graph_element(name))()
    return SessionModel(wrapped, SignatureMap(signatures))


def _signature_function(wrapped: WrappedFunction, key: str, signature: Any) -> WrappedFunction:
    """Return the function of one signature, whose arguments have the names of its inputs."""
    graph = wrapped.graph
    names = sorted(signature.inputs)
    feeds = [graph.as_graph_element(signature.inputs[name].name) for name in names]
    fetches = {name: graph.as_graph_element(i.name) for name, i in signature.outputs.items()}
    return prune_by_name(wrapped, names, feeds, fetches, f"signature_{key}")


def open_model(export_dir: Any) -> tuple[str, Any, Any]:
    """Return the folder, the parser of its generation, and the reader of variables, if there are
    any.
    """
    folder = local_path(export_dir)
    prefix = os.path.join(folder, VARIABLES)
    with one_generation(os.path.join(folder, MODEL_JOURNAL)) as place:
        has_values = os.path.isfile(place(index_name(prefix)))
        return folder, place, BundleReader(prefix, place) if has_values else None
