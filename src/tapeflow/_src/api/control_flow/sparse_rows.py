"""Read and collect slices of sparse tensors along their first axis."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.reduction import max_


class SparseRows:
    """The slices of a sparse tensor along its first axis."""

    def __init__(self, tensor: SparseTensor) -> None:
        self._tensor = tensor
        self._numbers = get_item(tensor.indices, (slice(None), 0))

    def read(self, index: Any) -> SparseTensor:
        """Return the slice at `index`, of rank one less."""
        matches = where(equal(self._numbers, cast(index, DstT=dtypes.int64)))
        positions = reshape(matches, static_ints((-1,)))
        indices = gather_v2(self._tensor.indices, positions, scalar_int(0))
        return SparseTensor(
            get_item(indices, (slice(None), slice(1, None))),
            gather_v2(self._tensor.values, positions, scalar_int(0)),
            get_item(self._tensor.dense_shape, slice(1, None)),
        )


def row_spec(tensor: SparseTensor) -> SparseTensorSpec:
    """Return the spec of a slice of a sparse tensor."""
    return SparseTensorSpec(tensor.shape[1:], tensor.dtype)


def arrays_for_sparse(spec: SparseTensorSpec, count: Any) -> list[TensorArray]:
    """Create the TensorArrays that collect the components and shapes of sparse tensors."""
    rank = spec.shape.rank
    parts: tuple[tuple[Any, list[int | None]], ...] = (
        (dtypes.int64, [None, rank]),
        (spec.dtype, [None]),
        (dtypes.int64, [rank]),
        (dtypes.int64, []),
    )
    return [
        TensorArray(dtype, count, infer_shape=False, element_shape=TensorShape(shape))
        for dtype, shape in parts
    ]


def written_sparse(arrays: list[TensorArray], index: Any, value: SparseTensor) -> list[TensorArray]:
    """Write a sparse tensor and return the updated TensorArrays."""
    size = sizes.count(value.values, dtypes.int64)
    parts = (value.indices, value.values, value.dense_shape, size)
    return [array.write(index, part) for array, part in zip(arrays, parts, strict=True)]


def collected_sparse(arrays: list[TensorArray]) -> SparseTensor:
    """Stack the sparse tensors along a new first axis; other axes get the largest size."""
    indices, values, shapes, lengths = arrays
    rows = RowPartition.from_row_lengths(lengths.stack(), validate=False)
    numbers = reshape(rows.value_rowids(), static_ints((-1, 1)))
    largest = max_(shapes.stack(), static_ints((0,)))
    return SparseTensor(
        concat_v2([numbers, indices.concat()], scalar_int(1)),
        values.concat(),
        concat_v2([sizes.vector(rows.nrows()), largest], scalar_int(0)),
    )
