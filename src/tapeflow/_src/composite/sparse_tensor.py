"""`SparseTensor`: the coordinates and values of the elements that are not zero."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.composite import Composite, not_a_tensor
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec, describes_composites
from tapeflow._src.core.traits import MAPS_SPARSE_VALUES
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.ops.array.common import identity, size, static_ints, stop_gradient
from tapeflow._src.ops.array.shape import rank
from tapeflow._src.ops.array.shape import shape as shape_op
from tapeflow._src.ops.indexed_slices import consumers_of
from tapeflow._src.ops.math.arithmetic import as_quotient, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.sparse.arithmetic import sparse_dense_cwise_div, sparse_dense_cwise_mul

_OF_PARTS = frozenset({identity, stop_gradient})


class SparseTensorValue(NamedTuple):
    """The components of a sparse tensor as NumPy arrays, as sessions return them."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor(Composite):
    """A tensor of shape `dense_shape` that is `values[i]` at `indices[i]` and zero elsewhere.

    Args:
        indices: int64 matrix of coordinates, one row per value; in row-major order for most
            functions (`tf.sparse.reorder`).
        values: Vector of the values.
        dense_shape: int64 vector of the sizes of the axes.

    Raises:
        ValueError: If the numbers of elements or of axes differ.

    Example:
        >>> sparse = tf.SparseTensor(indices=[[0, 1], [1, 0]], values=[5, 6], dense_shape=[2, 3])
        >>> tf.sparse.to_dense(sparse).numpy()
        array([[0, 5, 0],
               [6, 0, 0]], dtype=int32)
    """

    _repair = "Use tf.sparse.to_dense(sparse), or the functions of tf.sparse."

    @scoped("SparseTensor")
    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = dispatch.convert(indices, dtypes.int64, None, "indices")
        self._values = dispatch.convert(values, None, None, "values")
        self._dense_shape = dispatch.convert(dense_shape, dtypes.int64, None, "dense_shape")
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        sizes = self._dense_shape.shape.with_rank(1)
        _must_agree("elements", indices_shape[0], values_shape[0])
        _must_agree("axes", indices_shape[1], sizes[0])
        static_shape = self._dense_shape.static_value
        if static_shape is None:
            static_shape = getattr(self._dense_shape, "_partial", None)
        rank = sizes[0] if indices_shape[1] is None else indices_shape[1]
        if static_shape is not None:
            self._shape = TensorShape(static_shape.tolist())
        else:
            self._shape = TensorShape(None if rank is None else [None] * rank)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Create a sparse tensor from a `SparseTensorValue`.

        Args:
            sparse_tensor_value: A `SparseTensorValue` or a sparse tensor.

        Raises:
            TypeError: If it is something else.

        Example:
            >>> x = tf.sparse.from_dense([[0, 1], [2, 0]])
            >>> tf.SparseTensor.from_value(x).values.numpy()
            array([1, 2], dtype=int32)
        """
        parts = [
            getattr(sparse_tensor_value, part, None)
            for part in ("indices", "values", "dense_shape")
        ]
        if any(part is None for part in parts):
            raise TypeError(
                f"Expected a SparseTensor or SparseTensorValue, received {sparse_tensor_value!r}."
            )
        return cls(*parts)

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
        return self._shape

    def get_shape(self) -> TensorShape:
        """Return the shape: the same as `.shape`.

        Example:
            >>> tf.sparse.from_dense([[0, 1], [2, 0]]).get_shape()
            TensorShape([2, 2])
        """
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Merge `shape` into the static shape.

        Args:
            shape: A compatible shape.

        Raises:
            ValueError: If they are incompatible.
        """
        self._shape = self._shape.merge_with(as_shape(shape))

    @property
    def graph(self) -> Any:
        """The graph that the indices, values and shape belong to."""
        return self._indices.graph

    @property
    def op(self) -> Any:
        """The operation that computes the values."""
        return self._values.op

    def consumers(self) -> list[Any]:
        """Return the operations that take one of the tensors that this one consists of: none
        eagerly.
        """
        return consumers_of((self._indices, self._values, self._dense_shape))

    def with_values(self, new_values: Any) -> SparseTensor:
        """Return a sparse tensor with other values at the same indices.

        Args:
            new_values: Vector of as many values.

        Example:
            >>> sparse = tf.sparse.from_dense([0, 5, 7])
            >>> tf.sparse.to_dense(sparse.with_values([1.0, 2.0])).numpy()
            array([0., 1., 2.], dtype=float32)
        """
        result = SparseTensor(self._indices, new_values, self._dense_shape)
        result._shape = self._shape
        return result

    # -- operators ---------------------------------------------------------------------------

    def __mul__(self, other: Any) -> SparseTensor:
        """Multiply element-wise by a dense tensor that broadcasts to this shape."""
        other = dispatch.convert(other, None if hasattr(other, "dtype") else self.dtype)
        parts = (self._indices, self._values, self._dense_shape)
        return self.with_values(sparse_dense_cwise_mul(*parts, other, name="mul"))

    def __truediv__(self, other: Any) -> SparseTensor:
        """Divide by a dense tensor that broadcasts to this shape; integers become floats."""
        other = dispatch.convert(other, None if hasattr(other, "dtype") else self.dtype)
        values, other = as_quotient(self._values, other)
        parts = (self._indices, values, self._dense_shape)
        quotient = sparse_dense_cwise_div(*parts, other, name="truediv")
        return self.with_values(quotient)

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        if MAPS_SPARSE_VALUES in op.traits:
            return self.with_values(op(self._values, **attrs, name=name))
        if op in _OF_PARTS:
            result = SparseTensor(op(self._indices), op(self._values), op(self._dense_shape))
            result._shape = self._shape
            return result
        if op is mul and sum(isinstance(x, SparseTensor) for x in inputs) == 1:
            return self * next(x for x in inputs if x is not self)
        if op is shape_op:
            return cast(self._dense_shape, DstT=attrs["out_type"], name=name)
        if op is rank:
            return size(self._dense_shape, name=name)
        if op is size:
            count = prod(self._dense_shape, static_ints((0,)))
            return cast(count, DstT=attrs["out_type"], name=name)
        raise not_a_tensor(self)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> SparseTensorSpec:
        """Return the spec for the shape of `dense_shape`, which loops need for a sparse
        variable.
        """
        rank = shape.with_rank(1)[0]
        return SparseTensorSpec(None if rank is None else [None] * rank, self.dtype)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )


class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a sparse tensor.

    Args:
        shape: The dense shape, None for unknown sizes.
        dtype: The dtype of the values.

    Example:
        >>> tf.SparseTensorSpec([None, 3], tf.int32)
        SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: SparseTensor) -> SparseTensorSpec:
        """Return the spec of a sparse tensor.

        Args:
            value: The sparse tensor.

        Example:
            >>> tf.SparseTensorSpec.from_value(tf.sparse.from_dense([0, 1])).shape
            TensorShape([2])
        """
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
        value.set_shape(self._shape)
        return value


def _must_agree(what: str, a: int | None, b: int | None) -> None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"SparseTensor: Dimensions {a} and {b} are not compatible ({what}).")


def _rebuilt(like: SparseTensor, parts: list[Any]) -> SparseTensor:
    result = SparseTensor(*parts)
    if result._dense_shape.static_value is None:
        result._shape = like._shape
    return result


nest.register_composite(SparseTensor, lambda s: (s.indices, s.values, s.dense_shape), _rebuilt)
describes_composites(SparseTensorSpec)
