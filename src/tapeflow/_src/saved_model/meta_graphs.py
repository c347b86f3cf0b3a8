"""MetaGraphs: a graph with its collections as one message, and back.

Variables are in the collections as messages of their own, which name their operations. Operations
of TensorFlow's savers are left out of imports: here a saver writes and reads files itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tapeflow._src.api.graph_util import import_graph_def
from tapeflow._src.checkpoint.files import read_file, write_file
from tapeflow._src.checkpoint.messages import parsed
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.paths import local_path
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.core.version import VERSION
from tapeflow._src.eager.declaration import Declaration
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.sessions.default_graph import default_graph
from tapeflow._src.sessions.session import Session

text_format = LazyModule("google.protobuf.text_format", "MetaGraphs that are text")

_OF_SAVERS = frozenset({"SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename"})
_HANDLE = "VarHandleOp"
_VARIABLES = ("variables", "trainable_variables", "local_variables", "model_variables")
# Kept in graphs by this library, and of no use elsewhere.
_PRIVATE = "_variable"


# -- writing -----------------------------------------------------------------------------------


def meta_graph_of(
    graph: Graph | None = None,
    collection_list: Iterable[Any] | None = None,
    saver_def: Any = None,
    graph_def: Any = None,
) -> Any:
    """Return the MetaGraphDef of a graph."""
    graph = default_graph() if graph is None else graph
    meta = protos.MetaGraphDef()
    meta.meta_info_def.tensorflow_version = VERSION
    meta.graph_def.CopyFrom(graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def)
    if saver_def is not None:
        meta.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        if not key.startswith(_PRIVATE):
            _add_collection(meta, key, graph.get_collection(key))
    return meta


def _add_collection(meta: Any, key: str, items: list[Any]) -> None:
    """Add a collection of one kind of items; others have no form in messages."""
    written = protos.CollectionDef()
    match items:
        case [Variable(), *_]:
            declared = [v for v in items if isinstance(v, Variable) and v._declared is not None]
            written.bytes_list.value.extend(v.to_proto().SerializeToString() for v in declared)
        case [Operation() | SymbolicTensor(), *_]:
            written.node_list.value.extend(item.name for item in items)
        case [str() | bytes(), *_]:
            texts = (item.encode() if isinstance(item, str) else item for item in items)
            written.bytes_list.value.extend(texts)
        case [int(), *_]:
            written.int64_list.value.extend(items)
        case [float(), *_]:
            written.float_list.value.extend(items)
        case []:
            return
        case _:
            if all(getattr(item, "state", None) is not None for item in items):
                return  # an operation of the graph says what is saved
            logger.warning("The collection %r has no form in a MetaGraph and is left out.", key)
            return
    meta.collection_def[key].CopyFrom(written)


def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """Return the default graph, or `graph`, as a MetaGraphDef, and write it to `filename`.

    Args:
        filename: The file to write, if any.
        meta_info_def: Further information to merge into that of the message.
        graph_def: What to take instead of the graph's own GraphDef.
        saver_def: The SaverDef of the message.
        collection_list: The names of collections to write; all by default.
        as_text: Whether the file is text.
        graph: The graph, if not the default one.
        clear_devices: Whether devices are left out.
    """
    if kwargs:
        raise ValueError(f"export_meta_graph does not know the arguments {sorted(kwargs)}.")
    if export_scope is not None:
        raise NotImplementedError("export_meta_graph writes whole graphs: leave out export_scope.")
    if dispatch.current_graph() is None and graph is None:
        raise RuntimeError(
            "export_meta_graph needs a graph: call it in `with graph.as_default():`, or pass one."
        )
    meta = meta_graph_of(graph, collection_list, saver_def, graph_def)
    if meta_info_def is not None:
        meta.meta_info_def.MergeFrom(meta_info_def)
    if clear_devices:
        without_devices(meta.graph_def)
    if filename is not None:
        write_meta_graph(meta, filename, as_text)
    return meta


def without_devices(graph_def: Any) -> None:
    """Take the devices out of a GraphDef."""
    for node in graph_def.node:
        node.device = ""
    for function in graph_def.library.function:
        for node in function.node_def:
            node.device = ""


def write_meta_graph(meta: Any, filename: Any, as_text: bool) -> None:
    """Write a message to a file, as bytes or as text."""
    data = text_format.MessageToString(meta).encode() if as_text else meta.SerializeToString()
    path = local_path(filename)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write_file(path, data)


def read_meta_graph(filename: Any) -> Any:
    """Read a MetaGraphDef from a file of bytes or text."""
    path = local_path(filename)
    if not os.path.isfile(path):
        raise OSError(f"There is no MetaGraph file {path}.")
    data = read_file(path)
    try:
        return parsed(protos.MetaGraphDef, data, path)
    except DataLossError:  # it may be text
        try:
            return text_format.Parse(data.decode(), protos.MetaGraphDef())
        except Exception as error:  # protobuf's own classes, and what it lets through
            raise OSError(
                f"Cannot parse the file {path!r} ({len(data)} bytes) as a MetaGraphDef: {error}"
            ) from error


# -- reading -----------------------------------------------------------------------------------


def import_into_graph(
    meta: Any, import_scope: str | None = None, input_map: Any = None, safe_mode: bool = True
) -> list[Any]:
    """Import a MetaGraph into the graph that is built, with its collections.

    Returns its variables. Inside of a function, they are variables of the program, whose first
    values are those of their initializers.
    """
    graph: Any = default_graph()
    graph_def = _without_savers(meta.graph_def)
    scope = import_scope or ""
    described = _variable_defs(meta)
    mapped = dict(input_map or {})
    lifted: dict[str, Variable] = {}
    if isinstance(graph, FuncGraph):
        lifted = _lifted(graph_def, described, safe_mode)
        mapped |= {name: variable.handle for name, variable in lifted.items()}
    before = len(graph.nodes)
    import_graph_def(graph_def, mapped, name=scope, safe_mode=safe_mode)
    if isinstance(graph, FuncGraph):
        # Sessions run what is fetched: nothing waits for an assignment that is in the graph.
        graph.unordered.update(map(id, graph.nodes[before:]))
    prefix = f"{scope.rstrip('/')}/" if scope else ""
    variables = {
        name: lifted[name] if name in lifted else _declared_by(graph, definition, prefix)
        for name, definition in described.items()
    }
    for key, items in meta.collection_def.items():
        _read_collection(graph, key, items, prefix, variables)
    return list(variables.values())


def local_variables(meta: Any) -> set[str]:
    """Return the names of the variables that savers leave out: those that are local, and not
    global.
    """
    local, saved = (
        {
            _variable_def(key, data).variable_name
            for data in meta.collection_def[key].bytes_list.value
        }
        if key in meta.collection_def
        else set()
        for key in ("local_variables", "variables")
    )
    return local - saved


def _without_savers(graph_def: Any) -> Any:
    """Return the GraphDef without the operations that write and read checkpoints, and what needs
    them.
    """
    pending = [node.name for node in graph_def.node if node.op in _OF_SAVERS]
    if not pending:
        return graph_def
    users: dict[str, list[str]] = {}
    for node in graph_def.node:
        for name in node.input:
            users.setdefault(_source(name), []).append(node.name)
    dropped: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in dropped:
            dropped.add(name)
            pending += users.get(name, [])
    plain = protos.GraphDef()
    plain.CopyFrom(graph_def)
    del plain.node[:]
    plain.node.extend(node for node in graph_def.node if node.name not in dropped)
    return plain


def _source(name: str) -> str:
    """Return the operation that an input of a node comes from."""
    return name.removeprefix("^").partition(":")[0]


def _variable_defs(meta: Any) -> dict[str, Any]:
    """Return the messages of all variables, by name."""
    described: dict[str, Any] = {}
    for key in _VARIABLES:
        for data in meta.collection_def[key].bytes_list.value if key in meta.collection_def else ():
            definition = _variable_def(key, data)
            if not definition.is_resource:
                raise NotImplementedError(
                    f"The MetaGraph has the reference variable {definition.variable_name!r}; only "
                    f"resource variables are supported. Export it again after "
                    f"tf.compat.v1.enable_resource_variables()."
                )
            described.setdefault(definition.variable_name, definition)
    return described


def _variable_def(key: str, data: bytes) -> Any:
    return parsed(protos.VariableDef, data, f"The collection {key!r} of the MetaGraph")


def _declared_by(graph: Graph, definition: Any, prefix: str) -> Variable:
    """Return the variable whose operations were imported."""
    name = definition.variable_name
    try:
        value = graph.get_tensor_by_name(prefix + definition.snapshot_name)
        handle = graph.get_tensor_by_name(prefix + name)
        initializer = graph.get_operation_by_name(prefix + _source(definition.initializer_name))
        first = definition.initial_value_name
        initial = graph.get_tensor_by_name(prefix + first) if first else initializer.inputs[1]
    except (LookupError, ValueError) as error:
        raise _without_operations(name, str(error)) from error
    if handle.op.type != _HANDLE:
        raise _without_operations(name, f"{handle.op.name} is a {handle.op.type}")
    declaration = Declaration.of_nodes(graph, handle, initial, initializer, value)
    name = handle.op.attrs.get("shared_name") or handle.op.name
    return Variable._from_declaration(declaration, definition.trainable, name)


def _without_operations(name: str, problem: str) -> ValueError:
    return ValueError(
        f"The MetaGraph is damaged: its collections have the variable {name!r}, whose operations "
        f"are not in its graph: {problem}"
    )


def _lifted(graph_def: Any, described: dict[str, Any], safe_mode: bool) -> dict[str, Variable]:
    """Variables of the program in place of those of a graph, by the names of their handles."""
    nodes = {node.name: node for node in graph_def.node}
    for name in described:
        node = nodes.get(_source(name))
        if node is None or node.op != _HANDLE:
            raise _without_operations(name, f"expected a {_HANDLE}")
    firsts = {name: d.initial_value_name for name, d in described.items() if d.initial_value_name}
    alone = Graph()
    with dispatch.use_mode(dispatch.base_mode()), alone.as_default():
        import_graph_def(graph_def, name="", safe_mode=safe_mode)
        session = Session(graph=alone)
        values = session.run(firsts) if firsts else {}
    lifted = {}
    for name, definition in described.items():
        node = nodes[_source(name)]
        dims = shape_from_proto(node.attr["shape"].shape)
        lifted[name] = Variable(
            EagerTensor(values[name]) if name in values else lambda: None,
            trainable=definition.trainable,
            name=node.attr["shared_name"].s.decode() or node.name,
            dtype=as_dtype(node.attr["dtype"].type),
            shape=dims,
        )
        dispatch.variable_accessed(lifted[name])
    return lifted


def _read_collection(
    graph: Graph, key: str, items: Any, prefix: str, variables: dict[str, Variable]
) -> None:
    kind = items.WhichOneof("kind")
    if key in _VARIABLES and kind == "bytes_list":
        for data in items.bytes_list.value:
            name = _variable_def(key, data).variable_name
            graph.add_to_collection(key, variables[name])
    elif kind == "node_list":
        for name in items.node_list.value:
            try:
                graph.add_to_collection(key, graph.as_graph_element(prefix + name))
            except (KeyError, ValueError):
                logger.warning("The collection %r names %r, which is not imported.", key, name)
    elif kind in ("bytes_list", "int64_list", "float_list"):
        for value in getattr(items, kind).value:
            graph.add_to_collection(key, value)
