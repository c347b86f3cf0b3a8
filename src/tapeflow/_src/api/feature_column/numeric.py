"""Columns of numbers, as they are or by the bucket that they fall into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tapeflow._src.api import arrays
from tapeflow._src.api.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    require_key,
)
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.io.features import FixedLenFeature
from tapeflow._src.api.math.casting import cast
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dtypes import DType, float32, int64
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import ShapeLike, TensorLike
from tapeflow._src.ops.math.sorting import bucketize


@registered
@dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """Numbers, `shape` of them for each row."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        values = transformation_cache.get(self.key, state_manager)
        if isinstance(values, SparseTensor):
            raise ValueError(
                f"numeric_column('{self.key}') expected a dense feature. Received a SparseTensor: "
                f"convert it with `tf.sparse.to_dense`."
            )
        if self.normalizer_fn is not None:
            values = self.normalizer_fn(values)
        return cast(values, float32)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self, state_manager)


@registered
@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """The bucket that each number of a numeric column falls into: one-hot, or as a category."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.source_column.parse_example_spec

    @property
    def _count(self) -> int:
        """The number of buckets of one number."""
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, self._count))

    @property
    def num_buckets(self) -> int:
        return self._count * self.source_column.shape[0]

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        numbers = transformation_cache.get(self.source_column, state_manager)
        return bucketize(numbers, boundaries=list(self.boundaries))

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        buckets = transformation_cache.get(self, state_manager)
        return arrays.one_hot(cast(buckets, int64), self._count)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        buckets = transformation_cache.get(self, state_manager)
        width = self.source_column.shape[0]
        # Each number of a row has buckets of its own.
        ids = arrays.reshape(buckets, [-1, width]) + arrays.range(width) * self._count
        every = arrays.where(arrays.ones_like(ids, "bool"))
        shape = arrays.shape(ids, int64)
        return IdWeightPair(SparseTensor(every, arrays.reshape(ids, [-1]), shape), None)


def numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: Any = None,
    dtype: DType = float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> NumericColumn:
    """Return a column of numbers, as float32.

    Args:
        key: The name of the feature.
        shape: The shape of the feature in one row.
        default_value: What `tf.io.parse_example` takes where the feature is missing.
        dtype: The dtype of the feature in examples.
        normalizer_fn: A function of the tensor that is applied first.

    Returns:
        A column for `tf.keras.layers.DenseFeatures`.

    Example:
        >>> price = tf.feature_column.numeric_column("price", normalizer_fn=lambda x: x / 10)
        >>> tf.keras.layers.DenseFeatures([price])({"price": [[30.0], [5.0]]}).numpy()
        array([[3. ],
               [0.5]], dtype=float32)
    """
    shape = check_shape(shape, key)
    check_number(dtype, key)
    default_value = _default(default_value, shape, dtype, key)
    check_function(normalizer_fn)
    require_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def check_shape(shape: ShapeLike, key: str) -> tuple[int, ...]:
    """Return the shape of a numeric feature as a tuple of positive integers."""
    shape = tuple(shape) if isinstance(shape, (list, tuple, TensorShape)) else (shape,)
    if not all(isinstance(size, int) for size in shape):
        raise TypeError(f"Column '{key}': `shape` must consist of integers. Received: {shape}")
    if any(size < 1 for size in shape):
        raise ValueError(f"Column '{key}': the sizes in `shape` must be positive: {shape}")
    return shape


def check_number(dtype: Any, key: str) -> None:
    """Raise a ValueError unless a dtype is one of numbers."""
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"Column '{key}': `dtype` must be one of numbers. Received: {dtype}")


def check_function(normalizer_fn: Any) -> None:
    """Raise a TypeError unless a normalizer can be called."""
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"`normalizer_fn` must be a function. Received: {normalizer_fn!r}")


def _default(value: TensorLike, shape: tuple[int, ...], dtype: DType, key: str) -> Any:
    """Return the default as nested tuples of `shape`; a number stands for all elements."""
    if value is None:
        return None
    if hasattr(value, "tolist"):
        value = value.tolist()
    kinds = (int, float) if dtype.is_floating else (int,)
    if isinstance(value, kinds):
        return _filled(shape, value)
    if isinstance(value, (list, tuple)):
        value = _checked(value, shape, key)
        if all(isinstance(leaf, kinds) for leaf in _leaves(value)):
            return value
    raise TypeError(
        f"Column '{key}': `default_value` must consist of numbers of dtype {dtype.name}. "
        f"Received: {value!r}"
    )


def _filled(shape: tuple[int, ...], value: TensorLike) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _checked(value: Any, shape: tuple[int, ...], key: str) -> Any:
    """Return a nested sequence as tuples; a ValueError if it is not of `shape`."""
    nested = isinstance(value, (list, tuple))
    if nested != bool(shape) or (nested and len(value) != shape[0]):
        raise ValueError(
            f"Column '{key}': `default_value` must have the shape of the feature, {shape} there. "
            f"Received: {value!r}"
        )
    return tuple(_checked(item, shape[1:], key) for item in value) if nested else value


def _leaves(value: TensorLike) -> list[Any]:
    return (
        [leaf for item in value for leaf in _leaves(item)] if isinstance(value, tuple) else [value]
    )


def bucketized_column(source_column: NumericColumn, boundaries: Any) -> BucketizedColumn:
    """Return a column of bucket indices of a numeric column.

    Args:
        source_column: A `numeric_column` of one axis.
        boundaries: The edges between buckets, in ascending order; a number at an edge is in the
            bucket above it.

    Returns:
        A column for `tf.keras.layers.DenseFeatures`, and for crosses.

    Example:
        >>> age = tf.feature_column.numeric_column("age")
        >>> decades = tf.feature_column.bucketized_column(age, [10, 20])
        >>> tf.keras.layers.DenseFeatures([decades])({"age": [[7], [20]]}).numpy()
        array([[1., 0., 0.],
               [0., 0., 1.]], dtype=float32)
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            f"bucketized_column: expected a `numeric_column`. Received: {source_column!r}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(
            f"bucketized_column: expected a column of one axis. Received the shape "
            f"{source_column.shape} of column '{source_column.key}'"
        )
    ascending = isinstance(boundaries, (list, tuple)) and boundaries
    if not ascending or any(low >= high for low, high in pairwise(boundaries)):
        raise ValueError(
            f"bucketized_column: `boundaries` must be a list in ascending order, of one number or "
            f"more. Received: {boundaries}"
        )
    return BucketizedColumn(source_column, tuple(boundaries))
