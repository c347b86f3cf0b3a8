"""`SparseTensor`: the coordinates and values of the elements that are not zero."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes, nest
from tapeflow.core.dtypes import DType
from tapeflow.core.shape import TensorShape, as_shape
from tapeflow.core.spec import TensorSpec, TypeSpec


class SparseTensor:
    """A tensor of shape `dense_shape` that is `values[i]` at `indices[i]` and zero elsewhere."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = dispatch.convert(indices, dtypes.int64)
        self._values = dispatch.convert(values)
        self._dense_shape = dispatch.convert(dense_shape, dtypes.int64)
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        sizes = self._dense_shape.shape.with_rank(1)
        _must_agree("elements", indices_shape[0], values_shape[0])
        _must_agree("axes", indices_shape[1], sizes[0])
        # What is known of the shape beyond the value of `dense_shape`.
        self._declared: TensorShape | None = None

    @property
    def indices(self) -> Any:
        """The coordinates, one row each."""
        return self._indices

    @property
    def values(self) -> Any:
        """The values at those coordinates."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The sizes of the axes, as a tensor."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        known = self._dense_shape._static
        if known is None and self._declared is not None:
            return self._declared
        return TensorShape([None] * self._dense_shape.shape[0] if known is None else known.tolist())

    def get_shape(self) -> TensorShape:
        """The shape: the same as `.shape`."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same coordinates with other values."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )


class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a sparse tensor."""

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: SparseTensor) -> SparseTensorSpec:
        """The spec of a sparse tensor."""
        return value._type_spec

    @property
    def value_type(self) -> type:
        return SparseTensor

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rank = self._shape.rank
        return (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        )

    def _to_components(self, value: SparseTensor) -> tuple[Any, ...]:
        return value.indices, value.values, value.dense_shape

    def _from_components(self, components: Any) -> SparseTensor:
        value = SparseTensor(*components)
        value._declared = self._shape
        return value


def _must_agree(what: str, a: int | None, b: int | None) -> None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"SparseTensor: dimensions {a} and {b} are not compatible ({what}).")


nest.register_composite(
    SparseTensor,
    lambda s: (s.indices, s.values, s.dense_shape),
    lambda s, parts: SparseTensor(*parts),
)
