"""`tf.train.Example` messages as tensors: the op behind `tf.io.parse_example`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow._src.core import batching, dtypes, protos
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import fmt_shape, invalid
from tapeflow._src.core.infer import Shape, allowed_dtype
from tapeflow._src.core.registry import MANY_OUTPUTS, InferError, ManyFree, op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import EXACT_IN_BATCHES
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array

FEATURE_DTYPES = frozenset({dtypes.float32, dtypes.int64, dtypes.string})
_LISTS = {"bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64}
_LIST_OF = {dtype: name for name, dtype in _LISTS.items()}
_C_NAMES = {dtypes.float32: "float"}


def c_name(dtype: DType) -> str:
    """Return the name of a dtype in TensorFlow's messages."""
    return _C_NAMES.get(dtype, dtype.name)


def kind_of(feature: Any) -> DType | None:
    """Return the dtype of a feature's values, None if it holds none."""
    field = feature.WhichOneof("kind")
    return None if field is None else _LISTS[field]


def values_of(feature: Any) -> Any:
    """Return the values of a non-empty feature."""
    return getattr(feature, feature.WhichOneof("kind")).value


def as_array(values: list[Any], dtype: DType) -> np.ndarray:
    """Return values of features as one flat array."""
    return bytes_array(values) if dtype is dtypes.string else np.array(values, dtype.np)


@dataclass(frozen=True)
class Batch:
    """Parsed examples, how errors call them, and whether there is only one, without an axis."""

    features: list[Any]
    names: list[str]
    single: bool

    def rows(self, key: str, dtype: DType, mismatch: str) -> list[Any]:
        """Return the values of a feature in every example; None where it is missing."""
        columns: list[Any] = []
        for index, features in enumerate(self.features):
            feature = features.get(key)
            kind = None if feature is None else kind_of(feature)
            if kind is None:
                columns.append(None)
            elif kind is not dtype:
                raise invalid(
                    f"{self.where(index)}Key: {key}{self.index(index)}.  Data types don't match. "
                    + mismatch.format(held=c_name(kind), wanted=c_name(dtype))
                )
            else:
                columns.append(values_of(feature))
        return columns

    def present(self, key: str, dtype: DType, count: int) -> list[Any] | None:
        """The values of a feature if every example has `count` of them, in a row; else None."""
        field_name = _LIST_OF[dtype]
        values: list[Any] = []
        for features in self.features:
            if key not in features:
                return None
            row = getattr(features[key], field_name).value
            if len(row) != count:
                return None
            values += row
        return values

    def where(self, index: int) -> str:
        return "" if self.single else f"Name: {self.names[index]}, "

    def index(self, index: int) -> str:
        return "" if self.single else f", Index: {index}"


def read_batch(serialized: np.ndarray, names: np.ndarray) -> Batch:
    """Parse serialized examples."""
    texts = serialized.reshape(-1).tolist()
    texts_of_names = [name.decode(errors="replace") for name in names.reshape(-1).tolist()]
    features = []
    for text in texts:
        try:
            features.append(protos.Example.FromString(text).features.feature)
        except Exception as error:
            shown = text[:100].decode(errors="replace")
            raise invalid(f"Could not parse example input, value: '{shown}'") from error
    return Batch(features, texts_of_names or ["<unknown>"] * len(texts), serialized.ndim == 0)


# -- three ways to hold rows of different lengths ----------------------------------------------

_EXPECTED = "Expected type: {wanted}, Actual type: {held}"
_DTYPE_MISMATCH = "Data type: {held} but expected type: {wanted}"


def sparse_column(rows: list[Any], dtype: DType, single: bool) -> tuple[np.ndarray, ...]:
    """Return rows as a sparse matrix: indices, values, shape; a single row as a sparse vector."""
    lengths = np.array([len(row or ()) for row in rows], np.int64)
    values = as_array([value for row in rows for value in row or ()], dtype)
    starts = np.cumsum(lengths) - lengths
    positions = np.arange(len(values)) - np.repeat(starts, lengths)
    if single:
        return positions[:, None], values, lengths
    indices = np.stack([np.repeat(np.arange(len(rows)), lengths), positions], axis=1)
    return indices, values, np.array([len(rows), lengths.max(initial=0)], np.int64)


def ragged_column(
    rows: list[Any], dtype: DType, splits: DType, single: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows as values and row splits; a single row needs no splits."""
    values = as_array([value for row in rows for value in row or ()], dtype)
    if single:
        return values, np.zeros(0, splits.np)
    return values, np.cumsum([0, *[len(row or ()) for row in rows]]).astype(splits.np)


def _dense_column(
    batch: Batch, key: str, default: np.ndarray, dtype: DType, dims: Any
) -> np.ndarray:
    count = None if dims and dims[0] is None else math.prod(dims)
    if count and (values := batch.present(key, dtype, count)) is not None:
        outer = () if batch.single else (len(batch.features),)
        return as_array(values, dtype).reshape((*outer, *dims))
    rows = batch.rows(key, dtype, _DTYPE_MISMATCH)
    if count is None:
        return _padded(batch, key, rows, default, dtype, dims)
    values = []
    for index, row in enumerate(rows):
        if row is None:
            if default.size != count:
                raise invalid(
                    f"{batch.where(index)}Feature: {key} (data type: {c_name(dtype)}) is required "
                    f"but could not be found."
                )
            values += default.reshape(-1).tolist()
            continue
        if len(row) != count:
            raise invalid(
                f"{batch.where(index)}Key: {key}{batch.index(index)}.  Number of {c_name(dtype)} "
                f"values != expected.  Values size: {len(row)} but output shape: {fmt_shape(dims)}"
            )
        values += row
    outer = () if batch.single else (len(rows),)
    return as_array(values, dtype).reshape((*outer, *dims))


def _padded(
    batch: Batch, key: str, rows: list[Any], default: np.ndarray, dtype: DType, dims: Any
) -> np.ndarray:
    """Pad rows of elements of one shape to the longest."""
    stride = int(np.prod(dims[1:], dtype=np.int64))
    lengths = [len(row or ()) for row in rows]
    for index, length in enumerate(lengths):
        if length % max(stride, 1):
            raise invalid(
                f"{batch.where(index)}Key: {key}{batch.index(index)}.  Number of {c_name(dtype)} "
                f"values is not a multiple of stride length. Saw {length} values but output shape "
                f"is: {fmt_shape(dims)}"
            )
    longest = max(lengths, default=0)
    filler = default.item() if default.size else b"" if dtype is dtypes.string else 0
    values = [
        value for row in rows for value in [*(row or ()), *[filler] * (longest - len(row or ()))]
    ]
    outer = () if batch.single else (len(rows),)
    return as_array(values, dtype).reshape((*outer, longest // max(stride, 1), *dims[1:]))


# -- the op ------------------------------------------------------------------------------------


def _batch_examples(
    batch: batching.Batch, serialized: Any, names: Any, *settings: Any, **attrs: Any
) -> Any:
    """Dense features of single examples are those of a batch of them, row by row."""
    held_otherwise = attrs["num_sparse"] or attrs["ragged_value_types"]
    varying = any(None in (as_dims(dims) or (None,)) for dims in attrs["dense_shapes"] if dims)
    defaults = [*settings[:-1], *settings[-1]]
    if (
        serialized.static_shape != ()
        or (names.static_shape != (0,))
        or held_otherwise
        or varying
        or any(map(batch.has, defaults))
    ):
        return NotImplemented
    return batch.op(batch.values(serialized), names, *settings, **attrs)


@op(
    "ParseExampleV2",
    dtypes=STRING,
    outputs=MANY_OUTPUTS,
    grad=None,
    host=HOST,
    checked=True,
    traits=(EXACT_IN_BATCHES,),
    batch=_batch_examples,
)
def parse_example_v2(
    xp,
    serialized,
    names,
    sparse_keys,
    dense_keys,
    ragged_keys,
    dense_defaults: ManyFree,
    *,
    num_sparse,
    sparse_types,
    ragged_value_types,
    ragged_split_types,
    dense_shapes,
):
    """Parse examples into the components of sparse, dense and ragged tensors."""
    batch = read_batch(serialized, names)
    sparse = [
        sparse_column(batch.rows(key, as_dtype(kind), _EXPECTED), as_dtype(kind), batch.single)
        for key, kind in zip(keys(sparse_keys), sparse_types, strict=True)
    ]
    dense = [
        _dense_column(batch, key, default, dtypes.FROM_NUMPY[default.dtype], as_dims(dims))
        for key, default, dims in zip(keys(dense_keys), dense_defaults, dense_shapes, strict=True)
    ]
    ragged = [
        ragged_column(
            batch.rows(key, as_dtype(kind), _EXPECTED),
            as_dtype(kind),
            as_dtype(splits),
            batch.single,
        )
        for key, kind, splits in zip(
            keys(ragged_keys), ragged_value_types, ragged_split_types, strict=True
        )
    ]
    return [*by_parts(sparse, 3), *dense, *by_parts(ragged, 2)]


def keys(array: np.ndarray) -> list[str]:
    """Names of features."""
    return [key.decode() for key in array.reshape(-1).tolist()]


def by_parts(columns: Sequence[tuple[np.ndarray, ...]], count: int) -> list[np.ndarray]:
    """Return the first components of all columns, then the second components, and so on."""
    return [column[part] for part in range(count) for column in columns]


def check_kinds(name: str, kinds: Any) -> list[DType]:
    """Return the dtypes of an attribute; raise InferError unless features support them."""
    return [allowed_dtype(name, kind, FEATURE_DTYPES) for kind in kinds]


def check_lengths(what: str, *lengths: int | None) -> None:
    """Raise InferError unless all static lengths are equal."""
    if len({length for length in lengths if length is not None}) > 1:
        raise InferError(f"{what}: the numbers of keys, types and shapes differ: {lengths}")


def length_of(spec: Spec) -> int | None:
    """Return the static length of a vector, or None."""
    return spec.shape[0] if spec.shape else None


@parse_example_v2.infer
def _(
    serialized,
    names,
    sparse_keys,
    dense_keys,
    ragged_keys,
    dense_defaults,
    *,
    num_sparse,
    sparse_types,
    ragged_value_types,
    ragged_split_types,
    dense_shapes,
):
    outer = serialized.shape
    if outer is not None and len(outer) > 1:
        raise InferError(
            f"Expected serialized to be a scalar or vector, got shape: {fmt_shape(outer)}"
        )
    check_lengths("sparse features", num_sparse, len(sparse_types), length_of(sparse_keys))
    check_lengths("dense features", len(dense_defaults), len(dense_shapes), length_of(dense_keys))
    check_lengths("ragged features", len(ragged_value_types), length_of(ragged_keys))
    sparse = check_kinds("sparse_types", sparse_types)
    check_kinds("Tdense", [spec.dtype for spec in dense_defaults])
    ragged = check_kinds("ragged_value_types", ragged_value_types)
    return (
        *sparse_specs(sparse, None if outer is None else len(outer) + 1),
        *(
            Spec(None if outer is None else (*outer, *as_dims(dims)), spec.dtype)
            for spec, dims in zip(dense_defaults, dense_shapes, strict=True)
        ),
        *(Spec((None,), dtype) for dtype in ragged),
        *(Spec(splits_shape(outer), as_dtype(kind)) for kind in ragged_split_types),
    )


def sparse_specs(kinds: list[DType], rank: int | None) -> list[Spec]:
    """Return the specs of the components of sparse tensors of one rank."""
    return [
        *(Spec((None, rank), dtypes.int64) for _ in kinds),
        *(Spec((None,), dtype) for dtype in kinds),
        *(Spec((rank,), dtypes.int64) for _ in kinds),
    ]


def splits_shape(outer: Shape) -> Shape:
    """Return the shape of the row splits; none for a single example."""
    if not outer:
        return (None,) if outer is None else (0,)
    return (None if outer[0] is None else outer[0] + 1,)
