"""Items of structured tensors: along their axes, and below these by the names of fields."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.structured.rebuilding import rebuilt

_FULL_SLICE = slice(None)


def get_structured_item(value: Any, key: Any) -> Any:
    """Return `value[key]`: positions and slices for the axes, then a field, then the field's own
    axes.
    """
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    if not keys:
        return value
    if value.rank == 0:
        return _item_of_scalar(value, keys)
    outer, inner = keys[: value.rank], keys[value.rank :]
    for each in outer:
        if each is None or each is ...:
            name = "Ellipsis" if each is ... else "tf.newaxis"
            raise ValueError(f"Slicing not supported for {name}")
    if not inner:
        return _along_axes(value, tuple(outer))
    name, *rest = inner
    if not isinstance(name, str):
        raise ValueError(
            f"After its {value.rank} axes, a StructuredTensor is indexed by the name of a field, a "
            f"string. Received: {name!r}"
        )
    return value.field_value(name)[tuple(outer + rest)]


def _item_of_scalar(value: Any, keys: list[Any]) -> Any:
    first, *rest = keys
    if isinstance(first, str):
        field = value.field_value(first)
        return field[tuple(rest)] if rest else field
    if not (isinstance(first, slice) and first == _FULL_SLICE):
        raise ValueError(
            f"A StructuredTensor without axes is indexed by the name of a field, a string, or by "
            f"':'. Received: {first!r}"
        )
    if not rest:
        return value
    fields = {name: field[tuple(rest)] for name, field in value._fields.items()}
    return type(value)(fields, value._ragged_shape)


def _along_axes(value: Any, keys: tuple[Any, ...]) -> Any:
    if all(isinstance(key, slice) and key == _FULL_SLICE for key in keys):
        return value
    rank = value.rank - sum(not isinstance(key, slice) for key in keys)
    return rebuilt(value, lambda field: field[keys], rank)
