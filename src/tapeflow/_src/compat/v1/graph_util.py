"""`tf.compat.v1.graph_util`: GraphDef messages pruned to the requested outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow._src.api.arrays.tensor_protos import make_tensor_proto
from tapeflow._src.api.graph_util import import_graph_def as import_graph_def
from tapeflow._src.core.dtypes import int32


def _node_name(text: str) -> str:
    """Return the node that an input names: `^node`, `node` or `node:2`."""
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """Return a GraphDef with the nodes that `dest_nodes` need, in the same order."""
    if isinstance(dest_nodes, str):
        raise TypeError(
            f"dest_nodes must be a list of node names, received the string {dest_nodes!r}"
        )
    by_name = {node.name: node for node in graph_def.node}
    waiting = list(dest_nodes)
    for name in waiting:
        if name not in by_name:
            raise ValueError(f"{name} is not in graph")
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [_node_name(text) for text in by_name[name].input]
    result = type(graph_def)()
    for node in graph_def.node:
        if node.name in needed:
            result.node.add().CopyFrom(node)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Any,
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """Return a GraphDef of what the outputs need, with variables replaced by their values."""
    result = extract_sub_graph(input_graph_def, output_node_names)
    frozen = set()
    for node in result.node:
        chosen = variable_names_whitelist is None or node.name in variable_names_whitelist
        if (
            node.op == "VarHandleOp"
            and chosen
            and node.name not in (variable_names_blacklist or ())
        ):
            frozen.add(node.name)
            _freeze(node, sess.graph.get_operation_by_name(node.name), sess)
    for node in list(result.node):
        input_names = [_node_name(text) for text in node.input]
        if frozen.intersection(input_names):
            _read_constant(result, node)
    return result


def _freeze(node: Any, operation: Any, sess: Any) -> None:
    """Make a variable's node one of a constant."""
    value = sess.value_of(operation)
    node.Clear()
    node.name, node.op = operation.name, "Const"
    node.attr["dtype"].type = operation.attrs["dtype"].as_datatype_enum
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))


def _read_constant(graph_def: Any, node: Any) -> None:
    """Make a node that read a variable one that takes its value."""
    if node.op == "ReadVariableOp":
        dtype = node.attr["dtype"].type
        node.attr.clear()
        node.op = "Identity"
        node.attr["T"].type = dtype
    elif node.op == "ResourceGather":
        dtype, indices = node.attr["dtype"].type, node.attr["Tindices"].type
        axis = graph_def.node.add(name=f"{node.name}/axis", op="Const")
        axis.attr["dtype"].type = int32.as_datatype_enum
        axis.attr["value"].tensor.CopyFrom(make_tensor_proto(0, int32))
        node.attr.clear()
        node.op = "GatherV2"
        node.input.append(axis.name)
        node.attr["Tparams"].type = dtype
        node.attr["Tindices"].type = indices
        node.attr["Taxis"].type = int32.as_datatype_enum
    else:
        raise ValueError(
            f"The variable that {node.name!r} ({node.op}) uses cannot become a constant: only "
            f"reading can do without a variable. Leave its name out of the variables to convert."
        )
