"""A message filled with something in every field, whoever made its class: plain facts to compare.

Used on Tapeflow's messages by the tests and on TensorFlow's by the recorder; imports neither.
"""

from __future__ import annotations

from typing import Any

DEPTH = 2


def variants(cls: Any) -> list[Any]:
    """Messages of that class which together set every field, each member of a oneof too."""
    count = max([len(oneof.fields) for oneof in cls.DESCRIPTOR.oneofs], default=1)
    return [_filled(cls(), variant, DEPTH) for variant in range(count)]


def serialized(message: Any) -> bytes:
    """The bytes, with maps in the order of their keys."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _filled(message: Any, seed: int, depth: int) -> Any:
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof is None or oneof.fields[seed % len(oneof.fields)].name == field.name:
            _fill(message, field, seed, depth)
    return message


def _fill(message: Any, field: Any, seed: int, depth: int) -> None:
    target = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key, value = field.message_type.fields
        if value.message_type is None:
            target[_scalar(key, seed)] = _scalar(value, seed)
        elif depth:
            _filled(target[_scalar(key, seed)], seed, depth - 1)
    elif field.is_repeated:
        for i in range(2 if field.message_type is None else min(depth, 2)):
            if field.message_type is None:
                target.append(_scalar(field, seed + i))
            else:
                _filled(target.add(), seed + i, depth - 1)
    elif field.message_type is None:
        setattr(message, field.name, _scalar(field, seed))
    elif depth:
        _filled(target, seed, depth - 1)
    else:
        target.SetInParent()


def _scalar(field: Any, seed: int) -> Any:
    number = field.number + 100 * (seed + 1)
    if field.enum_type is not None:
        values = field.enum_type.values
        return values[number % len(values)].number
    match field.cpp_type:
        case field.CPPTYPE_BOOL:
            return True
        case field.CPPTYPE_FLOAT | field.CPPTYPE_DOUBLE:
            return number + 0.5
        case field.CPPTYPE_INT32 | field.CPPTYPE_INT64:
            return -number
        case field.CPPTYPE_STRING:
            text = f"{field.name}-{seed}"
            return text if field.type == field.TYPE_STRING else text.encode() + b"\xff\0"
    return number


def structure(descriptor: Any) -> dict[str, Any]:
    """What a message consists of, in plain data."""
    return {field.name: _field(field) for field in descriptor.fields}


def _field(field: Any) -> list[Any]:
    oneof = field.containing_oneof
    alone = oneof is not None and oneof.name == f"_{field.name}"
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        of: Any = [[_kind(entry) for entry in field.message_type.fields]]
    else:
        of = _kind(field)
    return [
        field.number,
        field.is_repeated,
        field.has_presence,
        field.is_packed,
        oneof.name if oneof is not None and not alone else None,
        of,
    ]


def _kind(field: Any) -> Any:
    if field.message_type is not None:
        return field.message_type.name
    if field.enum_type is not None:
        return {value.name: value.number for value in field.enum_type.values}
    return field.type
