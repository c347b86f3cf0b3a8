"""From tables of messages to protobuf classes, in a descriptor pool of their own.

A table has one line per message (long lines continue, indented), its fields in protobuf's own
order:

    NodeDef: string name=1, string* input=3, string->AttrValue attr=5, .Info info=6
    AttrValue: value(bytes s=2 | int64 i=3 | .ListValue list=1)
    enum DataType: DT_INVALID=0, DT_FLOAT=1

`*` is repeated, `?` optional with presence, `->` a map, `name(a | b)` a oneof, and a leading dot
stands for the message of the line. All names are in the package `tensorflow`, so the bytes and the
texts are TensorFlow's; the pool is ours, so that its own classes can be loaded beside these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tapeflow._src.core.lazy import LazyModule

descriptor_pb2 = LazyModule("google.protobuf.descriptor_pb2", "graphs and files")
descriptor_pool = LazyModule("google.protobuf.descriptor_pool", "graphs and files")
message_factory = LazyModule("google.protobuf.message_factory", "graphs and files")
enum_type_wrapper = LazyModule("google.protobuf.internal.enum_type_wrapper", "graphs and files")
any_pb2 = LazyModule("google.protobuf.any_pb2", "graphs and files")
wrappers_pb2 = LazyModule("google.protobuf.wrappers_pb2", "graphs and files")

PACKAGE = "tensorflow"
_FIELD = re.compile(
    r"(?:(?P<opens>\w+)\()?"
    r"(?:(?P<key>\w+)->)?(?P<type>[\w.]+)(?P<label>[*?]?) (?P<name>\w+)=(?P<number>\d+)"
    r"(?P<closes>\)?)"
)


class Schema:
    """The messages and enums of some tables, by their names within the package."""

    def __init__(self, tables: Iterable[str]) -> None:
        lines = list(_lines(tables))
        self._enums = {name for is_enum, name, _ in lines if is_enum}
        file = descriptor_pb2.FileDescriptorProto(
            name=f"{PACKAGE}.proto",
            package=PACKAGE,
            syntax="proto3",
            dependency=["google/protobuf/any.proto", "google/protobuf/wrappers.proto"],
        )
        owners = {"": file}
        for is_enum, name, body in lines:
            owner = owners[name.rpartition(".")[0]]
            if is_enum:
                _add_enum(owner, name, body)
            else:
                owners[name] = self._add_message(owner, name, body)
        pool = descriptor_pool.DescriptorPool()
        for module in (any_pb2, wrappers_pb2):
            pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
        pool.Add(file)
        self.pool = pool
        self.names = [name for _, name, _ in lines]

    def find(self, name: str) -> Any:
        """Return the class of the message of that name, or the wrapper of the enum."""
        full_name = f"{PACKAGE}.{name}"
        if name in self._enums:
            return enum_type_wrapper.EnumTypeWrapper(self.pool.FindEnumTypeByName(full_name))
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(full_name))

    def _add_message(self, owner: Any, name: str, body: str) -> Any:
        """Append the message to the file or message that contains it."""
        nested = getattr(owner, "nested_type", None)
        message = (owner.message_type if nested is None else nested).add(
            name=name.rpartition(".")[2]
        )
        oneof: int | None = None
        for match in _FIELD.finditer(body):
            if match["opens"]:
                oneof = len(message.oneof_decl)
                message.oneof_decl.add(name=match["opens"])
            if match["key"]:
                entry = self._add_map_entry(message, name, match)
                field = self._add_field(message, name, match, f".{entry}")
                field.label = field.LABEL_REPEATED
            else:
                field = self._add_field(message, name, match, match["type"])
            if oneof is not None:
                field.oneof_index = oneof
            if match["closes"]:
                oneof = None
        _add_presence(message)
        return message

    def _add_field(self, message: Any, owner: str, match: re.Match[str], type_name: str) -> Any:
        field = message.field.add(name=match["name"], number=int(match["number"]))
        self._set_type(field, owner, type_name)
        field.label = field.LABEL_REPEATED if match["label"] == "*" else field.LABEL_OPTIONAL
        field.proto3_optional = match["label"] == "?"
        return field

    def _add_map_entry(self, message: Any, owner: str, match: re.Match[str]) -> str:
        """Add the entry message of a map, a repeated field of keys and values; return its name."""
        words = match["name"].split("_")
        entry = message.nested_type.add(name="".join(w.capitalize() for w in words) + "Entry")
        entry.options.map_entry = True
        for number, (name, type_name) in enumerate(
            (("key", match["key"]), ("value", match["type"])), start=1
        ):
            field = entry.field.add(name=name, number=number)
            field.label = field.LABEL_OPTIONAL
            self._set_type(field, owner, type_name)
        return str(entry.name)

    def _set_type(self, field: Any, owner: str, type_name: str) -> None:
        scalar = getattr(field, f"TYPE_{type_name.upper()}", None) if "." not in type_name else None
        if scalar is not None:
            field.type = scalar
            return
        name = owner + type_name if type_name.startswith(".") else type_name
        field.type = field.TYPE_ENUM if name in self._enums else field.TYPE_MESSAGE
        field.type_name = f".{name}" if name.startswith("google.") else f".{PACKAGE}.{name}"


def _lines(tables: Iterable[str]) -> Iterator[tuple[bool, str, str]]:
    """Yield for each message and enum: whether it is an enum, its name, and its fields as text."""
    for table in tables:
        text = re.sub(r"#.*\n", "", table).replace("\n    ", " ")
        for line in text.split("\n"):
            head, colon, body = line.partition(":")
            if colon:
                yield head.startswith("enum "), head.removeprefix("enum "), body


def _add_enum(owner: Any, name: str, body: str) -> None:
    enum = owner.enum_type.add(name=name.rpartition(".")[2])
    for value in body.split(","):
        label, _, number = value.strip().partition("=")
        enum.value.add(name=label, number=int(number))


def _add_presence(message: Any) -> None:
    """Put an optional field alone in a oneof; protobuf requires these after all others."""
    for field in message.field:
        if field.proto3_optional:
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")
