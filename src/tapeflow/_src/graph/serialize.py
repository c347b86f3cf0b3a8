"""Graphs as GraphDef messages, with the functions that their branches and loops call.

What the IR leaves to program order, a GraphDef expresses with control inputs; a function returns
its results through an Identity that waits for all effects, as TensorFlow writes it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import protos
from tapeflow._src.core.version import GRAPH_DEF_VERSION
from tapeflow._src.graph.attr_values import as_public, write
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.lowering import LoweringWriter
from tapeflow._src.graph.names import Names
from tapeflow._src.graph.node_defs import NodeWriter, outputs_of, shapes_of, signature
from tapeflow._src.graph.ordering import control_inputs, may_wait, must_run
from tapeflow._src.graph.placeholders_of_branches import write_stand_in

if TYPE_CHECKING:
    from tapeflow._src.graph.graph import Graph
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor

# The first version whose readers support functions.
FUNCTIONS_VERSION = 12
# Of what kind the attributes of a function are; other values are AttrValues themselves.
_ATTRIBUTE_KINDS = {str: "string", bytes: "string", bool: "bool", int: "int", float: "float"}


def graph_def(
    graph: Graph,
    from_version: int | None = None,
    add_shapes: bool = False,
    displayed: bool = False,
) -> Any:
    """Return the graph as a GraphDef; `from_version` skips that many of its first operations.

    displayed: whether it is only looked at, and may have ops that TensorFlow does not have.
    """
    message = protos.GraphDef()
    message.versions.producer = GRAPH_DEF_VERSION
    library = Library(message.library, add_shapes, displayed)
    effects = must_run(graph.nodes) if graph.building_function else []
    names = (message.node, tensor_name, _orders_effects(graph), library.name_of)
    writer: NodeWriter | LoweringWriter
    if graph.lowers_control_flow:
        writer = LoweringWriter(*names)
    else:
        writer = NodeWriter(*names, add_shapes, displayed=displayed)
    for node in graph.nodes[from_version or 0 :]:
        writer.write(node)
    if graph.building_function:
        _write_results(message, graph, effects, add_shapes)
    if graph.functions:
        written = {function.signature.name for function in message.library.function}
        message.library.function.extend(f for n, f in graph.functions.items() if n not in written)
    if message.library.function:
        message.versions.min_consumer = FUNCTIONS_VERSION
    return message


def _orders_effects(graph: Graph) -> dict[int, list[Operation]]:
    """Whether effects wait: only functions promise program order."""
    if graph.building_function:
        return control_inputs(graph.nodes)
    return {id(n): sorted(n.control_inputs, key=lambda before: before.name) for n in graph.nodes}


def tensor_name(tensor: SymbolicTensor) -> str:
    """Return the name of a tensor as nodes of a graph refer to it."""
    return tensor.op.name if tensor.value_index == 0 else tensor.name


def _write_results(message: Any, graph: Any, effects: list[Operation], add_shapes: bool) -> None:
    """Write the outputs of a function's graph, which wait for what must run."""
    names = _names_avoiding(node.name for node in graph.nodes)
    after = [f"^{names.unique('NoOp')}"] if effects else []
    for tensor in graph.outputs:
        node = message.node.add(name=names.unique("Identity"), op="Identity")
        node.input.extend([tensor_name(tensor), *after])
        write(node.attr["T"], tensor.dtype, "type")
        if add_shapes:
            write(node.attr["_output_shapes"], shapes_of([tensor]), "list(shape)")
    if after and graph.outputs:
        last = message.node.add(name=after[0][1:], op="NoOp")
        last.input.extend(f"^{node.name}" for node in effects)


def _names_avoiding(names: Iterable[str]) -> Names:
    """Return a name table that avoids these names."""
    used = Names()
    for name in names:
        used.unique(name)
    return used


class Library:
    """The functions of a GraphDef, written when an operation first refers to them.

    A name ends in a checksum of the function's contents, so that functions of several graphs merged
    into one library are identified only if they are the same.
    """

    def __init__(self, message: Any, add_shapes: bool = False, displayed: bool = False) -> None:
        self._message = message
        self._add_shapes = add_shapes
        self._displayed = displayed
        self._names_by_id: dict[int, str] = {}

    def name_of(self, body: Body, node: Operation) -> str:
        """Return the name of a function that an operation holds."""
        cached = self._names_by_id.get(id(body))
        if cached is None:
            function = protos.FunctionDef()
            write_function(
                function, body, node.outputs, self.name_of, self._add_shapes, self._displayed
            )
            checksum = zlib.crc32(function.SerializeToString(deterministic=True))
            cached = f"{_plain_name(body.name)}_{checksum}"
            function.signature.name = cached
            if cached not in self._names_by_id.values():
                self._message.function.append(function)
            self._names_by_id[id(body)] = cached
        return cached


def write_function(
    message: Any,
    body: Body,
    expected: Sequence[SymbolicTensor],
    function_name: Callable[[Any, Operation], str],
    add_shapes: bool = False,
    displayed: bool = False,
) -> None:
    """Fill a FunctionDef, except for its name.

    expected: the results for the operation that holds the function; the function may lack some of
    them.
    """
    inputs = {id(t.op) for t in body.inputs}
    nodes = [node for node in body.nodes() if id(node) not in inputs]
    used = _names_avoiding(node.name for node in nodes)
    names: dict[int, str] = {}
    for index, tensor in enumerate(body.inputs):
        names[id(tensor)] = used.unique(_argument_name(tensor.op.name))
        message.signature.input_arg.add(name=names[id(tensor)], type=tensor.dtype.as_datatype_enum)
        attrs = message.arg_attr[index].attr
        for name, (value, kind) in (tensor.op.notes or {}).items():
            write(attrs[name], value, kind)
        if tensor.dtype.is_numpy_compatible:
            write(attrs["_output_shapes"], shapes_of([tensor]), "list(shape)")

    def name_of(tensor: SymbolicTensor) -> str:
        return names.get(id(tensor)) or inner_name(tensor, displayed)

    waits = control_inputs(nodes)
    writer = NodeWriter(
        message.node_def, name_of, waits, function_name, add_shapes, ":y:0", displayed
    )
    for node in nodes:
        writer.write(node)
    results = _names_avoiding(names.values())
    for i, result in enumerate(body.outputs):
        if result is None:
            source, dtype = write_stand_in(message.node_def, expected[i], used), expected[i].dtype
        else:
            source, dtype = name_of(result), result.dtype
        name = results.unique(_argument_name(source.partition(":")[0]))
        message.signature.output_arg.add(name=name, type=dtype.as_datatype_enum)
        message.ret[name] = source
    write(message.attr["_construction_context"], "kEagerRuntime", "string")
    for name, value in body.graph.function_attributes.items():
        write(message.attr[name], value, _ATTRIBUTE_KINDS.get(type(value), ""))
    effects = must_run(nodes)
    message.signature.is_stateful = bool(effects)
    for node in effects:
        message.signature.control_output.append(node.name)
        message.control_ret[node.name] = node.name


def function_with_callees(body: Body, name: str) -> list[Any]:
    """Return a function as a FunctionDef, followed by those it calls; it returns via identities."""
    function, holder = protos.FunctionDef(), protos.GraphDef()
    outputs: Any = body.outputs
    write_function(function, body, outputs, Library(holder.library).name_of)
    function.signature.name = name
    names = _names_avoiding(node.name for node in function.node_def)
    results = _names_avoiding(argument.name for argument in function.signature.input_arg)
    effects = [f"^{node}" for node in function.control_ret.values()]
    last = names.unique("NoOp") if effects and outputs else ""
    for argument in function.signature.output_arg:
        node = function.node_def.add(name=names.unique("Identity"), op="Identity")
        node.input.append(function.ret[argument.name])
        node.input.extend([f"^{last}"] if last else [])
        node.attr["T"].type = argument.type
        del function.ret[argument.name]
        argument.name = results.unique(_argument_name(node.name))
        function.ret[argument.name] = f"{node.name}:output:0"
    if last:
        function.node_def.add(name=last, op="NoOp").input.extend(effects)
    return [function, *holder.library.function]


def inner_name(tensor: SymbolicTensor, displayed: bool = False) -> str:
    """Return the name of a node's output inside a function: node, output, index in its list."""
    op = signature(tensor.op, displayed)
    before = 0
    for argument, group in zip(op.outputs, outputs_of(tensor.op, op), strict=True):
        if tensor.value_index < before + len(group):
            return f"{tensor.op.name}:{argument.name}:{tensor.value_index - before}"
        before += len(group)
    raise ValueError(f"{tensor.name!r} is no output that {op.name} has.")


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w.]", "_", name) or "function"


def _argument_name(name: str) -> str:
    """Return a valid argument name: lower case, starting with a letter."""
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower()).lstrip("_0123456789")
    return plain or "unknown"


def node_def(node: Operation) -> Any:
    """Return one operation as a NodeDef."""
    return _written(node, _orders_effects(node.graph) if may_wait(node) else {})


def attribute(node: Operation, name: str) -> Any:
    """Return an attribute as `Operation.get_attr` returns it."""
    message = _written(node, {})
    if name not in message.attr:
        raise ValueError(f"Operation {node.name!r} has no attr named {name!r}.")
    return as_public(message.attr[name])


def _written(node: Operation, waits: Mapping[int, Iterable[Operation]]) -> Any:
    graph = protos.GraphDef()
    library = Library(graph.library)
    NodeWriter(graph.node, tensor_name, waits, library.name_of).write(node)
    return graph.node[-1]
