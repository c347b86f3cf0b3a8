"""`tf.train.SequenceExample` messages as tensors: the op behind `tf.io.parse_sequence_example`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.errors import fmt_shape, invalid
from tapeflow._src.core.registry import MANY_OUTPUTS, Bool, InferError, ManyFree, op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.io.examples import (
    as_array,
    by_parts,
    c_name,
    check_kinds,
    check_lengths,
    keys,
    kind_of,
    length_of,
    ragged_column,
    sparse_column,
    sparse_specs,
    splits_shape,
    values_of,
)
from tapeflow._src.ops.strings.text import HOST, STRING


@dataclass(frozen=True)
class _Batch:
    """Parsed sequences, how errors call them, and whether there is only one, without an axis."""

    messages: list[Any]
    names: list[str]
    single: bool

    def context(self, key: str, dtype: DType) -> list[Any]:
        """Return the values of a context feature in every message; None where it is missing."""
        values = []
        for index, message in enumerate(self.messages):
            feature = message.context.feature.get(key)
            kind = None if feature is None else kind_of(feature)
            if kind not in (None, dtype):
                raise invalid(
                    f"Name: {self.names[index]}, Context feature: {key}.  Data types don't match. "
                    f"Expected type: {c_name(dtype)}"
                )
            values.append(None if kind is None else values_of(feature))
        return values

    def lists(self, key: str, dtype: DType) -> list[Any]:
        """Return the rows of a feature list in every message; None where it is missing."""
        lists: list[Any] = []
        for index, message in enumerate(self.messages):
            if key not in message.feature_lists.feature_list:
                lists.append(None)
                continue
            rows = []
            for at, feature in enumerate(message.feature_lists.feature_list[key].feature):
                kind = kind_of(feature)
                if kind not in (None, dtype):
                    raise invalid(
                        f"Name: {self.names[index]}, Feature list: {key}, Index: {at}.  Data types "
                        f"don't match. Expected type: {c_name(dtype)}"
                    )
                rows.append([] if kind is None else values_of(feature))
            lists.append(rows)
        return lists


def _read_batch(serialized: np.ndarray, debug_name: np.ndarray) -> _Batch:
    texts = serialized.reshape(-1).tolist()
    names = [name.decode(errors="replace") for name in debug_name.reshape(-1).tolist()]
    names = names or ["<unknown>"] * len(texts)
    messages = []
    for text, name in zip(texts, names, strict=True):
        try:
            messages.append(protos.SequenceExample.FromString(text))
        except Exception as error:
            raise invalid(f"Invalid protocol message input, example id: {name}") from error
    return _Batch(messages, names, serialized.ndim == 0)


def _context_dense(batch: _Batch, key: str, default: np.ndarray, dims: Any) -> np.ndarray:
    dtype = FROM_NUMPY[default.dtype]
    count = int(np.prod(dims, dtype=np.int64))
    values: list[Any] = []
    for row in batch.context(key, dtype):
        elements = default.reshape(-1).tolist() if row is None else row
        if len(elements) != count:
            raise invalid(
                f"Inconsistent max number of elements for feature {key}: expected {count}, but "
                f"found {len(elements)}"
            )
        values += elements
    outer = () if batch.single else (len(batch.messages),)
    return as_array(values, dtype).reshape((*outer, *dims))


def _list_dense(
    batch: _Batch, key: str, dtype: DType, dims: Any, may_be_missing: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a feature list, padded to the longest list, and their number."""
    count = int(np.prod(dims, dtype=np.int64))
    lists = batch.lists(key, dtype)
    lengths = np.array([len(rows or ()) for rows in lists], np.int64)
    longest = int(lengths.max(initial=0))
    filler: Any = b"" if dtype is dtypes.string else 0
    values: list[Any] = []
    for index, rows in enumerate(lists):
        if rows is None and not may_be_missing:
            raise invalid(
                f"Name: {batch.names[index]}, Feature list '{key}' is required but could not be "
                f"found.  Did you mean to include it in feature_list_dense_missing_assumed_empty "
                f"or feature_list_dense_defaults?"
            )
        for at, row in enumerate(rows or ()):
            if len(row) != count:
                raise invalid(
                    f"Name: {batch.names[index]}, Key: {key}, Index: {at}.  Number of values != "
                    f"expected.  values size: {len(row)} but output shape: {fmt_shape(dims)}"
                )
            values += row
        values += [filler] * (count * (longest - len(rows or ())))
    outer = () if batch.single else (len(lists),)
    filled = as_array(values, dtype).reshape((*outer, longest, *dims))
    return filled, lengths.reshape(outer)


def _list_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[np.ndarray, ...]:
    indices, values, steps, widest = [], [], 0, 0
    for index, rows in enumerate(batch.lists(key, dtype)):
        steps = max(steps, len(rows or ()))
        for at, row in enumerate(rows or ()):
            before = (at,) if batch.single else (index, at)
            indices += [(*before, i) for i in range(len(row))]
            values += row
            widest = max(widest, len(row))
    outer = [] if batch.single else [len(batch.messages)]
    shape = np.array([*outer, steps, widest], np.int64)
    return np.array(indices, np.int64).reshape(-1, len(shape)), as_array(values, dtype), shape


def _list_ragged(batch: _Batch, key: str, dtype: DType, splits: DType) -> tuple[np.ndarray, ...]:
    lists = batch.lists(key, dtype)
    rows = [row for rows_of_list in lists for row in rows_of_list or ()]
    values, inner = ragged_column(rows, dtype, splits, single=False)
    if batch.single:
        return values, np.zeros(0, splits.np), inner
    outer = np.cumsum([0, *[len(rows_of_list or ()) for rows_of_list in lists]]).astype(splits.np)
    return values, outer, inner


@op(
    "ParseSequenceExampleV2",
    dtypes=STRING,
    outputs=MANY_OUTPUTS,
    grad=None,
    host=HOST,
    checked=True,
)
def parse_sequence_example_v2(
    xp,
    serialized,
    debug_name,
    context_sparse_keys,
    context_dense_keys,
    context_ragged_keys,
    feature_list_sparse_keys,
    feature_list_dense_keys,
    feature_list_ragged_keys,
    feature_list_dense_missing_assumed_empty: Bool,
    context_dense_defaults: ManyFree,
    *,
    Ncontext_sparse=0,
    context_sparse_types=(),
    context_ragged_value_types=(),
    context_ragged_split_types=(),
    context_dense_shapes=(),
    Nfeature_list_sparse=0,
    Nfeature_list_dense=0,
    feature_list_dense_types=(),
    feature_list_sparse_types=(),
    feature_list_ragged_value_types=(),
    feature_list_ragged_split_types=(),
    feature_list_dense_shapes=(),
):
    """Parse sequence examples into the components of sparse, dense and ragged tensors."""
    batch = _read_batch(serialized, debug_name)
    defaults = zip(context_dense_defaults, context_dense_shapes, strict=True)
    context = _context_columns(
        batch,
        _typed(context_sparse_keys, context_sparse_types),
        list(zip(keys(context_dense_keys), defaults, strict=True)),
        _typed(context_ragged_keys, context_ragged_value_types),
        context_ragged_split_types,
    )
    missing = feature_list_dense_missing_assumed_empty.tolist()
    lists = _list_columns(
        batch,
        _typed(feature_list_sparse_keys, feature_list_sparse_types),
        list(zip(_typed(feature_list_dense_keys, feature_list_dense_types), missing, strict=True)),
        feature_list_dense_shapes,
        _typed(feature_list_ragged_keys, feature_list_ragged_value_types),
        feature_list_ragged_split_types,
    )
    return [*context, *lists]


def _context_columns(
    batch: _Batch, sparse: Any, dense: Any, ragged: Any, split_types: Any
) -> list[np.ndarray]:
    columns = [sparse_column(batch.context(key, kind), kind, batch.single) for key, kind in sparse]
    rows = [
        ragged_column(batch.context(key, kind), kind, as_dtype(splits), batch.single)
        for (key, kind), splits in zip(ragged, split_types, strict=True)
    ]
    return [
        *by_parts(columns, 3),
        *(_context_dense(batch, key, default, as_dims(d)) for key, (default, d) in dense),
        *by_parts(rows, 2),
    ]


def _list_columns(
    batch: _Batch, sparse: Any, dense: Any, shapes: Any, ragged: Any, split_types: Any
) -> list[np.ndarray]:
    columns = [_list_sparse(batch, key, kind) for key, kind in sparse]
    filled = [
        _list_dense(batch, key, kind, as_dims(dims), missing)
        for ((key, kind), missing), dims in zip(dense, shapes, strict=True)
    ]
    rows = [
        _list_ragged(batch, key, kind, as_dtype(splits))
        for (key, kind), splits in zip(ragged, split_types, strict=True)
    ]
    return [*by_parts(columns, 3), *by_parts(filled, 2), *by_parts(rows, 3)]


def _typed(names: np.ndarray, kinds: Any) -> list[tuple[str, DType]]:
    return list(zip(keys(names), map(as_dtype, kinds), strict=True))


@parse_sequence_example_v2.infer
def _(
    serialized,
    debug_name,
    context_sparse_keys,
    context_dense_keys,
    context_ragged_keys,
    feature_list_sparse_keys,
    feature_list_dense_keys,
    feature_list_ragged_keys,
    feature_list_dense_missing_assumed_empty,
    context_dense_defaults,
    **attrs,
):
    outer = serialized.shape
    if outer is not None and len(outer) > 1:
        raise InferError(
            f"Expected serialized to be a scalar or vector, got shape: {fmt_shape(outer)}"
        )
    sparse, lists = attrs["context_sparse_types"], attrs["feature_list_sparse_types"]
    dense, rows = attrs["context_dense_shapes"], attrs["feature_list_dense_types"]
    shapes = attrs["feature_list_dense_shapes"]
    check_lengths("sparse features of the context", len(sparse), length_of(context_sparse_keys))
    check_lengths("dense features of the context", len(dense), len(context_dense_defaults))
    check_lengths("sparse feature lists", len(lists), length_of(feature_list_sparse_keys))
    check_lengths("dense feature lists", len(rows), len(shapes), length_of(feature_list_dense_keys))
    check_kinds("Tcontext_dense", [spec.dtype for spec in context_dense_defaults])
    rank = None if outer is None else len(outer)
    return (
        *sparse_specs(check_kinds("context_sparse_types", sparse), _plus(rank, 1)),
        *(
            Spec(_joined(outer, as_dims(dims)), spec.dtype)
            for spec, dims in zip(context_dense_defaults, dense, strict=True)
        ),
        *_ragged_specs(attrs, "context_ragged", [splits_shape(outer)]),
        *sparse_specs(check_kinds("feature_list_sparse_types", lists), _plus(rank, 2)),
        *(
            Spec(_joined(outer, (None, *(as_dims(dims) or ()))), dtype)
            for dtype, dims in zip(check_kinds("feature_list_dense_types", rows), shapes)
        ),
        *(Spec(outer, dtypes.int64) for _ in rows),
        *_ragged_specs(attrs, "feature_list_ragged", [splits_shape(outer), (None,)]),
    )


def _plus(rank: int | None, more: int) -> int | None:
    return None if rank is None else rank + more


def _joined(outer: Any, dims: Any) -> Any:
    return None if outer is None or dims is None else (*outer, *dims)


def _ragged_specs(attrs: dict[str, Any], what: str, splits: list[Any]) -> list[Spec]:
    values = check_kinds(f"{what}_value_types", attrs[f"{what}_value_types"])
    kinds = [as_dtype(kind) for kind in attrs[f"{what}_split_types"]]
    check_lengths(what, len(values), len(kinds))
    return [
        *(Spec((None,), dtype) for dtype in values),
        *(Spec(shape, kind) for shape in splits for kind in kinds),
    ]
