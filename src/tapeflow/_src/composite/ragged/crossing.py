"""`RaggedCross`: all combinations of one value from each of several features, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.registry import InferError, ManyFree, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.strings.hash import farm_fingerprint

_FACTOR = 0xC6A4A7935BD1E995
_WORD = 2**64 - 1
_LARGEST = 2**63 - 1


@op(
    "RaggedCross",
    outputs=("output_values", "output_row_splits"),
    grad=None,
    host="strings and rows of different lengths",
    checked=True,
)
def ragged_cross(
    xp,
    ragged_values: ManyFree,
    ragged_row_splits: ManyFree,
    sparse_indices: ManyFree,
    sparse_values: ManyFree,
    sparse_shape: ManyFree,
    dense_inputs: ManyFree,
    *,
    input_order,
    hashed_output,
    num_buckets,
    hash_key,
    out_values_type,
    out_row_splits_type,
):
    """Return the combinations as strings joined by `_X_`, or hashed."""
    ragged = iter(map(_ragged_rows, ragged_values, ragged_row_splits))
    sparse = iter(map(_sparse_rows, sparse_indices, sparse_values, sparse_shape))
    dense = iter([array.tolist() for array in dense_inputs])
    order = input_order.decode() if isinstance(input_order, bytes) else input_order
    features = [next({"R": ragged, "S": sparse, "D": dense}[kind]) for kind in order]
    counts = {len(rows) for rows in features}
    xp.require(len(counts) <= 1, "inputs must all have the same batch dimension size.")
    if hashed_output:
        features = [[[_fingerprint(v) for v in row] for row in rows] for rows in features]
        combine: Any = _hasher(num_buckets, hash_key)
    else:
        combine = _joined
    rows = [[combine(values) for values in product(*row)] for row in zip(*features)]
    splits = np.cumsum([0, *map(len, rows)]).astype(as_dtype(out_row_splits_type).np)
    flat = [value for row in rows for value in row]
    values = np.empty(len(flat), as_dtype(out_values_type).np)
    values[:] = flat
    return values, splits


@ragged_cross.infer
def _(*inputs, input_order, num_buckets, out_values_type, out_row_splits_type, **attrs):
    if num_buckets < 0:
        raise InferError(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 0"
        )
    for spec in (*inputs[3], *inputs[5]):
        if spec in inputs[5] and spec.shape is not None and len(spec.shape) != 2:
            raise InferError(
                "tf.ragged.cross expects inputs of rank 2 (batch, features), received rank "
                f"{len(spec.shape)}"
            )
    values = Spec((None,), as_dtype(out_values_type))
    return values, Spec((None,), as_dtype(out_row_splits_type))


def _ragged_rows(values: Any, splits: Any) -> list[list[Any]]:
    items = values.tolist()
    return [items[start:end] for start, end in pairwise(splits)]


def _sparse_rows(indices: Any, values: Any, shape: Any) -> list[list[Any]]:
    rows: list[list[Any]] = [[] for _ in range(int(shape[0]))]
    for row, value in zip(indices[:, 0].tolist(), values.tolist()):
        rows[row].append(value)
    return rows


def _joined(values: Sequence[Any]) -> bytes:
    return b"_X_".join(v if isinstance(v, bytes) else str(v).encode() for v in values)


def _fingerprint(value: Any) -> int:
    return farm_fingerprint(value) if isinstance(value, bytes) else value & _WORD


def _hasher(num_buckets: int, hash_key: int) -> Any:
    """Return a function from fingerprints to numbers below `num_buckets`, or to any non-negative
    ones.
    """
    limit = int(num_buckets) or _LARGEST

    def combine(fingerprints: Sequence[int]) -> int:
        result = hash_key & _WORD
        for each in fingerprints:
            result = _combine_fingerprints(result, each)
        return result % limit

    return combine


def _combine_fingerprints(a: int, b: int) -> int:
    """Combine two fingerprints into one."""
    result = a ^ _FACTOR
    result ^= _shift_mix(b * _FACTOR & _WORD) * _FACTOR & _WORD
    result = result * _FACTOR & _WORD
    return _shift_mix(_shift_mix(result) * _FACTOR & _WORD)


def _shift_mix(x: int) -> int:
    return x ^ (x >> 47)
