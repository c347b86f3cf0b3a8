"""Functions of `tf` on structured tensors: applied to their shape, or to each field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.arrays import creation, joining, slicing
from tapeflow._src.api.arrays import shapes as array_shapes
from tapeflow._src.api.math import reduction
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.random import stateful
from tapeflow._src.composite.extension_types.dispatch import dispatch_for_api
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.sizes import numbers_below
from tapeflow._src.composite.structured.making import with_dtype
from tapeflow._src.composite.structured.rebuilding import of_fields, rebuilt, stand_in
from tapeflow._src.composite.structured.tensor import StructuredTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.types import Axis, DTypeLike
from tapeflow._src.ops.array.shape import scalar_int

# -- of their shape ---------------------------------------------------------------------------


@dispatch_for_api(array_shapes.shape, {"input": StructuredTensor})
def _shape(input: StructuredTensor, out_type: DTypeLike | None = None) -> DynamicRaggedShape:
    return input._ragged_shape.with_dtype(dtypes.int32 if out_type is None else out_type)


@dispatch_for_api(array_shapes.size, {"input": StructuredTensor})
def _size(input: StructuredTensor, out_type: DTypeLike | None = None) -> Any:
    total = reduction.reduce_prod(input._ragged_shape.inner_shape)
    return cast(total, dtypes.int32 if out_type is None else as_dtype(out_type))


@dispatch_for_api(array_shapes.rank, {"input": StructuredTensor})
def _rank(input: StructuredTensor) -> Any:
    return scalar_int(input.rank)


@dispatch_for_api(creation.zeros_like, {"input": StructuredTensor})
def _zeros_like(input: StructuredTensor, dtype: DTypeLike | None = None, layout: Any = None) -> Any:
    return creation.zeros(input._ragged_shape, dtype or dtypes.float32)


@dispatch_for_api(creation.ones_like, {"input": StructuredTensor})
def _ones_like(input: StructuredTensor, dtype: DTypeLike | None = None, layout: Any = None) -> Any:
    return creation.ones(input._ragged_shape, dtype or dtypes.float32)


# -- of each field ----------------------------------------------------------------------------


@dispatch_for_api(array_shapes.expand_dims, {"input": StructuredTensor})
def _expand_dims(input: StructuredTensor, axis: Axis) -> Any:
    at = positive_axis(axis, input.rank + 1)
    return rebuilt(input, lambda field: array_shapes.expand_dims(field, at), input.rank + 1)


@dispatch_for_api(slicing.gather, {"params": StructuredTensor})
def _gather(
    params: StructuredTensor,
    indices: Any,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    index_tensor = indices if is_ragged(indices) else convert(indices, None, dtypes.int32)
    gather_axis = batch_dims if axis is None else axis
    at = positive_axis(gather_axis, params.rank)
    rank = params.rank - 1 + index_tensor.shape.rank - batch_dims
    return rebuilt(
        params,
        lambda field: slicing.gather(field, index_tensor, axis=at, batch_dims=batch_dims),
        rank,
    )


@dispatch_for_api(stateful.shuffle, {"value": StructuredTensor})
def _shuffle(value: StructuredTensor, seed: Any = None) -> Any:
    if value.rank == 0:
        raise ValueError("Cannot shuffle a scalar StructuredTensor")
    return slicing.gather(value, stateful.shuffle(numbers_below(value.nrows()), seed))


@dispatch_for_api(joining.concat, {"values": list[StructuredTensor]}, {"values": StructuredTensor})
def _concat(values: Any, axis: Any) -> Any:
    if isinstance(values, StructuredTensor):
        return values
    if len(values) == 1:
        return values[0]
    _require_same_fields(values)
    at = positive_axis(axis, values[0].rank)
    kinds = {value._ragged_shape.dtype for value in values}
    kind = kinds.pop() if len(kinds) == 1 else dtypes.int64
    return _joined([with_dtype(value, kind) for value in values], at)


def _joined(values: Sequence[StructuredTensor], at: int) -> Any:
    first = values[0]
    fields = {
        name: joining.concat([value.field_value(name) for value in values], at)
        for name in first.field_names()
    }
    stand: Callable[[], Any] = lambda: joining.concat([stand_in(v) for v in values], at)  # noqa: E731
    return of_fields(first, fields, stand, first.rank)


def _require_same_fields(values: Sequence[StructuredTensor]) -> None:
    paths = [_paths(value) for value in values]
    everywhere = set.intersection(*paths)
    if odd := set.union(*paths) - everywhere:
        raise ValueError(
            f"tf.concat: structured tensors must have the same fields. Not all have {sorted(odd)}"
        )
    if len({value.rank for value in values}) > 1:
        raise ValueError(
            f"tf.concat: structured tensors must have one rank. Received: "
            f"{[value.rank for value in values]}"
        )


def _paths(value: StructuredTensor) -> set[tuple[str, ...]]:
    """Return the paths to all fields, those of fields included."""
    paths = set()
    for name in value.field_names():
        field = value.field_value(name)
        inner = _paths(field) if isinstance(field, StructuredTensor) else set()
        paths |= {(name,)} | {(name, *path) for path in inner}
    return paths
