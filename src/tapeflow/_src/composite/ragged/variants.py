"""Ragged tensors as variants: one tensor that carries the values and the splits, as datasets need.

What carries one value is a scalar; what carries several, to be rows of one ragged tensor, is an
array of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import MANY_OUTPUTS, UNREGISTERED, Free, ManyIndex, Variant, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.variants import VariantArray

_HOST = "variants of ragged tensors are Python's"


class RaggedValue:
    """The value of a variant tensor: the splits of a ragged tensor, outermost first, and values."""

    __slots__ = ("splits", "values")

    dtype = dtypes.variant
    value_dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def __init__(self, splits: Sequence[Any], values: Any) -> None:
        self.splits = tuple(splits)
        self.values = values

    @property
    def length(self) -> int:
        """The size of the outermost axis."""
        return self.splits[0].size - 1 if self.splits else self.values.shape[0]

    def row(self, index: int) -> RaggedValue:
        """Return one row, with one ragged level less."""
        start, stop = self.splits[0][index : index + 2].tolist()
        inner = []
        for splits in self.splits[1:]:
            part = splits[start : stop + 1]
            inner.append(part - part[0])
            start, stop = int(part[0]), int(part[-1])
        return RaggedValue(inner, self.values[start:stop])

    def rows(self) -> VariantArray:
        """Return all rows."""
        if not self.splits:
            raise InvalidArgumentError(None, None, "Only ragged tensors with splits have rows.")
        items = np.empty(self.length, object)
        items[:] = [self.row(i) for i in range(self.length)]
        return VariantArray(items)


@op("RaggedTensorToVariant", grad=UNREGISTERED, host=_HOST)
def ragged_tensor_to_variant(
    xp, rt_nested_splits: ManyIndex, rt_dense_values: Free, *, batched_input
):
    """Return a ragged tensor in one variant, or in one for each of its rows."""
    value = RaggedValue(rt_nested_splits, rt_dense_values)
    return value.rows() if batched_input else value


@ragged_tensor_to_variant.infer
def _(rt_nested_splits, rt_dense_values, *, batched_input):
    if not batched_input:
        return Spec((), dtypes.variant)
    dims = rt_nested_splits[0].shape if rt_nested_splits else None
    rows = None if dims is None or dims[0] is None else dims[0] - 1
    return Spec((rows,), dtypes.variant)


@op("RaggedTensorFromVariant", outputs=MANY_OUTPUTS, grad=UNREGISTERED, host=_HOST)
def ragged_tensor_from_variant(
    xp,
    encoded_ragged: Variant,
    *,
    input_ragged_rank,
    output_ragged_rank,
    Tvalues,
    Tsplits=dtypes.int64,
):
    """Return the splits, outermost first, and the values of the ragged tensor
    that variants make.
    """
    splits_dtype = as_dtype(Tsplits).np
    if isinstance(encoded_ragged, RaggedValue):
        splits, values = list(encoded_ragged.splits), encoded_ragged.values
    else:
        splits, values = _join_rows(encoded_ragged, as_dtype(Tvalues))
    if len(splits) != output_ragged_rank:
        raise InvalidArgumentError(
            None,
            None,
            f"The variants make a ragged tensor of rank {len(splits)}, not {output_ragged_rank}.",
        )
    return [*(s.astype(splits_dtype, copy=False) for s in splits), values]


@ragged_tensor_from_variant.infer
def _(encoded_ragged, *, input_ragged_rank, output_ragged_rank, Tvalues, Tsplits):
    splits = Spec((None,), as_dtype(Tsplits))
    return (*[splits] * output_ragged_rank, Spec(None, as_dtype(Tvalues)))


def _join_rows(encoded: VariantArray, dtype: Any) -> tuple[list[Any], Any]:
    """Return the splits and values of a ragged tensor whose innermost rows are those of the
    variants.
    """
    items: list[RaggedValue] = encoded.items.ravel().tolist()
    if not items:
        return [np.zeros(1, np.int64)] * encoded.ndim, np.zeros(0, dtype.np)
    splits = []
    rows = 1
    for size, following in zip(encoded.shape, encoded.shape[1:]):
        rows *= size
        splits.append(np.arange(rows + 1) * following)
    splits.append(_ends([item.length for item in items]))
    for level in range(len(items[0].splits)):
        lengths = [np.diff(item.splits[level]) for item in items]
        splits.append(_ends(np.concatenate(lengths)))
    return splits, np.concatenate([item.values for item in items])


def _ends(lengths: Any) -> Any:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
