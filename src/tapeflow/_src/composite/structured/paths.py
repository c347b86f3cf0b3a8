"""Fields of structured tensors by path: lookup, promotion and update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.composite.structured import making, shapes
from tapeflow._src.composite.structured.rebuilding import merged_axes

Path = tuple[str, ...]
_UPDATE = "`StructuredTensor.with_updates`"


def as_path(name: Any) -> Path:
    """Return the path that a name, or a sequence of names, stands for."""
    if isinstance(name, str):
        return (name,)
    if isinstance(name, Sequence) and all(isinstance(step, str) for step in name):
        return tuple(name)
    raise TypeError(f"A field is named by a string or a sequence of strings. Received: {name!r}")


def field_value(value: Any, name: Any) -> Any:
    """Return the field of that name, or at the end of that path; KeyError if there is none."""
    if not isinstance(name, (list, tuple)):
        return value._fields[name]
    current = value
    for step in name:
        if not isinstance(current, type(value)):
            raise KeyError(f"Field path {tuple(name)} not found in {value}")
        current = current._fields[step]
    return current


def promote(value: Any, source_path: Any, new_name: Any) -> Any:
    """Return the field at a path, put one level higher, its axes merged that its
    parent has more.
    """
    if not isinstance(new_name, str):
        raise ValueError(f"new_name is not a string. Received: {new_name!r}")
    if not isinstance(source_path, (list, tuple)):
        raise ValueError(f"`source_path` must be a list of field names. Received: {source_path!r}")
    path = tuple(source_path)
    if len(path) < 2:
        raise ValueError(
            f"`source_path` must lead through at least one field to another. Received: "
            f"{source_path!r}"
        )
    target = field_value(value, path[:-2])
    parent = field_value(target, path[-2:-1])
    field = field_value(value, path)
    last = min(parent.rank, shapes.rank_of(field) - 1)
    promoted = merged_axes(field, target.rank, max(target.rank, last))
    return value.with_updates({(*path[:-2], new_name): promoted})


def with_updates(value: Any, updates: Mapping[Any, Any], validate: bool) -> Any:
    """Return the same with fields added, replaced, transformed or removed."""
    by_path = {as_path(name): update for name, update in updates.items()}
    if () in by_path:
        raise ValueError(f"{_UPDATE} does not allow empty names {tuple(updates)}.")
    for path in by_path:
        for length in range(1, len(path)):
            if path[:length] in by_path:
                raise ValueError(
                    f"{_UPDATE} cannot set both {path[:length]} and, inside it, {path}. Make the "
                    f"update of the inner field part of the new value of the outer one."
                )
    return _updated(value, by_path, (), validate)


def _updated(value: Any, updates: dict[Path, Any], prefix: Path, validate: bool) -> Any:
    """Return `value`, found at `prefix`, with updates of paths that begin there."""
    fields = dict(value._fields)
    below: dict[str, dict[Path, Any]] = {}
    for path, update in updates.items():
        name, *rest = path
        if rest:
            below.setdefault(name, {})[tuple(rest)] = update
        elif update is None:
            if name not in fields:
                raise ValueError(
                    f"{_UPDATE} cannot delete the field {(*prefix, name)}, which does not exist."
                )
            del fields[name]
        else:
            fields[name] = _new_value(fields, name, update, prefix)
    for name, inner in below.items():
        parent = _parent(value, fields, (*prefix, name), next(iter(inner)))
        fields[name] = _updated(parent, inner, (*prefix, name), validate)
    return _with_fields(value, fields, prefix, validate)


def _new_value(fields: dict[str, Any], name: str, update: Any, prefix: Path) -> Any:
    if not callable(update):
        return update
    if name not in fields:
        raise ValueError(
            f"{_UPDATE} received a function of the field {(*prefix, name)}, which does not exist. "
            f"Pass a value to create it."
        )
    return update(fields[name])


def _parent(value: Any, fields: dict[str, Any], path: Path, rest: Path) -> Any:
    """Return the field that has fields to be updated."""
    new = f"{_UPDATE} cannot set {path + rest}:"
    if path[-1] not in fields:
        raise ValueError(f"{new} field {path} is not set.")
    parent = fields[path[-1]]
    if not isinstance(parent, type(value)):
        raise ValueError(
            f"{new} {path} has no fields: expected a StructuredTensor, received "
            f"{type(parent).__name__}."
        )
    return parent


def _with_fields(value: Any, fields: dict[str, Any], prefix: Path, validate: bool) -> Any:
    declared = shapes.leading(value._ragged_shape, value.rank)
    static_shape = shapes.static_shape(declared)
    try:
        values = making.converted(fields, type(value))
        return making.assembled(
            type(value), values, static_shape, declared, declared.dtype, validate
        )
    except ValueError as error:
        where = f" for field {prefix}" if prefix else ""
        raise ValueError(f"{_UPDATE} failed{where}: {error}") from error


def with_shape_dtype(value: Any, dtype: Any) -> Any:
    """Return the same with sizes and rows counted in another dtype."""
    shape = value._ragged_shape
    if dtype is shape.dtype:
        return value
    fields = {name: making.with_dtype(field, dtype) for name, field in value._fields.items()}
    return type(value)(fields, shape.with_dtype(dtype))
