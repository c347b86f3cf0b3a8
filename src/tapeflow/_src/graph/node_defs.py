"""An operation as a NodeDef: TensorFlow's names for its inputs and attributes.

Knows one operation at a time. The names of its inputs depend on where the node is (in a graph or in
a function), so they are passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow._src.core.dtypes import INDEX, DType, as_dtype, resource
from tapeflow._src.core.spec import Spec
from tapeflow._src.graph.attr_values import write
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.op_defs import Argument, Attribute, OpSignature, signature_of
from tapeflow._src.graph.ordering import read_only_inputs

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor

# Attributes whose names differ between the Python functions and the op: the op's, then ours.
RENAMED = {("Squeeze", "squeeze_dims"): "axis"}


def signature(node: Operation, displayed: bool = False) -> OpSignature:
    """Return the op's signature. If TensorFlow has no such op, raise unless it is for display."""
    form = node.definition.file_form
    op_signature = signature_of(node.type if form is None else form[0])
    if op_signature is None:
        if displayed:
            return _displayed_signature(node)
        raise ValueError(
            f"The operation {node.name!r} cannot be written: {node.type} is no op of TensorFlow. "
            f"If it comes from a recurrent Keras layer, create it with `use_cudnn=False`. "
            f"Otherwise save the Keras model itself, as a `.keras` file."
        )
    return op_signature


def _displayed_signature(node: Operation) -> OpSignature:
    """Return a signature of an op that only we have: dtypes of its tensors, and its functions."""
    inputs = [Argument(f"input_{i}", None, "", "", f"Tin_{i}") for i in range(len(node.operands))]
    output = Argument("outputs", None, "", "", "Tout")
    kinds = {argument.type_list_attr: "list(type)" for argument in (*inputs, output)}
    kinds |= {name: "func" for name, value in node.attrs.items() if isinstance(value, Body)}
    attributes = [Attribute(name, kind, None, (), False, None) for name, kind in kinds.items()]
    return OpSignature(node.type, tuple(inputs), (output,), tuple(attributes), ())


def _operand_tensors(argument: Argument, operand: Any) -> tuple[Any, ...]:
    """Return the tensors of an operand, which is one tensor or a list."""
    return tuple(operand) if argument.is_list and isinstance(operand, Sequence) else (operand,)


class NodeWriter:
    """Writes the nodes of one graph or function, which differ in how they name tensors."""

    def __init__(
        self,
        messages: Any,
        name_of: Callable[[SymbolicTensor], str],
        waits: Mapping[int, Iterable[Operation]],
        function_name: Callable[[Any, Operation], str],
        add_shapes: bool = False,
        cast_output: str = "",
        displayed: bool = False,
    ) -> None:
        self._messages = messages
        self._name_of = name_of
        self._waits = waits
        self._function_name = function_name
        self._add_shapes = add_shapes
        self._cast_output = cast_output
        self._displayed = displayed

    def write(self, node: Operation) -> None:
        """Add the NodeDef of an operation."""
        op = signature(node, self._displayed)
        values = attribute_values(node, op)
        inputs = [self._name_of(tensor) for tensor in node.inputs]
        for index, name, dtype in _mismatched_inputs(node, op, values):
            inputs[index] = self._cast(node, index, name, dtype)
        message = self._messages.add(name=node.name, op=op.name, device=node.device)
        message.input.extend(inputs)
        message.input.extend(f"^{before.name}" for before in self._waits.get(id(node), ()))
        for attribute in op.attributes:
            value = values[attribute.name]
            if attribute.type == "func":
                value = self._function_name(value, node)
            elif attribute.type == "list(func)":
                value = [self._function_name(body, node) for body in value]
            write(message.attr[attribute.name], value, attribute.type)
        self._write_notes(message, node)

    def _write_notes(self, message: Any, node: Operation) -> None:
        """Write what TensorFlow annotates on a node beside the op's attributes."""
        if bodies_of(node) and not node.definition.host:
            write(message.attr["_lower_using_switch_merge"], True, "bool")
            write(message.attr["_read_only_resource_inputs"], read_only_inputs(node), "list(int)")
        for name, (value, kind) in (node.notes or {}).items():
            write(message.attr[name], value, kind)
        if node.definition.is_argument:
            _write_handle(message, node.outputs[0], self._add_shapes)
        if self._add_shapes and node.outputs:
            write(message.attr["_output_shapes"], shapes_of(node.outputs), "list(shape)")

    def _cast(self, node: Operation, index: int, name: str, dtype: DType) -> str:
        """Add a cast of an input to the dtype that TensorFlow's op expects; return its name."""
        tensor = node.inputs[index]
        message = self._messages.add(name=f"{node.name}/{name}_{dtype.name}", op="Cast")
        message.input.append(self._name_of(tensor))
        write(message.attr["SrcT"], tensor.dtype, "type")
        write(message.attr["DstT"], dtype, "type")
        write(message.attr["Truncate"], False, "bool")
        if self._add_shapes:
            write(message.attr["_output_shapes"], shapes_of([tensor]), "list(shape)")
        return f"{message.name}{self._cast_output}"


def _mismatched_inputs(
    node: Operation, op: OpSignature, values: dict[str, Any]
) -> Iterator[tuple[int, str, DType]]:
    """Yield the inputs whose dtype differs from the signature: sizes may be int32 or int64.

    Yields their indices, names and the expected dtypes.
    """
    index = 0
    for argument, operand in zip(op.inputs, node.operands, strict=True):
        for tensor in _operand_tensors(argument, operand):
            expected = argument.dtype
            if argument.type_attr:
                expected = as_dtype(values[argument.type_attr])
            if expected is not None and tensor.dtype is not expected:
                if tensor.dtype not in INDEX or expected not in INDEX:
                    raise ValueError(
                        f"Operation {node.name!r} cannot be written: the input {argument.name!r} "
                        f"of {op.name} must be {expected.name}, but is {tensor.dtype.name}."
                    )
                yield index, argument.name, expected
            index += 1


def shapes_of(tensors: Iterable[SymbolicTensor]) -> list[Any]:
    """Return the shapes as files store them: there, the handle of a variable is a scalar."""
    return [() if t.dtype is resource else t.static_shape for t in tensors]


def _write_handle(message: Any, tensor: SymbolicTensor, add_shapes: bool) -> None:
    """Write the shape and dtype behind a handle, from which the shapes of reads follow."""
    if tensor.dtype is resource:
        message.attr["shape"].shape.Clear()
        cell = tensor.static_value
        if cell is not None and add_shapes:
            write(message.attr["_handle_dtypes"], [cell.value_dtype], "list(type)")
            write(message.attr["_handle_shapes"], [cell.shape], "list(shape)")


def attribute_values(node: Operation, op: OpSignature) -> dict[str, Any]:
    """Return the value of every attribute: explicit, inferred from tensors, or default."""
    inferred: dict[str, Any] = {}
    for argument, operand in zip(op.inputs, node.operands, strict=True):
        infer_attributes(inferred, argument, _operand_tensors(argument, operand))
    for argument, tensors in zip(op.outputs, outputs_of(node, op, inferred), strict=True):
        infer_attributes(inferred, argument, tensors)
    inferred.setdefault("output_shapes", shapes_of(node.outputs))
    values: dict[str, Any] = {}
    attrs = _file_attributes(node)
    for attribute in op.attributes:
        explicit = attrs.get(RENAMED.get((op.name, attribute.name), attribute.name))
        # None means that an attribute follows from the rest; for a shape, that it is unknown.
        if explicit is not None or attribute.type == "shape":
            values[attribute.name] = explicit
        elif attribute.name in inferred:
            values[attribute.name] = inferred[attribute.name]
        elif attribute.has_default:
            values[attribute.name] = attribute.default
        else:
            raise ValueError(f"Operation {node.name!r} ({op.name}) lacks {attribute.name!r}.")
    return values


def _file_attributes(node: Operation) -> Mapping[str, Any]:
    """Return the attributes of a node, or of the op that replaces it in files."""
    form = node.definition.file_form
    if form is None:
        return node.attrs
    inputs, outputs = (
        [Spec(t.static_shape, t.dtype) for t in tensors] for tensors in (node.inputs, node.outputs)
    )
    attributes: Mapping[str, Any] = form[1](inputs, outputs, **node.attrs)
    return attributes


def infer_attributes(
    inferred: dict[str, Any], argument: Argument, tensors: tuple[Any, ...]
) -> None:
    """Infer the attributes that the tensors of an argument determine: dtypes and list lengths."""
    if argument.type_list_attr:
        inferred.setdefault(argument.type_list_attr, [t.dtype for t in tensors])
    if argument.number_attr:
        inferred.setdefault(argument.number_attr, len(tensors))
    if argument.type_attr and tensors:
        inferred.setdefault(argument.type_attr, tensors[0].dtype)


def outputs_of(
    node: Operation, op: OpSignature, inferred: dict[str, Any] | None = None
) -> list[tuple[SymbolicTensor, ...]]:
    """Return the outputs, grouped as the signature names them."""
    explicit = {name: value for name, value in node.attrs.items() if value is not None}
    lengths = {**(inferred or {}), **explicit}
    groups: list[tuple[SymbolicTensor, ...]] = []
    start = 0
    for index, argument in enumerate(op.outputs):
        rest = len(node.outputs) - start
        if not argument.is_list:
            count = 1
        elif argument.number_attr in lengths:
            count = int(lengths[argument.number_attr])
        elif argument.type_list_attr in lengths:
            count = len(lengths[argument.type_list_attr])
        else:  # a list of which nothing says how long it is takes what the others leave
            count = rest - (len(op.outputs) - index - 1)
        groups.append(node.outputs[start : start + count])
        start += count
    return groups
