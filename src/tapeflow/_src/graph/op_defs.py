"""The signatures of TensorFlow's ops, as they stand in graphs: `op_defs.txt`, read when needed.

An op is declared here with Python's names and defaults; its form in files (which attribute holds
the dtype of which input, how long a list is) is TensorFlow's, one line per op:

    Split(int32 split_dim, T value) -> (num_split*T output); int num_split >= 1; type T

`N*T` is a list of N tensors of dtype T, `T...` a list of tensors whose dtypes are the list T;
attributes may have a minimum (`>=`), allowed values (`in`) and a default (`=`).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.graph.attr_values import item_type, write

_json = LazyModule("json")

_FILE = os.path.join(os.path.dirname(__file__), "op_defs.txt")
_LINE = re.compile(r"(\w+)\((.*?)\) -> \((.*?)\)(.*)")
_ARGUMENT = re.compile(r"(?:(?P<count>\w+)\*)?(?P<kind>\w+)(?P<many>\.\.\.)? (?P<name>\w+)")
_ATTRIBUTE = re.compile(
    r"(?P<type>[\w()]+) (?P<name>\w+)(?: >= (?P<minimum>-?\d+))?"
    r"(?: in \{(?P<allowed>.*?)\})?(?: = (?P<default>.*))?"
)


@dataclass(frozen=True)
class Argument:
    """An input or output: of a fixed dtype, or of the one that `type_attr` names; maybe a list."""

    name: str
    dtype: DType | None
    type_attr: str
    number_attr: str
    type_list_attr: str

    @property
    def is_list(self) -> bool:
        return bool(self.number_attr or self.type_list_attr)


@dataclass(frozen=True)
class Attribute:
    """An attribute. One without a default is required."""

    name: str
    type: str
    minimum: int | None
    allowed: tuple[Any, ...]
    has_default: bool
    default: Any


@dataclass(frozen=True)
class OpSignature:
    """The signature of an op in files."""

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: tuple[Attribute, ...]
    flags: tuple[str, ...]


@cache
def _lines() -> dict[str, str]:
    with open(_FILE, encoding="utf-8") as file:
        text = file.read()
    return {line[: line.index("(")]: line for line in text.splitlines()}


@cache
def signature_of(name: str) -> OpSignature | None:
    """Return the signature of the op of that name, or None if TensorFlow has no such op."""
    line = _lines().get(name)
    if line is None:
        return None
    line, *flags = line.split(" #")
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"The signature of {name} cannot be read: {line}")
    _, inputs, outputs, attributes = match.groups()
    return OpSignature(
        name,
        tuple(map(_argument, _ARGUMENT.finditer(inputs))),
        tuple(map(_argument, _ARGUMENT.finditer(outputs))),
        tuple(_attribute(text) for text in re.split("; (?=[a-z()]+ \\w+)", attributes) if text),
        tuple(flags),
    )


def _argument(match: re.Match[str]) -> Argument:
    kind, many = match["kind"], bool(match["many"])
    # Attributes are named T, Tidx, dtype, …: never like a dtype.
    try:
        dtype = None if many else as_dtype(kind)
    except TypeError:
        dtype = None
    return Argument(
        match["name"],
        dtype,
        "" if many or dtype is not None else kind,
        match["count"] or "",
        kind if many else "",
    )


def _attribute(text: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise ValueError(f"The attribute cannot be read: {text}")
    kind, minimum, default = match["type"], match["minimum"], match["default"]
    return Attribute(
        match["name"],
        kind,
        None if minimum is None else int(minimum),
        _values(match["allowed"], item_type(kind) or kind),
        default is not None,
        None if default is None else _value(default, kind),
    )


def _values(text: str | None, kind: str) -> tuple[Any, ...]:
    return tuple(_value(item, kind) for item in text.split(", ")) if text else ()


def _value(text: str, kind: str) -> Any:
    of = item_type(kind)
    if of is not None:
        return _values(text[1:-1], of)
    match kind:
        case "type":
            return as_dtype(text)
        case "float":
            return float(text)
        case "shape":
            if text == "?":
                return None
            sizes = filter(None, text[1:-1].split(", "))
            return tuple(None if size == "?" else int(size) for size in sizes)
    return _json.loads(text)


def op_def(name: str) -> Any:
    """Return the OpDef message of an op; None if TensorFlow has no such op."""
    signature = signature_of(name)
    if signature is None:
        return None
    message = protos.OpDef(name=name)
    for arguments, field in (
        (signature.inputs, message.input_arg),
        (signature.outputs, message.output_arg),
    ):
        for a in arguments:
            field.add(
                name=a.name,
                type=0 if a.dtype is None else a.dtype.as_datatype_enum,
                type_attr=a.type_attr,
                number_attr=a.number_attr,
                type_list_attr=a.type_list_attr,
            )
    for attribute in signature.attributes:
        _write_attribute(message.attr.add(name=attribute.name, type=attribute.type), attribute)
    for flag in signature.flags:
        setattr(message, flag if flag.startswith("allows") else f"is_{flag}", True)
    return message


def _write_attribute(message: Any, attribute: Attribute) -> None:
    if attribute.minimum is not None:
        message.has_minimum = True
        message.minimum = attribute.minimum
    if attribute.allowed:
        of = item_type(attribute.type) or attribute.type
        write(message.allowed_values, attribute.allowed, f"list({of})")
    if attribute.has_default:
        write(message.default_value, attribute.default, attribute.type)
