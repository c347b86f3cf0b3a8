"""`IndexedSlices`: a gradient that is zero but for some rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.dtypes import DType, as_dtype, float32, int64
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec, describes_composites
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.common import concat_v2, scalar_int, static_ints
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


class IndexedSlices:
    """Rows of a larger tensor, as gradients of lookups are. Rows listed twice add up.

    Args:
        values: The rows.
        indices: The index of each row.
        dense_shape: The shape of the whole tensor, if it is known.

    Example:
        >>> slices = tf.IndexedSlices(tf.constant([[1, 2]]), tf.constant([1]), dense_shape=[3, 2])
        >>> tf.convert_to_tensor(slices).numpy()
        array([[0, 0],
               [1, 2],
               [0, 0]], dtype=int32)
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = dispatch.convert(values)
        self._indices = dispatch.convert(indices)
        self._dense_shape: Any = None if dense_shape is None else dispatch.convert(dense_shape)

    @property
    def values(self) -> Any:
        """The rows."""
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
        static_shape = None if self._dense_shape is None else self._dense_shape.static_value
        return TensorShape(None if static_shape is None else static_shape.tolist())

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

    def consumers(self) -> list[Any]:
        """Return the operations that consume one of the component tensors: none eagerly."""
        return consumers_of((self._values, self._indices, self._dense_shape))

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        dense = self._dense_shape
        return IndexedSlicesSpec(
            self._values.shape if dense is None else self.shape,
            self.dtype,
            self._indices.dtype,
            None if dense is None else dense.dtype,
            self._indices.shape,
        )

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        if self._dense_shape is None:
            raise ValueError(
                "IndexedSlices without dense_shape cannot become a Tensor: the number of rows is "
                "not known. Pass dense_shape when creating them."
            )
        return unsorted_segment_sum(self._values, self._indices, self._rows())

    def _rows(self) -> Any:
        """Return the number of rows of the dense tensor."""
        static_shape = self._dense_shape.static_value
        if static_shape is not None:
            return scalar_int(int(static_shape[0]))
        begin, end = static_ints((0,)), static_ints((1,))
        return strided_slice(self._dense_shape, begin, end, end, shrink_axis_mask=1)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


class IndexedSlicesSpec(TypeSpec):
    """The dense shape, and the dtypes and number of the rows.

    Args:
        shape: The shape of the whole tensor.
        dtype: The dtype of the rows.
        indices_dtype: The dtype of the indices.
        dense_shape_dtype: The dtype of `dense_shape`; None if there is none.
        indices_shape: The shape of the indices.

    Example:
        >>> tf.IndexedSlicesSpec(shape=[None, 3], dtype=tf.float32).value_type.__name__
        'IndexedSlices'
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rows = self._indices_shape.concatenate(self._shape[1:])
        parts = TensorSpec(rows, self._dtype), TensorSpec(self._indices_shape, self._indices_dtype)
        if self._dense_shape_dtype is None:
            return parts
        return (*parts, TensorSpec([self._shape.rank], self._dense_shape_dtype))

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)


nest.register_composite(
    IndexedSlices,
    lambda s: (
        (s.values, s.indices) if s.dense_shape is None else (s.values, s.indices, s.dense_shape)
    ),
    lambda s, parts: IndexedSlices(*parts),
)
describes_composites(IndexedSlicesSpec)


def consumers_of(parts: Iterable[Any]) -> list[Any]:
    """Return the operations of a graph that consume one of these tensors; eager ones have none."""
    by_id: dict[int, Any] = {}
    for part in parts:
        if part is not None and part.static_value is None:
            by_id.update((id(operation), operation) for operation in part.consumers())
    return list(by_id.values())


def densify(gradient: Any) -> Any:
    """Convert a gradient to a tensor."""
    return gradient.__tf_tensor__() if isinstance(gradient, IndexedSlices) else gradient


def join(a: IndexedSlices, b: IndexedSlices) -> IndexedSlices:
    """Add two, still sparse."""
    axis = scalar_int(0)
    indices = [a.indices, b.indices]
    if a.indices.dtype is not b.indices.dtype:
        indices = [cast(i, DstT=int64) for i in indices]
    return IndexedSlices(
        concat_v2([a.values, b.values], axis),
        concat_v2(indices, axis),
        a.dense_shape if a.dense_shape is not None else b.dense_shape,
    )
