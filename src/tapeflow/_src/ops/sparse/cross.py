"""Crosses of features: all combinations of one value of each column, for each row of a batch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import allowed_dtype, require_rank
from tapeflow._src.core.registry import Free, InferError, ManyFree, ManyIndex, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.sparse.parts import HOST, check_parts
from tapeflow._src.ops.strings.hash import farm_fingerprint

_CROSSED = ("output_indices", "output_values", "output_shape")
_FEATURES = frozenset({dtypes.int64, dtypes.string})
_BITS = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_LARGEST = (1 << 63) - 1


def _columns(indices: Any, values: Any, shapes: Any, dense: Any) -> tuple[list[Any], int]:
    """Return the features of each row per column; and the number of rows."""
    columns = []
    counts = {int(shape[0]) for shape in shapes} | {len(matrix) for matrix in dense}
    if len(counts) > 1:
        text = f"Expected batch size to be that of all inputs, got {sorted(counts)}"
        raise InvalidArgumentError(None, None, text)
    rows = counts.pop() if counts else 0
    for where, what in zip(indices, values, strict=True):
        column: list[list[Any]] = [[] for _ in range(rows)]
        for row, feature in zip(where[:, 0].tolist(), what.tolist(), strict=True):
            column[row].append(feature)
        columns.append(column)
    columns += [matrix.tolist() for matrix in dense]
    return columns, rows


def _crossed(
    columns: list[Any], rows: int, combine: Callable[[tuple[Any, ...]], Any], dtype: Any
) -> tuple[Any, Any, Any]:
    """Return the combinations of each row as a sparse matrix; the last column varies fastest."""
    crosses = [[combine(c) for c in product(*(col[row] for col in columns))] for row in range(rows)]
    positions = [(i, j) for i, row in enumerate(crosses) for j in range(len(row))]
    values = np.empty(len(positions), dtype)
    values[:] = [value for row in crosses for value in row]
    shape = np.array([rows, max(map(len, crosses), default=0)], np.int64)
    return np.array(positions, np.int64).reshape(-1, 2), values, shape


def _infer_crossed(
    indices: Any, values: Any, shapes: Any, dense: Any, dtype: Any
) -> tuple[Spec, Spec, Spec]:
    if not len(indices) == len(values) == len(shapes):
        raise InferError(
            f"Expected as many indices as values and shapes, got {len(indices)}, {len(values)} "
            f"and {len(shapes)}"
        )
    for i, parts in enumerate(zip(indices, values, shapes, strict=True)):
        _, rank = check_parts(*parts, name=f"input {i}")
        if rank not in (None, 2):
            raise InferError(f"Expected D2 of index to be 2, got {rank}, at position {i}")
    for i, spec in enumerate(dense):
        if spec.shape is not None and len(spec.shape) != 2:
            raise InferError(
                f"Dense inputs should be a matrix but received shape {fmt_shape(spec.shape)} at "
                f"position {i}"
            )
    for spec in (*values, *dense):
        if spec.dtype not in _FEATURES:
            raise InferError(f"Features must be int64 or string, got {spec.dtype.name}")
    return Spec((None, 2), dtypes.int64), Spec((None,), dtype), Spec((2,), dtypes.int64)


def _text(feature: Any) -> bytes:
    return feature if isinstance(feature, bytes) else b"%d" % feature


def _fingerprint(feature: Any) -> int:
    return farm_fingerprint(feature) if isinstance(feature, bytes) else feature & _BITS


def _shift_mix(x: int) -> int:
    return x ^ (x >> 47)


def join_fingerprints(first: int, second: int) -> int:
    """Combine two fingerprints into one; the order matters."""
    result = first ^ _MULTIPLIER
    result ^= _shift_mix(second * _MULTIPLIER & _BITS) * _MULTIPLIER & _BITS
    result = result * _MULTIPLIER & _BITS
    return _shift_mix(_shift_mix(result) * _MULTIPLIER & _BITS)


def _hashed(buckets: int, key: int) -> Callable[[tuple[Any, ...]], int]:
    def combine(features: tuple[Any, ...]) -> int:
        result = key & _BITS
        for feature in features:
            result = join_fingerprints(result, _fingerprint(feature))
        return result % (buckets if buckets > 0 else _LARGEST)

    return combine


@op("SparseCross", grad=None, host=HOST, checked=True, outputs=_CROSSED)
def sparse_cross(
    xp,
    indices: ManyIndex,
    values: ManyFree,
    shapes: ManyIndex,
    dense_inputs: ManyFree,
    *,
    hashed_output,
    num_buckets,
    hash_key,
    out_type,
    internal_type,
):
    """Return the combinations as strings joined by `_X_`, or as buckets of their fingerprints."""
    columns, rows = _columns(indices, values, shapes, dense_inputs)
    if hashed_output:
        return _crossed(columns, rows, _hashed(num_buckets, hash_key), np.int64)
    return _crossed(columns, rows, lambda c: b"_X_".join(map(_text, c)), object)


@sparse_cross.infer
def _(indices, values, shapes, dense_inputs, *, num_buckets, out_type, **_):
    if num_buckets < 0:
        raise InferError(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 0"
        )
    dtype = allowed_dtype("out_type", as_dtype(out_type), _FEATURES)
    return _infer_crossed(indices, values, shapes, dense_inputs, dtype)


@op("SparseCrossV2", grad=None, host=HOST, checked=True, outputs=_CROSSED)
def sparse_cross_v2(
    xp, indices: ManyIndex, values: ManyFree, shapes: ManyIndex, dense_inputs: ManyFree, sep: Free
):
    """Return the combinations as strings joined by `sep`."""
    columns, rows = _columns(indices, values, shapes, dense_inputs)
    separator = sep.item()
    return _crossed(columns, rows, lambda c: separator.join(map(_text, c)), object)


@sparse_cross_v2.infer
def _(indices, values, shapes, dense_inputs, sep):
    require_rank(sep, 0, "sep")
    return _infer_crossed(indices, values, shapes, dense_inputs, dtypes.string)
