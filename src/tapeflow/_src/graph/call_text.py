"""A call as errors show it: `AddV2[T=DT_FLOAT](x, y)`, as TensorFlow writes its nodes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import Op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.graph.attr_values import item_type
from tapeflow._src.graph.node_defs import RENAMED, infer_attributes
from tapeflow._src.graph.op_defs import signature_of


def call_text(op: Op, operands: tuple[Any, ...], attrs: dict[str, Any]) -> str:
    """Return the op, its attributes as far as the call determines them, and its inputs as text."""
    names = []
    for operand in operands:
        names += [t.op.name for t in (operand if type(operand) is tuple else (operand,))]
    return f"{op.name}{_attributes(op, operands, attrs)}({', '.join(names)})"


def _attributes(op: Op, operands: tuple[Any, ...], attrs: dict[str, Any]) -> str:
    signature = signature_of(op.name)
    if signature is None or len(signature.inputs) != len(operands):
        return ""
    values: dict[str, Any] = {}
    for argument, operand in zip(signature.inputs, operands):
        infer_attributes(values, argument, operand if argument.is_list else (operand,))
    shown = []
    for attribute in sorted(signature.attributes, key=lambda a: a.name):
        value = attrs.get(RENAMED.get((op.name, attribute.name), attribute.name))
        if value is None:
            value = values.get(attribute.name, attribute.default)
        if value is not None and "func" not in attribute.type:
            shown.append(f"{attribute.name}={_literal(value, attribute.type)}")
    return f"[{', '.join(shown)}]" if shown else ""


def _literal(value: Any, kind: str) -> str:
    of = item_type(kind)
    if of is not None:
        return f"[{', '.join(_literal(item, of) for item in value)}]"
    match kind:
        case "type":
            name: str = protos.DataType.Name(as_dtype(value).as_datatype_enum)
            return name
        case "bool":
            return str(bool(value)).lower()
        case "string":
            return f'"{value.decode(errors="replace") if isinstance(value, bytes) else value}"'
        case "shape":
            return fmt_shape(as_dims(value))
        case "tensor":
            return "<tensor>"
    return str(value)
