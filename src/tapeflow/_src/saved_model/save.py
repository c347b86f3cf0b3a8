"""`tf.saved_model.save`: an object, its functions and its variables become a folder of files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tapeflow._src.api.lookup.tables import LookupTable
from tapeflow._src.checkpoint.assets import Asset
from tapeflow._src.checkpoint.bundle import MODEL_JOURNAL, add_bundle
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY, Node, ObjectGraph, key_of
from tapeflow._src.checkpoint.resources import CREATE, INITIALIZE, TrackableResource
from tapeflow._src.checkpoint.tables import RESTORE, SAVE
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.atomic_files import file_transaction, make_folder, settle
from tapeflow._src.core.paths import as_text, local_path, translated
from tapeflow._src.core.protos.values import set_shape
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.trackable import GENERIC_OBJECT, Trackable
from tapeflow._src.core.version import GRAPH_DEF_VERSION, VERSION
from tapeflow._src.distribute.common_files import written_once
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.polymorphic import Function
from tapeflow._src.graph.serialize import Library
from tapeflow._src.saved_model.control_flow import add_counters, unshare
from tapeflow._src.saved_model.fingerprints import FILE as FINGERPRINT
from tapeflow._src.saved_model.fingerprints import fingerprint_of
from tapeflow._src.saved_model.function_specs import spec_of
from tapeflow._src.saved_model.gradient_functions import GradientWriter
from tapeflow._src.saved_model.model_functions import (
    captures_of,
    describe_bare,
    describe_concrete,
    write_concrete,
)
from tapeflow._src.saved_model.model_graph import INIT_KEY, GraphWriter, write_signature
from tapeflow._src.saved_model.model_objects import Layout, Places, model_children
from tapeflow._src.saved_model.model_options import SaveOptions
from tapeflow._src.saved_model.model_saver import Stored, write_saver
from tapeflow._src.saved_model.restored import LoadedResource, UnavailableFunction
from tapeflow._src.saved_model.revived_types import registration_of
from tapeflow._src.saved_model.signatures import SignatureMap, signature_map

FILE = "saved_model.pb"
TAGS = ("serve",)
ASSETS = "assets"
VARIABLES = os.path.join("variables", "variables")


def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Save an object with its variables, functions and assets in TensorFlow's SavedModel format.

    Python attributes that are neither trackable nor functions are not saved, nor is the class. An
    interruption leaves the former model in the folder, or the new one.

    Args:
        obj: A trackable object, such as a `tf.Module` or a Keras model.
        export_dir: The folder.
        signatures: Functions for other programs to call: a function with an input signature, a
            concrete function, or a dict of them by name. Without them, the only function of `obj`
            with an input signature, if there is only one.
        options: A `tf.saved_model.SaveOptions`.

    Returns:
        None.

    Raises:
        ValueError: For an object that cannot be tracked.

    Example:
        >>> class Adder(tf.Module):
        ...     @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        ...     def __call__(self, x):
        ...         return {"sum": x + 1.0}
        >>> tf.saved_model.save(Adder(), "adder")
        >>> serve = tf.saved_model.load("adder").signatures["serving_default"]
        >>> serve(tf.constant(1.0))["sum"].numpy()
        np.float32(2.0)
    """
    options = options or SaveOptions()
    if isinstance(obj, Trackable) and obj._tpf_save_model(export_dir, signatures, options):
        return
    save_laid_out(obj, export_dir, signatures, options, object_layout())


def object_layout() -> Layout:
    """Return the layout of one save, in which the classes of objects say themselves
    what they have.
    """
    cache: dict[Any, Any] = {}

    def identifier(value: Any) -> str | None:
        kind = getattr(value, "_object_identifier", GENERIC_OBJECT)
        return None if kind == GENERIC_OBJECT else str(kind)

    return Layout(lambda value: model_children(value, cache), identifier, lambda nodes: {})


def save_laid_out(
    obj: Any, export_dir: Any, signatures: Any, options: SaveOptions, layout: Layout
) -> ObjectGraph:
    """Save an object whose parts are described by a layout; returns all objects that it has."""
    if not isinstance(obj, Trackable):
        raise ValueError(
            "tf.saved_model.save expects a trackable object, such as a tf.Module, received "
            f"{obj!r} of type {type(obj).__name__}."
        )
    folder = local_path(export_dir)
    with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
        writer = _ModelWriter(obj, signatures, options, layout)
        meta = writer.run()
        with written_once(folder, [node.value for node in writer.graph.nodes]) as own:
            _write_files(own, writer, meta, layout.files(writer.graph.nodes))
        return writer.graph


def _write_files(folder: str, writer: _ModelWriter, meta: Any, further: dict[str, bytes]) -> None:
    """Replace all files together: an interruption leaves the old model or the new one."""
    with translated(folder), file_transaction(os.path.join(folder, MODEL_JOURNAL)) as files:
        make_folder(os.path.join(folder, ASSETS))
        for source, name in writer.files.items():
            target = os.path.join(folder, ASSETS, name)
            if os.path.abspath(source) != os.path.abspath(target):
                files.write(target, read_file(source))
        index = add_bundle(files, os.path.join(folder, VARIABLES), writer.tensors())
        message = protos.SavedModel(saved_model_schema_version=1, meta_graphs=[meta])
        model = message.SerializeToString(deterministic=True)
        for name, data in further.items():
            files.write(os.path.join(folder, name), data)
        files.write(os.path.join(folder, FINGERPRINT), fingerprint_of(model, meta, index))
        files.write(os.path.join(folder, FILE), model)


class _ModelWriter:
    """Fills the MetaGraphDef of one object."""

    def __init__(self, obj: Any, signatures: Any, options: SaveOptions, layout: Layout) -> None:
        self._options = options
        self._layout = layout
        children = layout.children_of(obj)
        if not isinstance(children.get("signatures"), SignatureMap | None):
            raise ValueError(
                f"{obj} has an attribute 'signatures', a name that is reserved in SavedModels: "
                "delete it (del obj.signatures) or rename it before saving."
            )
        self._signatures = signature_map(signatures, children)
        attached = {"signatures": self._signatures}
        self.graph = ObjectGraph(obj, attached, children_of=layout.children_of)
        self._places = Places(self.graph.nodes)
        self.meta = protos.MetaGraphDef()
        self._library = Library(self.meta.graph_def.library, add_shapes=True)
        self._writer = GraphWriter(self.meta.graph_def.node)
        # The nodes of the graph that stand for objects, by number.
        self._nodes: dict[int, str] = {}
        self._written: set[str] = set()
        self._traces: list[tuple[ConcreteFunction, Any]] = []
        # The numbers of the functions that fill tables.
        self._tables: list[int] = []
        self.files: dict[str, str] = {}

    def run(self) -> Any:
        info = self.meta.meta_info_def
        info.tags.extend([*TAGS, *(self._options.extra_tags or ())])
        info.tensorflow_version = VERSION
        self.meta.graph_def.versions.producer = GRAPH_DEF_VERSION
        self.meta.graph_def.versions.min_consumer = 12
        objects = self.meta.object_graph_def
        for number, node in enumerate(self.graph.nodes):
            message = objects.nodes.add()
            for name, child in node.children.items():
                message.children.add(node_id=child, local_name=name)
            self._describe(message, number, node.value)
        for key, concrete in self._signatures.items():
            captured = [self._nodes[self._places.of(t, concrete)] for t in captures_of(concrete)]
            signature = self.meta.signature_def[key]
            write_signature(signature, self._writer, key, concrete, captured)
        self._write_traces()
        unshare(self.meta.graph_def.library)
        add_counters(self.meta.graph_def.library)
        self._finish()
        for alias, function in self._options.function_aliases.items():
            for concrete in function._list_all_concrete_functions():
                info.function_aliases[concrete.name] = alias
        return self.meta

    def _describe(self, message: Any, number: int, value: Any) -> None:
        """Fill a SavedObject but for its children, and add what the graph needs of it."""
        match value:
            case Variable():
                self._variable(message.variable, number, value)
            case Function():
                message.function.function_spec.CopyFrom(spec_of(value))
                traces = (
                    self.graph.nodes[n].value for n in self.graph.nodes[number].children.values()
                )
                message.function.concrete_functions.extend(trace.name for trace in traces)
                message.dependencies.extend(message.children)
            case ConcreteFunction():
                self._concrete(message, value)
            case Asset():
                self._asset(message.asset, number, value)
            case LookupTable() | LoadedResource() | TrackableResource():
                self._resource(message, number, value)
            case EagerTensor():
                node = self._writer.constant(value._array, value.dtype)
                self._nodes[number] = message.constant.operation = node
            case _:
                self._user_object(message.user_object, value)

    def _variable(self, message: Any, number: int, variable: Variable) -> None:
        message.dtype = variable.dtype.as_datatype_enum
        set_shape(message.shape, as_dims(variable.shape))
        message.trainable = variable.trainable
        message.synchronization = variable.synchronization.value
        message.aggregation = variable.aggregation.value
        message.name = variable._shared_name
        self._nodes[number] = self._writer.variable(
            variable._shared_name, variable.dtype, as_dims(variable.shape)
        )

    def _concrete(self, message: Any, concrete: ConcreteFunction) -> None:
        if not concrete.graph.saveable:
            reasons = "\n".join(sorted(concrete.graph.saving_errors))
            raise ValueError(f"Unable to save function {concrete.name}:\n{reasons}")
        bound = [self._places.of(tensor, concrete) for tensor in captures_of(concrete)]
        describe_bare(message.bare_concrete_function, concrete)
        message.dependencies.extend(message.children)
        if isinstance(concrete, UnavailableFunction):
            raise concrete.error
        if concrete.name not in self._written:
            self._written.add(concrete.name)
            definition = write_concrete(self._library, concrete)
            self._traces.append((concrete, definition))
            described = self.meta.object_graph_def.concrete_functions[concrete.name]
            describe_concrete(described, concrete, bound)

    def _write_traces(self) -> None:
        """Traces go into the library, with the gradients that their operations have."""
        gradients = GradientWriter(self.meta, self._library, self._place)
        for concrete, definition in self._traces:
            if self._options.experimental_custom_gradients:
                gradients.write(concrete, definition)
            self.meta.graph_def.library.function.append(definition)

    def _place(self, tensor: Any, concrete: ConcreteFunction) -> int:
        """Return the number of what only a gradient takes from outside.

        A constant becomes an object.
        """
        if tensor.dtype.is_numpy_compatible and not self._places.has(tensor):
            nodes = self.meta.object_graph_def.nodes
            nodes.add().constant.operation = self._writer.constant(tensor._array, tensor.dtype)
            return len(nodes) - 1
        return self._places.of(tensor, concrete)

    def _asset(self, message: Any, number: int, asset: Asset) -> None:
        source = as_text(asset.asset_path.numpy())
        message.asset_file_def_index = len(self.meta.asset_file_def)
        fed, self._nodes[number] = self._writer.asset()
        described = self.meta.asset_file_def.add(filename=self._name_of_copy(source))
        described.tensor_info.name = f"{fed}:0"

    def _resource(self, message: Any, number: int, resource: Trackable) -> None:
        """Return a table or the like, which functions make and fill where it is loaded."""
        message.resource.SetInParent()
        children = self.graph.nodes[number].children
        if SAVE in children:
            # The traces of these functions are what is called.
            saveable = message.saveable_objects[resource._tpf_checkpoint_attribute]
            saveable.save_function = self._trace_of(children[SAVE])
            saveable.restore_function = self._trace_of(children[RESTORE])
        creator = self.graph.nodes[self._trace_of(children[CREATE])].value
        gives = [tensor.dtype for tensor in creator.outputs]
        self._nodes[number] = self._writer.call(creator.name, [], [], gives)
        if INITIALIZE in children:
            self._tables.append(children[INITIALIZE])

    def _trace_of(self, function: int) -> int:
        """Return the number of the only trace of a function, which may be one itself."""
        return self.graph.nodes[function].children.get("trace_0", function)

    def _fill_tables(self) -> None:
        for function in self._tables:
            trace = self.graph.nodes[self._trace_of(function)].value
            captured = captures_of(trace)
            inputs = [self._nodes[self._places.of(tensor, trace)] for tensor in captured]
            takes = [tensor.dtype for tensor in captured]
            call = self._writer.call(trace.name, inputs, takes, [t.dtype for t in trace.outputs])
            self._writer.initial.append(call)

    def _name_of_copy(self, source: str) -> str:
        """Return a name for the copy of a file that no other one has."""
        if source not in self.files:
            stem, extension = os.path.splitext(os.path.basename(source))
            name, count = stem + extension, 0
            while name in self.files.values():
                count += 1
                name = f"{stem}_{count}{extension}"
            self.files[source] = name
        return self.files[source]

    def _user_object(self, message: Any, value: Any) -> None:
        registered = registration_of(value)
        if registered is not None:
            message.identifier, registration = registered
            message.version.producer = registration.version
            message.version.min_consumer = registration.min_consumer_version
            message.version.bad_consumers.extend(registration.bad_consumers)
            return
        message.identifier = self._layout.identifier(value) or _identifier(value)
        message.version.producer = message.version.min_consumer = 1

    def _finish(self) -> None:
        """Return the initialization, and calls that save and restore the variables."""
        self._fill_tables()
        initial = self._writer.initialization()
        info = self.meta.signature_def[INIT_KEY].outputs[INIT_KEY]
        info.name = initial
        info.tensor_shape.unknown_rank = True
        self.meta.collection_def["saved_model_main_op"].node_list.value.append(initial)
        if self._options.experimental_skip_saver:
            return
        saved = [entry for n, node in enumerate(self.graph.nodes) for entry in self._saved(n, node)]
        write_saver(self.meta, self._writer, saved, self._stored_graph())

    def _saved(self, number: int, node: Node) -> list[Stored]:
        """Return what is saved of an object, as names in the graph."""
        value = node.value
        if isinstance(value, Variable):
            key = key_of(node.path, "VARIABLE_VALUE")
            return [Stored(self._nodes[number], (key,), (value.dtype,))]
        if isinstance(value, (LookupTable, LoadedResource)):
            parts = value._serialize_to_tensors()
            keys = tuple(key_of(node.path, name) for name in parts)
            if len(parts) == 2:
                dtypes = tuple(tensor.dtype for tensor in parts.values())
                return [Stored(self._nodes[number], keys, dtypes)]
        return []

    def _stored_graph(self) -> bytes:
        message: bytes = self.graph.message().SerializeToString(deterministic=True)
        return message

    def tensors(self) -> list[tuple[str, np.ndarray]]:
        """Return the values of variables, with the graph of objects as the last."""
        entries = [(key, dispatch.convert(value)._array) for key, value in self.graph.values()]
        return [*entries, (OBJECT_GRAPH_KEY, np.array(self._stored_graph(), object))]


def _identifier(value: Any) -> str:
    """Return the registered identifier of a container or object."""
    if isinstance(value, SignatureMap):
        return "signature_map"
    if isinstance(value, tuple):
        return "trackable_tuple_wrapper"
    if isinstance(value, list):
        return "trackable_list_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    return GENERIC_OBJECT


def contains_saved_model(export_dir: Any) -> bool:
    """Return whether a folder has a SavedModel in it.

    Args:
        export_dir: The folder.

    Returns:
        A bool.

    Example:
        >>> tf.saved_model.contains_saved_model("nowhere")
        False
    """
    folder = local_path(export_dir)
    settle(os.path.join(folder, MODEL_JOURNAL))
    return any(
        os.path.isfile(os.path.join(folder, f"saved_model.{end}")) for end in ("pb", "pbtxt")
    )
