"""Structured tensors from dictionaries and nested lists of Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from tapeflow._src.api.ragged.constants import constant
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec
from tapeflow._src.composite.structured import making, shapes
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec, TypeSpec

Path = tuple[str, ...]
# The depth of a value that is no dictionary and no list.
_VALUE = -1
_PLAIN = (int, float, str, bytes, list, tuple)


def from_pyval(cls: Any, pyval: Any, typespec: Any) -> Any:
    """Convert a Python value to a structured tensor, or to a tensor if it holds no dictionary."""
    if typespec is not None and not isinstance(typespec, (TensorSpec, RaggedTensorSpec, cls.Spec)):
        raise TypeError(
            f"StructuredTensor.from_pyval: typespec must be the spec of a structured, ragged or "
            f"plain tensor. Received: {typespec!r}"
        )
    return _read(cls, pyval, typespec, ())


def _read(cls: Any, pyval: Any, spec: Any, path: Path) -> Any:
    if not isinstance(pyval, (list, tuple, Mapping)):
        return _tensor(pyval, spec, path)
    if isinstance(spec, cls.Spec):
        depth: int | None = spec.rank
        if isinstance(pyval, Mapping) != (depth == 0):
            raise _spec_mismatch(pyval, spec, path)
    else:
        depth = _depth(pyval)
        if depth is None or depth == _VALUE:
            return _tensor(pyval, spec, path)
        if spec is not None:
            raise _spec_mismatch(pyval, spec, path)
    return _structured(cls, pyval, depth or 0, spec, path)


def _spec_mismatch(pyval: Any, spec: Any, path: Path) -> ValueError:
    return ValueError(f"Value at {path} does not match typespec: {pyval!r} vs {spec!r}")


def _is_record(value: Any) -> bool:
    # The check of an abstract class takes a while, and most values are none.
    return isinstance(value, dict) or (not isinstance(value, _PLAIN) and isinstance(value, Mapping))


def _depth(value: Any) -> int | None:
    """Return the nesting depth of dictionaries in lists; `_VALUE` for others, None if empty."""
    if not isinstance(value, (list, tuple)):
        return 0 if _is_record(value) else _VALUE
    depths = {_depth(item) for item in value} - {None}
    if not depths:
        return None
    if len(depths) > 1:
        if _VALUE in depths:
            raise ValueError(f"Expected a dict, or nested lists of dicts. Received: {value!r}")
        raise ValueError(f"Inconsistent depth of dictionaries. Received: {value!r}")
    depth = depths.pop()
    return depth if depth is None or depth == _VALUE else depth + 1


def _structured(cls: Any, pyval: Any, depth: int, spec: Any, path: Path) -> Any:
    """Lists of dictionaries nested `depth` deep, as a structured tensor of that rank."""
    specs = None if spec is None else spec._fields
    records = list(_records(pyval, depth, path))
    for record in records:
        if specs is not None and record.keys() != specs.keys():
            raise _spec_mismatch(record, spec, path)
    if specs is None:
        specs = {name: None for record in records for name in record}
    columns = {name: _column(pyval, name, depth) for name in specs}
    read = {n: _read(cls, column, specs[n], (*path, str(n))) for n, column in columns.items()}
    fields = making.converted(read, cls)
    dtype = dtypes.int64 if spec is None else spec._ragged_shape.dtype
    static_shape = TensorShape([None] * depth) if spec is None else spec.shape
    shape = shapes.with_static_shape(_shape(pyval, depth, dtype), static_shape)
    return making.assembled(cls, fields, static_shape, shape, dtype, False)


def _records(pyval: Any, depth: int, path: Path) -> Iterator[Mapping[str, Any]]:
    if _is_record(pyval) != (depth == 0):
        raise ValueError(f"Inconsistent depth of dictionaries at {path}. Received: {pyval!r}")
    if depth == 0:
        yield pyval
        return
    for item in pyval:
        yield from _records(item, depth - 1, path)


def _column(pyval: Any, name: str, depth: int) -> Any:
    """Return the values of one field in the same lists; KeyError if a dictionary lacks it."""
    if depth == 0:
        return pyval[name]
    return [_column(item, name, depth - 1) for item in pyval]


def _shape(pyval: Any, depth: int, dtype: Any) -> Any:
    """Return the shape of values nested `depth` deep."""
    if depth < 2:
        return shapes.leading(shapes.of_count(len(pyval), dtype), depth)
    rows, items = [], list(pyval)
    for _ in range(depth - 1):
        splits = [0, *accumulate(len(item) for item in items)]
        rows.append(RowPartition.from_row_splits(splits, False, dtype))
        items = [inner for item in items for inner in item]
    total = dispatch.convert(len(items), dtype)
    return shapes.of_rows([*rows[:-1], rows[-1]._of(total)], dtype)


def _tensor(pyval: Any, spec: Any, path: Path) -> Any:
    """Return a value without dictionaries: ragged if lists are nested, whatever their lengths."""
    try:
        tensor = _converted(pyval, spec)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path}: {error}") from error
    if spec is not None and not spec.is_compatible_with(tensor):
        raise ValueError(f"Value at {path} does not match typespec: {spec!r} vs {pyval!r}")
    return tensor


def _converted(pyval: Any, spec: TypeSpec | None) -> Any:
    match spec:
        case RaggedTensorSpec() if spec.ragged_rank:
            inner = spec.shape[spec.ragged_rank + 1 :]
            inner_shape = inner if inner.is_fully_defined() else None
            kind = spec.row_splits_dtype
            return constant(pyval, spec.dtype, spec.ragged_rank, inner_shape, row_splits_dtype=kind)
        case RaggedTensorSpec() | TensorSpec():
            return dispatch.convert(pyval, spec.dtype)
    return constant(pyval) if isinstance(pyval, (list, tuple)) else dispatch.convert(pyval)
