"""`tf.saved_model.load`: the objects, functions and variables of a SavedModel.

Objects are made when they are first needed: a trace needs what it takes from outside, a table needs
the function that makes it. No code of the file's runs but its graphs.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tapeflow._src.api.structure_protos import decode
from tapeflow._src.checkpoint.assets import Asset
from tapeflow._src.checkpoint.bundle import MODEL_JOURNAL, BundleReader, PathResolver, index_name
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.checkpoint.node_paths import node_at, nodes_below
from tapeflow._src.checkpoint.resources import CREATE, INITIALIZE
from tapeflow._src.checkpoint.restoring import Restoration, stored_graph
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.atomic_files import one_generation
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import DataLossError, PermissionDeniedError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.paths import as_text, local_path
from tapeflow._src.core.protos.values import shape_from_proto, tensor_from_proto
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.graph.deserialize import Library
from tapeflow._src.graph.safe_mode import Guard, Refusal, refusal
from tapeflow._src.saved_model.custom_gradients import OwnGradients
from tapeflow._src.saved_model.function_specs import signature_from
from tapeflow._src.saved_model.model_checks import (
    asset_path,
    check_objects,
    damaged,
    reporting_damage,
)
from tapeflow._src.saved_model.model_options import LoadOptions
from tapeflow._src.saved_model.restored import (
    CallableObject,
    LoadedObject,
    LoadedResource,
    RestoredFunction,
    restored_trace,
)
from tapeflow._src.saved_model.revived_types import Setter, revived
from tapeflow._src.saved_model.save import FILE, VARIABLES
from tapeflow._src.saved_model.session_models import load_as_functions
from tapeflow._src.saved_model.signatures import SignatureMap

text_format = LazyModule("google.protobuf.text_format", "SavedModels that are text")

_JIT = {0: None, 1: True, 2: False}
_CONTAINERS = ("trackable_list_wrapper", "trackable_tuple_wrapper")


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Return the object that `tf.saved_model.save` has written, by this library or by TensorFlow.

    It has the attributes, variables and functions of the original, and its `signatures`, but not
    its class. No code of the file's runs but its graphs, and these neither call Python functions
    nor touch files but the model's assets, unless `options` say `safe_mode=False`.

    Args:
        export_dir: The folder of the model.
        tags: Tags of the graph to load; needed only if the file holds several.
        options: A `tf.saved_model.LoadOptions`.

    Returns:
        A trackable object.

    Raises:
        OSError: If there is no SavedModel, or its file cannot be parsed.
        ValueError: If the parts of the model do not fit together.
        tf.errors.PermissionDeniedError: If safe mode refuses an operation.

    Example:
        >>> module = tf.Module()
        >>> module.double = tf.function(
        ...     lambda x: 2.0 * x, input_signature=[tf.TensorSpec([], tf.float32)]
        ... )
        >>> tf.saved_model.save(module, "doubling")
        >>> tf.saved_model.load("doubling").double(tf.constant(4.0)).numpy()
        np.float32(8.0)
    """
    return _loaded(export_dir, tags, options or LoadOptions(), None)


def load_partial(
    export_dir: Any, filters: Any, tags: Any = None, options: LoadOptions | None = None
) -> dict[str, Any]:
    """Load parts of a SavedModel, into objects that a library has created where it has some.

    Args:
        export_dir: The folder of the model.
        filters: Paths of objects such as `root.layer.kernel`; or a dict from such paths to the
            object that is filled, to a pair of it and of the function that sets its children, or
            to None for an object that is to be created.

    Returns:
        The objects by path.
    """
    requested = filters if isinstance(filters, Mapping) else dict.fromkeys(filters)
    loaded: dict[str, Any] = _loaded(export_dir, tags, options or LoadOptions(), requested)
    return loaded


def parse_saved_model(export_dir: Any) -> Any:
    """Return the SavedModel message of a folder."""
    folder = local_path(export_dir)
    with one_generation(os.path.join(folder, MODEL_JOURNAL)) as place:
        return model_message(folder, place)


def _loaded(
    export_dir: Any, tags: Any, options: LoadOptions, wanted: Mapping[str, Any] | None
) -> Any:
    """Return the root of a model, or the objects of the paths that are wanted."""
    folder = local_path(export_dir)
    prefix = os.path.join(folder, VARIABLES)
    with one_generation(os.path.join(folder, MODEL_JOURNAL)) as place:
        message = model_message(folder, place)
        has_values = os.path.isfile(place(index_name(prefix)))
        skipped = options.experimental_skip_checkpoint or not has_values
        reader = None if skipped else BundleReader(prefix, place)
    meta = _meta_graph(message, tags, folder)
    with (
        dispatch.use_mode(dispatch.base_mode()),
        dispatch.use_recorders(()),
        reporting_damage(folder),
    ):
        if not meta.object_graph_def.nodes:
            return load_as_functions(meta, reader, folder, place, options.safe_mode)
        check_objects(meta, folder)
        loader = _Loader(folder, meta, options, reader, place)
        return loader.run() if wanted is None else loader.run_partial(wanted, reader)


def model_message(folder: str, place: PathResolver) -> Any:
    """Return the SavedModel message of a folder."""
    path = os.path.join(folder, FILE)
    if os.path.isfile(place(path)):
        return _parsed(place(path), protos.SavedModel.FromString)
    if os.path.isfile(f"{path}txt"):
        return _parsed(f"{path}txt", _from_text)
    raise OSError(
        f"SavedModel file does not exist at: {folder}{os.sep}{{saved_model.pbtxt|saved_model.pb}}"
    )


def _from_text(data: bytes) -> Any:
    return text_format.Parse(data.decode(), protos.SavedModel())


def _parsed(path: str, parse: Callable[[bytes], Any]) -> Any:
    data = read_file(path)
    try:
        return parse(data)
    except Exception as error:  # protobuf's own classes, and what it lets through
        raise OSError(
            f"Cannot parse the file {path!r} ({len(data)} bytes) as a SavedModel message: {error}"
        ) from error


def _meta_graph(message: Any, tags: Any, folder: str) -> Any:
    """Return the only graph, which must have the tags that are asked for."""
    if len(message.meta_graphs) != 1:
        raise ValueError(
            f"The SavedModel in {folder} has {len(message.meta_graphs)} MetaGraphs; one is needed."
        )
    meta = message.meta_graphs[0]
    requested = None if tags is None else [tags] if isinstance(tags, str) else list(tags)
    if requested is not None and set(requested) != set(meta.meta_info_def.tags):
        raise ValueError(
            f"tags={requested} do not match the SavedModel at {folder}, whose tags are "
            f"{list(meta.meta_info_def.tags)}: pass these, or leave `tags` out."
        )
    return meta


class _Loader:
    """Makes the objects of one SavedModel, each once."""

    def __init__(
        self,
        folder: str,
        meta: Any,
        options: LoadOptions,
        reader: BundleReader | None,
        place: PathResolver,
    ) -> None:
        self._folder = folder
        self._place = place
        self._meta = meta
        self._options = options
        self._nodes = meta.object_graph_def.nodes
        self._objects: dict[int, Any] = {}
        # How objects of registered classes, and those that exist already, get their children.
        self._setters: dict[int, Setter] = {}
        # Those that are being made: they need one another if one of them is asked for again.
        self._pending: set[int] = set()
        self._traces: dict[str, ConcreteFunction] = {}
        self._refused: list[Refusal] = []
        self._constants = {n.name: n for n in meta.graph_def.node if n.op == "Const"}
        self._values = _Values(folder, self._nodes, options, reader)
        self._gradients = OwnGradients(
            meta, lambda number: self._bound(number)[0], options.safe_mode
        )
        functions = meta.graph_def.library.function
        self._library = Library(functions, self._gradients.mark, Guard(options.safe_mode))

    def run(self) -> Any:
        self._create(range(len(self._nodes)))
        root = self._objects[0]
        info = self._meta.meta_info_def
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
        root.graph_debug_info = protos.GraphDebugInfo()
        if self._options.experimental_load_function_aliases:
            root.function_aliases = self._aliased()
        return root

    def run_partial(self, wanted: Mapping[str, Any], reader: BundleReader | None) -> dict[str, Any]:
        """Return the objects of the paths that are wanted; those that are not None are filled."""
        numbers = {path: node_at(self._nodes, path) for path in wanted}
        existing = {numbers[path]: value for path, value in wanted.items() if value is not None}
        for number, value in existing.items():
            target, setter = value if isinstance(value, tuple) else (value, setattr)
            self._objects[number], self._setters[number] = target, setter
        self._create(nodes_below(self._nodes, numbers.values()))
        for number in existing:
            self._restore(number)
        if reader is not None and 0 in existing:
            # What the objects create later is restored when it becomes an attribute.
            restoration = Restoration(reader)
            restoration.expect_partial = True
            restoration.start(self._objects[0], {})
        return {path: self._objects[number] for path, number in numbers.items()}

    def _create(self, numbers: Iterable[int]) -> None:
        """Create objects that do not exist yet, and give all of them their children."""
        numbers = list(numbers)
        for number in numbers:
            try:
                self.object(number)
            except PermissionDeniedError:
                if not self._refused:
                    raise
        if self._refused:
            raise self._refusal()
        kinds = {number: self._nodes[number].WhichOneof("kind") for number in numbers}
        filled = [
            number
            for number, kind in kinds.items()
            if kind in ("user_object", "resource", None) or number in self._setters
        ]
        # Containers first: an object may copy the one that becomes its attribute.
        for number in sorted(filled, key=lambda each: not self._is_container(each)):
            self._fill(number, self._nodes[number])
        for number, kind in kinds.items():
            if kind == "resource":
                self._initialize(number, self._nodes[number])

    def _is_container(self, number: int) -> bool:
        return isinstance(self._objects[number], (list, dict)) and number not in self._setters

    def _restore(self, number: int) -> None:
        """Give an object that existed already the values that the model has for it."""
        target = self._objects[number]
        if isinstance(target, Variable):
            value = self._values.of(number, "VARIABLE_VALUE")
            if value is not None:
                target.assign(EagerTensor(value))
            return
        for name in self._nodes[number].saveable_objects:
            self._restore_parts(number, name)

    def _aliased(self) -> dict[str, Any]:
        """Return the functions by the names that `SaveOptions(function_aliases=…)` had for them."""
        aliases = self._meta.meta_info_def.function_aliases
        return {
            aliases[name]: self._objects[number]
            for number, node in enumerate(self._nodes)
            if node.WhichOneof("kind") == "function"
            for name in node.function.concrete_functions
            if name in aliases
        }

    def object(self, number: int) -> Any:
        """Return the object of that number."""
        if number not in self._objects:
            if number in self._pending:
                raise damaged(self._folder, f"object {number} is needed to make itself")
            self._pending.add(number)
            try:
                self._objects[number] = self._made(number, self._nodes[number])
            finally:
                self._pending.discard(number)
        return self._objects[number]

    def _refusal(self) -> PermissionDeniedError:
        return refusal(
            self._refused,
            f"The SavedModel in {self._folder}",
            "load it with options=tf.saved_model.LoadOptions(safe_mode=False)",
        )

    def _made(self, number: int, node: Any) -> Any:
        match node.WhichOneof("kind"):
            case "variable":
                return self._variable(number, node.variable)
            case "constant":
                value = self._constants[node.constant.operation].attr["value"].tensor
                return EagerTensor(tensor_from_proto(value))
            case "asset":
                file = self._meta.asset_file_def[node.asset.asset_file_def_index]
                path = asset_path(self._folder, file.filename, not self._options.safe_mode)
                return Asset(self._place(path))
            case "function":
                return self._function(node)
            case "bare_concrete_function":
                return self._bare(node.bare_concrete_function)
            case "resource":
                children = {child.local_name: child.node_id for child in node.children}
                return LoadedResource(self.object(children[CREATE])())
            case "captured_tensor":
                name: str = node.captured_tensor.name
                return name
        return self._user_object(number, node)

    def _user_object(self, number: int, node: Any) -> Any:
        """Return an empty object: what it holds is put into it when all objects are there."""
        registered = revived(node.user_object)
        if registered is not None:
            value, self._setters[number] = registered
            return value
        identifier = node.user_object.identifier
        names = [child.local_name for child in node.children]
        if identifier in _CONTAINERS:
            return []
        if identifier == "trackable_dict_wrapper":
            return {}
        if identifier == "signature_map":
            return SignatureMap({})
        return CallableObject() if "__call__" in names else LoadedObject()

    def _fill(self, number: int, node: Any) -> None:
        value = self._objects[number]
        children = {child.local_name: self.object(child.node_id) for child in node.children}
        if number in self._setters:
            for name, child in children.items():
                self._setters[number](value, name, child)
            return
        match value:
            case SignatureMap():
                value._functions.update(children)
            case list():
                numbered = {int(name): c for name, c in children.items() if name.isdecimal()}
                value.extend(numbered.get(i) for i in range(max(numbered, default=-1) + 1))
            case dict():
                value.update(children)
            case _:
                for name, child in children.items():
                    setattr(value, name, child)

    def _variable(self, number: int, described: Any) -> Variable:
        dtype, dims = as_dtype(described.dtype), shape_from_proto(described.shape)
        value = self._values.of(number, "VARIABLE_VALUE")
        if value is None:
            value = np.zeros([size or 0 for size in dims or ()], dtype.np)
        elif value.dtype != dtype.np:
            raise damaged(
                self._folder,
                f"the variable {described.name!r} is {dtype.name}, but its value {value.dtype}",
            )
        return Variable(
            EagerTensor(value),
            trainable=described.trainable,
            name=described.name or "Variable",
            shape=dims,
            synchronization=VariableSynchronization(described.synchronization),
            aggregation=VariableAggregation(described.aggregation),
        )

    def _initialize(self, number: int, node: Any) -> None:
        """Fill a table as its functions say, and with what was saved of it."""
        resource = self._objects[number]
        initialize = getattr(resource, INITIALIZE, None)
        if initialize is not None:
            initialize()
        if number in self._setters:
            return
        for name, saveable in node.saveable_objects.items():
            functions = saveable.save_function, saveable.restore_function
            resource.can_be_saved_by(name, *map(self.object, functions))
            self._restore_parts(number, name)

    def _restore_parts(self, number: int, name: str) -> None:
        """Restore what was saved of a table, if it was."""
        key = self._values.key(number, name)
        if key is not None:
            resource, base = self._objects[number], key.removesuffix(name)
            parts = resource._serialize_to_tensors()
            values = {part: EagerTensor(self._values.read(base + part)) for part in parts}
            resource._restore_from_tensors(values)

    # -- functions ---------------------------------------------------------------------------

    def _function(self, node: Any) -> RestoredFunction:
        spec = node.function.function_spec
        signature = signature_from(spec)
        jit_compile = _JIT[spec.jit_compile]
        traces = [
            self._trace(name, signature, jit_compile) for name in node.function.concrete_functions
        ]
        name = traces[0].graph.name if traces else "function"
        return RestoredFunction(name, signature, traces, decode(spec.input_signature), jit_compile)

    def _bare(self, bare: Any) -> ConcreteFunction:
        if bare.HasField("function_spec"):
            signature = signature_from(bare.function_spec)
        else:
            keyword = inspect.Parameter.KEYWORD_ONLY
            names = bare.argument_keywords
            signature = inspect.Signature([inspect.Parameter(n, keyword) for n in names])
        return self._trace(bare.concrete_function_name, signature, None)

    def _trace(
        self, name: str, signature: inspect.Signature, jit_compile: bool | None
    ) -> ConcreteFunction:
        if name not in self._traces:
            described = self._meta.object_graph_def.concrete_functions[name]
            bound = [self._bound(number) for number in described.bound_inputs]
            self._traces[name] = restored_trace(
                name, described, signature, bound, self._library, jit_compile
            )
            refused = self._library.guard.refused
            if refused:
                del self._traces[name]
                self._refused += refused
                refused.clear()
                raise self._refusal()
        return self._traces[name]

    def _bound(self, number: int) -> tuple[Any, Any]:
        """Return what a function captures: the tensor, and the object that it stands for."""
        value = self.object(number)
        match value:
            case Variable():
                return value.handle, value
            case Asset():
                return value.asset_path, value
        # Resources may be the program's own objects, such as the tables of a revived layer.
        return getattr(value, "resource_handle", value), value


class _Values:
    """The values of a model's objects, found by the ways to them."""

    def __init__(
        self, folder: str, nodes: Any, options: LoadOptions, reader: BundleReader | None
    ) -> None:
        self._partial = options.allow_partial_checkpoint
        self._skipped = options.experimental_skip_checkpoint or not (
            reader or any(n.HasField("variable") or n.saveable_objects for n in nodes)
        )
        self._keys: dict[int, dict[str, str]] = {}
        if not self._skipped:
            # Where there are none, it says which are missing.
            self._reader = reader or BundleReader(os.path.join(folder, VARIABLES))
            self._match(nodes, stored_graph(self._reader).nodes)

    def _match(self, nodes: Any, stored: Any) -> None:
        """Walk through the objects of the model and of its checkpoint together."""
        waiting, seen = [(0, 0)], {0}
        while waiting:
            number, node = waiting.pop(0)
            self._keys[number] = {a.name: a.checkpoint_key for a in stored[node].attributes}
            below = {child.local_name: child.node_id for child in stored[node].children}
            for child in nodes[number].children:
                if not 0 <= below.get(child.local_name, 0) < len(stored):
                    raise DataLossError(
                        None,
                        None,
                        f"{as_text(self._reader.prefix)}: the object graph has {len(stored)} "
                        f"objects, but {child.local_name!r} is number {below[child.local_name]}.",
                    )
                if child.local_name in below and child.node_id not in seen:
                    seen.add(child.node_id)
                    waiting.append((child.node_id, below[child.local_name]))

    def key(self, number: int, name: str) -> str | None:
        """Return the name in the files of a value of the object of that number."""
        return self._keys.get(number, {}).get(name)

    def read(self, key: str) -> np.ndarray:
        return self._reader.read(key)

    def of(self, number: int, name: str) -> np.ndarray | None:
        """Return a value of the object of that number; None if it is not wanted."""
        key = self.key(number, name)
        if key is not None:
            return self.read(key)
        if self._skipped or self._partial:
            return None
        raise ValueError(
            f"The files of {as_text(self._reader.prefix)} have no value {name} for object {number} "
            f"of the SavedModel. Pass LoadOptions(allow_partial_checkpoint=True) to load it anyway."
        )
