"""Read and collect the elements of tensors along their first axis, one at a time.

The tensors of a loop over elements may be dense or ragged; an element of a ragged tensor is a
row, which may be ragged itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.control_flow.sparse_rows import (
    SparseRows,
    arrays_for_sparse,
    collected_sparse,
    row_spec,
    written_sparse,
)
from tapeflow._src.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int, shape
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.scan import cumsum


def as_elements(elems: Any) -> Any:
    """Convert `elems` to a structure of tensors, which may be ragged or sparse."""
    if not nest.flatten(elems):
        raise ValueError(f"elems must contain one tensor or more, received {elems!r}.")
    tensors = nest.map_structure(_as_element, elems)
    for tensor in nest.flatten(tensors):
        if tensor.shape.rank == 0:
            raise ValueError("elems must have an axis to iterate over, received a scalar.")
    return tensors


def _as_element(value: TensorLike) -> Any:
    return dispatch.operand(value)


def count_of(tensors: list[Any]) -> tuple[Any, int | None]:
    """Return the number of elements, as a tensor and, if known statically, as an int.

    Raise ValueError if the tensors have different numbers.

    It must be the same along the first axis of all of them.
    """
    static_count = TensorShape([None])
    for tensor in tensors:
        try:
            static_count = static_count.merge_with(tensor.shape[:1])
        except ValueError:
            raise ValueError(
                f"Dimensions {static_count[0]} and {tensor.shape[0]} are not compatible: the "
                f"elements have different numbers of rows."
            ) from None
    static = static_count[0]
    if static is not None:
        return scalar_int(static), static
    first = tensors[0]
    if isinstance(first, RaggedTensor):
        return first.nrows(dtypes.int32), None
    if isinstance(first, SparseTensor):
        return cast(first.dense_shape[0], DstT=dtypes.int32), None
    return shape(first)[0], None


def rows_of(tensor: Any, count: Any, static: int | None) -> Any:
    """Return an object whose `read(index)` returns a row; each row is read once."""
    if isinstance(tensor, RaggedTensor):
        return _RaggedRows(tensor)
    if isinstance(tensor, SparseTensor):
        return SparseRows(tensor)
    size = count if static is None else static
    return TensorArray(tensor.dtype, size, infer_shape=True).unstack(tensor)


class _RaggedRows:
    """The rows of a ragged tensor."""

    def __init__(self, tensor: RaggedTensor) -> None:
        self._tensor = tensor

    def read(self, index: Any) -> Any:
        return self._tensor[index]


# -- collecting -------------------------------------------------------------------------------


def signature_of(tensor: Any) -> Any:
    """Return the signature of an element of a tensor: a dtype, or a spec for a ragged row."""
    if isinstance(tensor, RaggedTensor):
        splits = tensor.row_splits.dtype
        return RaggedTensorSpec(tensor.shape[1:], tensor.dtype, tensor.ragged_rank - 1, splits)
    return row_spec(tensor) if isinstance(tensor, SparseTensor) else tensor.dtype


def arrays_for(signature: Any, count: Any, infer_shape: bool) -> list[TensorArray]:
    """Create the TensorArrays that collect elements of a signature."""
    if isinstance(signature, RaggedTensorSpec):
        depth = signature.ragged_rank
        inner = signature.shape[depth + 1 :]
        values = TensorShape(None) if inner.rank is None else TensorShape([None, *inner])
        shapes = [values, TensorShape([]), *[TensorShape([None])] * depth]
        kinds = [signature.dtype, *[signature.row_splits_dtype] * (depth + 1)]
        return [
            TensorArray(kind, count, infer_shape=False, element_shape=element_shape)
            for kind, element_shape in zip(kinds, shapes, strict=True)
        ]
    if isinstance(signature, SparseTensorSpec):
        return arrays_for_sparse(signature, count)
    if isinstance(signature, TensorSpec):
        dtype, element_shape = signature.dtype, signature.shape
    elif isinstance(signature, (DType, str, type)):
        dtype, element_shape = dtypes.as_dtype(signature), TensorShape(None)
    else:
        raise TypeError(
            f"Elements of {signature} cannot be collected: give a dtype, a tf.TensorSpec, a "
            f"tf.RaggedTensorSpec or a tf.SparseTensorSpec."
        )
    return [TensorArray(dtype, count, infer_shape=infer_shape, element_shape=element_shape)]


def written(arrays: list[TensorArray], index: Any, value: Any, signature: Any) -> list[TensorArray]:
    """Write an element and return the updated TensorArrays."""
    if isinstance(signature, SparseTensorSpec):
        return written_sparse(arrays, index, value)
    if not isinstance(signature, RaggedTensorSpec):
        return [arrays[0].write(index, value)]
    value = _as_element(value)
    levels: list[Any] = []
    inner = value
    for _ in range(signature.ragged_rank):
        levels.append(inner.row_lengths())
        inner = inner.values
    rows = shape(value.row_splits)[0] - 1 if levels else shape(value)[0]
    kind = signature.row_splits_dtype
    lengths = [_cast(rows, kind), *(_cast(level, kind) for level in levels)]
    return [array.write(index, item) for array, item in zip(arrays, [inner, *lengths], strict=True)]


def collected(arrays: list[TensorArray], signature: Any) -> Any:
    """Stack all elements into one tensor, ragged or sparse according to the signature."""
    if isinstance(signature, SparseTensorSpec):
        return collected_sparse(arrays)
    values, *lengths = arrays
    if not isinstance(signature, RaggedTensorSpec):
        return values.stack()
    result = _joined(values)
    levels = [lengths[0].stack(), *map(_joined, lengths[1:])]
    for level in reversed(levels):
        zero = dispatch.convert(np.zeros(1, level.dtype.np))
        splits = concat_v2([zero, cumsum(level, scalar_int(0))], scalar_int(0))
        result = RaggedTensor.from_row_splits(result, splits, validate=False)
    return result


def _joined(array: TensorArray) -> Any:
    """Concatenate all elements; an empty array still has the rank of an element."""
    if array.size().static_value != 0:
        return array.concat()
    inner = array.element_shape[1:] if array.element_shape.rank else TensorShape([])
    return dispatch.convert(np.zeros([0, *(n or 0 for n in inner)], array.dtype.np), array.dtype)


def _cast(tensor: Any, dtype: DType) -> Any:
    return dispatch.convert(tensor) if tensor.dtype is dtype else cast(tensor, DstT=dtype)
