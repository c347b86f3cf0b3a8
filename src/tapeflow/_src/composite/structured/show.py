"""Structured tensors as text, and as dictionaries and lists of Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.structured import shapes
from tapeflow._src.core import nest


def text_of(value: Any) -> str:
    """Return the fields in the order of their names, and the shape."""
    fields = [
        f'{" " * 8}"{name}": ' + str(field).replace("\n", "\n" + " " * 12)
        for name, field in sorted(value._fields.items())
    ]
    body = ",\n".join(fields) or " " * 8
    return f"<StructuredTensor(\n    fields={{\n{body}}},\n    shape={value.shape})>"


def to_pyval(value: Any) -> Any:
    """Return a dictionary, or nested lists of dictionaries."""
    if not all(hasattr(part, "numpy") for part in nest.flatten(value, expand_composites=True)):
        raise ValueError(
            "to_pyval() needs values, and inside tf.function there are none: return the "
            "StructuredTensor and call to_pyval() on the result."
        )
    fields = {name: _plain(field) for name, field in value._fields.items()}
    rows = [row.row_splits().numpy().tolist() for row in value.row_partitions]
    if value.rank == 0:
        return fields
    count = rows[-1][-1] if rows else int(value.nrows())
    zipped = _zipped(fields, value.rank, count)
    for splits in reversed(rows) if not fields else ():
        zipped = [zipped[start:stop] for start, stop in pairwise(splits)]
    return zipped


def _plain(field: Any) -> Any:
    if not shapes.is_plain(field):
        return to_pyval(field)
    if is_ragged(field):
        return field.to_list()
    array = field.numpy()
    return array if field.shape.rank == 0 else array.tolist()


def _zipped(fields: dict[str, Any], depth: int, count: int) -> list[Any]:
    """Lists nested `depth` deep in dictionaries as one list of dictionaries so deep."""
    if not fields:
        return [{} for _ in range(count)]
    columns = zip(*fields.values(), strict=True)
    if depth == 1:
        return [dict(zip(fields, items)) for items in columns]
    return [_zipped(dict(zip(fields, items)), depth - 1, 0) for items in columns]
