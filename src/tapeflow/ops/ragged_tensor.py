"""`RaggedTensor`: rows of different lengths, as their values in one tensor and where each row ends.

This part knows how such a tensor is made, taken apart and shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes, nest
from tapeflow.core.dtypes import DType
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.shape import TensorShape, as_shape
from tapeflow.core.spec import TensorSpec, TypeSpec
from tapeflow.core.tensor import Tensor


class RaggedTensor:
    """Row `i` is `values[row_splits[i]:row_splits[i + 1]]`; `values` may be ragged itself.

    Made by `RaggedTensor.from_row_splits` and its kin, or by `tf.ragged.constant`.
    """

    def __init__(self, values: Any, row_splits: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor is not made by its constructor. Use one of the factory methods, "
                "e.g. RaggedTensor.from_row_splits, or tf.ragged.constant."
            )
        self._values = values
        self._row_splits = row_splits

    # -- making ------------------------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that end where the next begins, at `row_splits`, which starts with 0."""
        values, splits = _as_values(values), _as_partition(row_splits, "row_splits")
        if validate:
            _check_splits(splits, values)
        return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of those lengths."""
        lengths = _as_partition(row_lengths, "row_lengths")._static
        if validate and (lengths < 0).any():
            raise _invalid("from_row_lengths", f"row_lengths must not be negative: {lengths}")
        splits = np.concatenate(
            [np.zeros(1, lengths.dtype), np.cumsum(lengths, dtype=lengths.dtype)]
        )
        return cls.from_row_splits(values, splits, name, validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Value `i` belongs to row `value_rowids[i]`; there are `nrows` rows."""
        ids = _as_partition(value_rowids, "value_rowids")._static
        least = int(ids[-1]) + 1 if ids.size else 0
        count = least if nrows is None else int(nrows)
        if validate and ((np.diff(ids) < 0).any() or (ids < 0).any()):
            raise _invalid("from_value_rowids", f"value_rowids must be sorted: {ids}")
        if validate and count < least:
            raise _invalid("from_value_rowids", f"nrows is {count} but there are {least} rows")
        lengths = np.bincount(ids, minlength=count).astype(ids.dtype)
        return cls.from_row_lengths(values, lengths, name, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several levels of rows, the outermost splits first."""
        result = flat_values
        for splits in reversed(list(nested_row_splits)):
            result = cls.from_row_splits(result, splits, name, validate)
        return result

    # -- taking apart ------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The values of all rows, one after the other."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Any:
        """Where each row begins, and the last one ends."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of every level, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many levels of rows there are."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        rows = self._row_splits.shape[0]
        inner = self._values.shape[1:]
        return TensorShape([None if rows is None else rows - 1, None, *inner])

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows."""
        if axis != 1:
            raise ValueError(f"RaggedTensor.row_lengths takes axis=1, got {axis}.")
        return self._row_splits[1:] - self._row_splits[:-1]

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """The number of rows."""
        rows = self._row_splits.shape[0] - 1
        return dispatch.convert(rows, out_type or self._row_splits.dtype)

    def to_list(self) -> list[Any]:
        """The rows as nested Python lists."""
        splits = self._row_splits._static
        if isinstance(self._values, RaggedTensor):
            rows = self._values.to_list()
        else:
            rows = self._values._static.tolist()
        return [rows[a:b] for a, b in pairwise(splits)]

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        splits_dtype = self._row_splits.dtype
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, splits_dtype)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


def _as_values(values: Any) -> Any:
    return values if isinstance(values, RaggedTensor) else dispatch.convert(values)


def _as_partition(value: Any, name: str) -> Any:
    tensor = value if isinstance(value, Tensor) else dispatch.convert(value, None, dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{name} must have dtype int32 or int64, got {tensor.dtype!r}.")
    tensor.shape.assert_has_rank(1)
    return tensor


def _invalid(function: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, f"Arguments to {function} do not form a valid RaggedTensor: {why}"
    )


def _check_splits(splits: Any, values: Any) -> None:
    places = splits._static
    if places is None:
        return
    if not places.size or places[0] != 0:
        raise _invalid("from_row_splits", f"row_splits must start with 0, got {places}")
    if (np.diff(places) < 0).any():
        raise _invalid("from_row_splits", f"row_splits must not decrease, got {places}")
    count = values.shape[0]
    if count is not None and places[-1] != count:
        raise _invalid("from_row_splits", f"the last split is {places[-1]}, of {count} values")


class RaggedTensorSpec(TypeSpec):
    """The shape and dtype of a ragged tensor, and how many of its axes are ragged."""

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        self._dtype = dtypes.as_dtype(dtype if flat_values_spec is None else flat_values_spec.dtype)
        rank = self._shape.rank
        if ragged_rank is None and rank is None:
            raise ValueError("Must specify ragged_rank or a shape with a known rank.")
        self._ragged_rank: int = rank - 1 if ragged_rank is None else ragged_rank  # type: ignore[operator]
        if rank is not None and self._ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({self._ragged_rank}) must be less than rank ({rank})."
            )

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor, or of a tensor as one without ragged axes."""
        if isinstance(value, RaggedTensor):
            return value._type_spec
        return cls(value.shape, value.dtype, 0)

    @property
    def value_type(self) -> type:
        return RaggedTensor if self._ragged_rank else Tensor

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        return self._flat_values_spec

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value, or some value of the spec, fits; a tensor has no ragged axes."""
        if not self._ragged_rank and isinstance(spec_or_value, Tensor):
            return self._component_specs[0].is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        listed = self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        return listed if self._flat_values_spec is None else (*listed, self._flat_values_spec)

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        levels, shape = self._ragged_rank, self._shape
        values = self._flat_values_spec
        if values is None:
            inner = shape[levels + 1 :]
            values = TensorSpec(
                TensorShape([None]).concatenate(inner) if levels else shape, self._dtype
            )
        rows = None if shape.rank is None else shape[0]
        sizes = [None if rows is None else rows + 1, *[None] * (levels - 1)][:levels]
        return (values, *(TensorSpec([size], self._row_splits_dtype) for size in sizes))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        if not self._ragged_rank:
            return (value,)
        return (value.flat_values, *value.nested_row_splits)

    def _from_components(self, components: Any) -> Any:
        return RaggedTensor.from_nested_row_splits(components[0], components[1:], validate=False)


nest.register_composite(
    RaggedTensor,
    lambda r: (r.flat_values, *r.nested_row_splits),
    lambda r, parts: RaggedTensor.from_nested_row_splits(parts[0], parts[1:], validate=False),
    lambda a, b: isinstance(b, RaggedTensor) and a.ragged_rank == b.ragged_rank,
)
