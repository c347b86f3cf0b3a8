"""A NodeDef as an operation: its attributes read, its inputs grouped, its op called.

The reverse of `node_defs`. Knows one node at a time; the caller resolves the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import devices, dispatch, protos
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.errors import NotFoundError
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.core.registry import Op, find
from tapeflow._src.graph.attr_values import decode, encode, item_type, write
from tapeflow._src.graph.node_defs import RENAMED
from tapeflow._src.graph.op_defs import Argument, Attribute, OpSignature, signature_of

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor

# The control flow ops of TensorFlow 1 graphs.
_OLD_CONTROL_FLOW = frozenset(
    {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch", "RefMerge"}
)


def declared(name: str, type_name: str) -> tuple[Op, OpSignature]:
    """Return the op of a node, as it is declared here and its signature in files."""
    op, signature = find(type_name), signature_of(type_name)
    if op is not None and signature is not None:
        return op, signature
    if type_name in _OLD_CONTROL_FLOW:
        reason = "it is control flow of TensorFlow 1; export the model with TensorFlow 2"
    elif signature is not None:
        reason = "TensorFlow has it, but Tapeflow does not"
    else:
        reason = "it is no op of TensorFlow 2.21 and no function of the graph's library"
    raise NotFoundError(
        None, None, f"Op type not registered {type_name!r}, of node {name!r}: {reason}."
    )


def attributes(node: Any, signature: OpSignature, body: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the values of all attributes, defaults filled in; `body` imports a function."""
    values: dict[str, Any] = {}
    for attribute in signature.attributes:
        if attribute.name not in node.attr:
            if not attribute.has_default:
                raise ValueError(
                    f"NodeDef missing attr {attribute.name!r} from Op<name={signature.name}>; "
                    f"NodeDef: {{{{node {node.name}}}}}"
                )
            values[attribute.name] = attribute.default
            continue
        message = node.attr[attribute.name]
        _check_type(message, attribute.name, attribute.type, node.name)
        if attribute.type == "func":
            value = body(message.func)
        elif attribute.type == "list(func)":
            value = tuple(body(function) for function in message.list.func)
        else:
            try:
                value = decode(message, attribute.type)
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"Node {node.name!r} ({node.op}): the attribute {attribute.name!r} cannot be "
                    f"read. {error}"
                ) from error
        _check_value(value, attribute, node)
        values[attribute.name] = value
    return values


_TYPES = {"s": "string", "i": "int", "f": "float", "b": "bool"}


def _check_type(message: Any, name: str, expected: str, node: str) -> None:
    field = message.WhichOneof("value")
    received = _TYPES.get(field, field)
    of = item_type(expected)
    if received == "list" and of is not None:
        filled = [f.name for f, _ in message.list.ListFields()]
        others = [_TYPES.get(name, name) for name in filled if _TYPES.get(name, name) != of]
        if not others:
            return
        received = f"list({others[0]})"
    if received != expected:
        raise ValueError(
            f"AttrValue had value with type {received!r} when {expected!r} expected for attr "
            f"{name!r}; NodeDef: {{{{node {node}}}}}"
        )


def _check_value(value: Any, attribute: Attribute, node: Any) -> None:
    """Check a value against the minimum and the allowed values of the op's signature."""
    of = item_type(attribute.type)
    if attribute.minimum is not None:
        size = value if of is None else len(value)
        if size < attribute.minimum:
            what = "is" if of is None else "has the length"
            raise ValueError(
                f"Node {node.name!r} ({node.op}): the attribute {attribute.name!r} {what} {size}, "
                f"but must be at least {attribute.minimum}."
            )
    if attribute.allowed and (of or attribute.type) == "string":
        for word in (value,) if of is None else value:
            if word not in attribute.allowed:
                raise ValueError(
                    f"Node {node.name!r} ({node.op}): the attribute {attribute.name!r} must be one "
                    f"of {', '.join(attribute.allowed)}, received {word!r}."
                )


def operands(
    name: str, signature: OpSignature, attrs: dict[str, Any], inputs: Sequence[SymbolicTensor]
) -> tuple[Any, ...]:
    """Return the inputs, with tuples for lists; ValueError if they do not fit the op."""
    expected = [_dtypes(argument, attrs, len(inputs)) for argument in signature.inputs]
    flat = [dtype for dtypes in expected for dtype in dtypes]
    if len(flat) != len(inputs):
        raise ValueError(
            f"NodeDef expected inputs '{', '.join(d.name for d in flat)}' do not match "
            f"{len(inputs)} inputs specified; Op<name={signature.name}>; "
            f"NodeDef: {{{{node {name}}}}}"
        )
    for i, (tensor, dtype) in enumerate(zip(inputs, flat)):
        if tensor.dtype is not dtype:
            raise ValueError(
                f"Input {i} of node {name} was passed {tensor.dtype.name} from {tensor.name} "
                f"incompatible with expected {dtype.name}."
            )
    grouped: list[Any] = []
    start = 0
    for argument, dtypes in zip(signature.inputs, expected, strict=True):
        group = tuple(inputs[start : start + len(dtypes)])
        grouped.append(group if argument.is_list else group[0])
        start += len(dtypes)
    return tuple(grouped)


def _dtypes(argument: Argument, attrs: dict[str, Any], inputs: int) -> list[DType]:
    """Return the dtypes that an argument takes, at most one more than there are inputs."""
    if argument.type_list_attr:
        return list(attrs[argument.type_list_attr])
    dtype = argument.dtype if argument.dtype is not None else attrs[argument.type_attr]
    return [dtype] * (min(attrs[argument.number_attr], inputs + 1) if argument.number_attr else 1)


Check = Callable[[Op, dict[str, Any], Sequence[Any]], None]


def add(
    graph: Any,
    node: Any,
    inputs: Sequence[SymbolicTensor],
    body: Callable[[Any, bool], Any],
    check: Check | None = None,
) -> Operation:
    """Append a node to the graph that is being traced; `check` is called with it first."""
    op, signature = declared(node.name, node.op)
    # Branches and loops pass their inputs on; functions of datasets take elements before them.
    values = attributes(node, signature, lambda function: body(function, op.host is None))
    arguments = operands(dispatch.state.name_scope + node.name, signature, values, inputs)
    if op.is_argument and values["dtype"] is resource_dtype:
        values["shape"] = _variable_shape(node)
    names = {RENAMED.get((op.name, name), name): value for name, value in values.items()}
    attrs = {name: names[name] for name in op.attr_names}
    if check is not None:
        check(op, attrs, arguments)
    dispatch.state.mode.execute(op, arguments, attrs, node.name)
    added: Operation = graph.nodes[-1]
    if node.device:
        around = devices.parse(added.device)
        added.device = around.make_merged_spec(devices.parse(node.device)).to_string()
    notes = [name for name in node.attr if name[:1] == "_" and name not in _WRITTEN_ANEW]
    if notes:
        # Copies, because a reference would keep the whole message alive.
        added.notes = {name: (encode(node.attr[name], ""), "") for name in notes}
    return added


def called(
    graph: Any, op_type: str, inputs: Sequence[SymbolicTensor], name: str, attrs: dict[str, Any]
) -> Operation:
    """Append a call of an op to the graph that is being traced.

    Attributes are AttrValue messages; those that follow from the inputs may be missing.
    """
    if signature_of(op_type) is None:
        raise RuntimeError(f"Op type not registered {op_type!r}: it is no op of TensorFlow 2.21.")
    _, signature = declared(name, op_type)
    node = protos.NodeDef(name=name, op=op_type)
    for argument, tensor in zip(signature.inputs, inputs):
        if argument.is_list:
            break
        if argument.type_attr and argument.type_attr not in attrs:
            write(node.attr[argument.type_attr], tensor.dtype, "type")
    for key, value in attrs.items():
        node.attr[key].CopyFrom(value)
    return add(graph, node, inputs, _no_body)


def _no_body(function: Any, passes_inputs: bool) -> Any:
    raise NotImplementedError(
        f"An operation with a function in it, {function.name!r}, is made by tf.cond, "
        f"tf.while_loop or tf.import_graph_def, not by Graph.create_op."
    )


# Annotations of a node that depend on the graph that contains it.
_WRITTEN_ANEW = frozenset(
    {
        "_output_shapes",
        "_handle_shapes",
        "_handle_dtypes",
        "_lower_using_switch_merge",
        "_read_only_resource_inputs",
    }
)


def _variable_shape(node: Any) -> Any:
    """Return the shape of the variable behind a handle."""
    if "_handle_shapes" not in node.attr or not node.attr["_handle_shapes"].list.shape:
        return None
    return shape_from_proto(node.attr["_handle_shapes"].list.shape[0])
