"""`IndexedSlices`: a gradient that is zero but for some rows."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, nest
from tapeflow.core.dtypes import DType, int64
from tapeflow.core.shape import TensorShape
from tapeflow.ops.array import concat_v2, scalar_int, unpack
from tapeflow.ops.cast import cast
from tapeflow.ops.segment_sum import unsorted_segment_sum


class IndexedSlices:
    """The tensor of shape `dense_shape` that is `values[i]` at row `indices[i]`, zero elsewhere.

    Rows named twice add up.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = dispatch.convert(values)
        self._indices = dispatch.convert(indices)
        self._dense_shape: Any = None if dense_shape is None else dispatch.convert(dense_shape)

    @property
    def values(self) -> Any:
        """The rows that are given."""
        return self._values

    @property
    def indices(self) -> Any:
        """Which rows they are."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole, if known."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        known = None if self._dense_shape is None else self._dense_shape._static
        return TensorShape(None if known is None else known.tolist())

    @property
    def name(self) -> str:
        return self._values.name

    @property
    def op(self) -> Any:
        return self._values.op

    @property
    def graph(self) -> Any:
        return self._values.graph

    @property
    def device(self) -> str:
        return self._values.device

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: "
                "its number of rows is not known."
            )
        return unsorted_segment_sum(self._values, self._indices, self._rows())

    def _rows(self) -> Any:
        """The number of rows of the whole."""
        known = self._dense_shape._static
        if known is not None:
            return scalar_int(int(known[0]))
        return unpack(self._dense_shape, num=self._dense_shape._dims[0])[0]

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


nest.register_composite(
    IndexedSlices,
    lambda s: (
        (s.values, s.indices) if s.dense_shape is None else (s.values, s.indices, s.dense_shape)
    ),
    lambda s, parts: IndexedSlices(*parts),
)


def densify(gradient: Any) -> Any:
    """A gradient as a tensor."""
    return gradient.__tf_tensor__() if isinstance(gradient, IndexedSlices) else gradient


def join(a: IndexedSlices, b: IndexedSlices) -> IndexedSlices:
    """The sum of two, still sparse."""
    axis = scalar_int(0)
    indices = [a.indices, b.indices]
    if a.indices.dtype is not b.indices.dtype:
        indices = [cast(i, DstT=int64) for i in indices]
    return IndexedSlices(
        concat_v2([a.values, b.values], axis),
        concat_v2(indices, axis),
        a.dense_shape if a.dense_shape is not None else b.dense_shape,
    )
