"""Tensors, also sparse ones, as strings of bytes."""

from __future__ import annotations

import base64
import math
from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.protos.values import set_shape, shape_from_proto, tensor_from_proto
from tapeflow._src.core.registry import Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.io.protos import varint
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array

# The tag of the field `tensor_content` of a TensorProto: its number, 4, and that it has a length.
_TENSOR_CONTENT = bytes([4 << 3 | 2])


def tensor_message(array: np.ndarray, packed: bool = False) -> bytes:
    """Return a TensorProto with the raw bytes of an array.

    packed: strings stand one after the other, their lengths before them, as in sparse tensors.
    """
    dtype = FROM_NUMPY[array.dtype]
    proto = protos.TensorProto(dtype=dtype.as_datatype_enum)
    set_shape(proto.tensor_shape, array.shape)
    if dtype is dtypes.string and packed:
        texts = array.reshape(-1).tolist()
        proto.tensor_content = b"".join([*(varint(len(text)) for text in texts), *texts])
    elif dtype is dtypes.string:
        proto.string_val.extend(array.reshape(-1).tolist())
    data: bytes = proto.SerializeToString()
    if dtype is dtypes.string or not array.size:
        return data
    # The last field, written here: it is large, and a message would copy it twice.
    content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1).view(np.uint8)
    return b"".join([data, _TENSOR_CONTENT, varint(content.size), content.data])


def _parsed(data: bytes, refuse: str) -> np.ndarray:
    try:
        proto = protos.TensorProto.FromString(data)
        if proto.tensor_content and as_dtype(proto.dtype) is dtypes.string:
            return _unpacked(proto.tensor_content, shape_from_proto(proto.tensor_shape))
        return tensor_from_proto(proto)
    except Exception as error:
        raise invalid(f"{refuse}: {error}") from error


def _unpacked(content: bytes, dims: Any) -> np.ndarray:
    """Decode length-prefixed strings."""
    lengths, at = [], 0
    for _ in range(math.prod(dims)):
        length, shift = 0, 0
        while True:
            byte = content[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    if at + sum(lengths) != len(content):
        raise ValueError("the lengths of the strings do not fit")
    ends = at + np.cumsum([0, *lengths])
    texts = [content[a:b] for a, b in pairwise(ends.tolist())]
    return bytes_array(texts).reshape(dims)


@op("SerializeTensor", grad=None, host=HOST, checked=True)
def serialize_tensor(xp, tensor: Free):
    """Serialize a tensor as a TensorProto."""
    return np.array(tensor_message(tensor), object)


@serialize_tensor.infer
def _(tensor):
    if not tensor.dtype.is_numpy_compatible:
        raise InferError(f"SerializeTensor does not write {tensor.dtype.name}")
    return Spec((), dtypes.string)


@op("ParseTensor", dtypes=STRING, grad=None, host=HOST, checked=True)
def parse_tensor(xp, serialized, *, out_type):
    """Parse a serialized TensorProto."""
    data = serialized.item()
    shown = base64.b64encode(data[:100]).decode()
    array = _parsed(data, f"Could not parse `serialized` as TensorProto, base64: {shown}")
    _must_be(array, as_dtype(out_type), "Type mismatch between parsed tensor")
    return array


def _must_be(array: np.ndarray, dtype: DType, what: str) -> None:
    received = FROM_NUMPY[array.dtype]
    if received is not dtype:
        raise invalid(f"{what} ({received.name}) and dtype ({dtype.name})")


@parse_tensor.infer
def _(serialized, *, out_type):
    if serialized.shape not in ((), None):
        raise InferError(
            f"Expected `serialized` to be a scalar, got shape of rank {len(serialized.shape)}"
        )
    return Spec(None, as_dtype(out_type))


# -- sparse tensors ----------------------------------------------------------------------------


def _check_sparse(indices: Any, values: Any, shape: Any, out_type: Any) -> None:
    require_rank(indices, 2, "sparse_indices")
    require_rank(values, 1, "sparse_values")
    require_rank(shape, 1, "sparse_shape")
    if as_dtype(out_type) is not dtypes.string:
        raise InferError(f"Sparse tensors are written as strings, not as {as_dtype(out_type).name}")
    for name, spec in (("sparse_indices", indices), ("sparse_shape", shape)):
        if spec.dtype is not dtypes.int64:
            raise InferError(f"{name} must be int64, got {spec.dtype.name}")


@op("SerializeSparse", grad=None, host=HOST, checked=True)
def serialize_sparse(
    xp, sparse_indices: Free, sparse_values: Free, sparse_shape: Free, *, out_type=dtypes.string
):
    """Serialize the three components of a sparse tensor, each as a TensorProto."""
    return bytes_array(
        [tensor_message(p, packed=True) for p in (sparse_indices, sparse_values, sparse_shape)]
    )


@serialize_sparse.infer
def _(sparse_indices, sparse_values, sparse_shape, *, out_type):
    _check_sparse(sparse_indices, sparse_values, sparse_shape, out_type)
    return Spec((3,), dtypes.string)


@op("SerializeManySparse", grad=None, host=HOST, checked=True)
def serialize_many_sparse(
    xp, sparse_indices: Free, sparse_values: Free, sparse_shape: Free, *, out_type=dtypes.string
):
    """Split a sparse tensor along its first axis, each part serialized as by `SerializeSparse`."""
    count = int(sparse_shape[0])
    rows = sparse_indices[:, 0]
    if rows.size and not 0 <= rows.min() <= rows.max() < count:
        raise invalid(f"Received unexpected row index; the sparse tensor has {count} rows")
    size = tensor_message(sparse_shape[1:])
    result = np.empty((count, 3), object)
    for row in range(count):
        chosen = rows == row
        result[row, 0] = tensor_message(sparse_indices[chosen, 1:])
        result[row, 1] = tensor_message(sparse_values[chosen], packed=True)
        result[row, 2] = size
    return result


@serialize_many_sparse.infer
def _(sparse_indices, sparse_values, sparse_shape, *, out_type):
    _check_sparse(sparse_indices, sparse_values, sparse_shape, out_type)
    rank = sparse_shape.shape[0] if sparse_shape.shape else None
    if rank is not None and rank < 2:
        raise InferError(f"Rank of input SparseTensor should be > 1, but saw rank: {rank}")
    count = None if sparse_shape.value is None else int(sparse_shape.value[0])
    return Spec((count, 3), dtypes.string)


def _joined(rows: np.ndarray, outer: tuple[int, ...], dtype: DType) -> tuple[np.ndarray, ...]:
    """Join serialized sparse tensors along new leading axes of sizes `outer`."""
    indices: list[np.ndarray] = []
    values: list[np.ndarray] = []
    sizes: list[np.ndarray] = []
    for index, row in enumerate(rows.tolist()):
        parts = [_parsed(part, "Could not parse serialized proto") for part in row]
        received = FROM_NUMPY[parts[1].dtype]
        if received is not dtype:
            raise invalid(
                f"Requested SparseTensor of type {dtype.name} but SparseTensor[{index}].values."
                f"dtype() == {received.name}"
            )
        _check_parts(index, parts, sizes)
        before = np.array(np.unravel_index(index, outer), np.int64).reshape(1, -1)
        indices.append(np.hstack([before.repeat(len(parts[1]), 0), parts[0]]))
        values.append(parts[1])
        sizes.append(parts[2])
    if not rows.size:
        raise invalid("Cannot deserialize an empty batch: the rank would not be known")
    whole = np.concatenate([np.array(outer, np.int64), np.max(sizes, axis=0)])
    return np.concatenate(indices), np.concatenate(values), whole


def _check_parts(index: int, parts: list[np.ndarray], sizes: list[np.ndarray]) -> None:
    indices, values, shape = parts
    if (
        indices.ndim != 2
        or values.ndim != 1
        or shape.ndim != 1
        or len(indices) != len(values)
        or indices.shape[1] != len(shape)
        or indices.dtype != np.int64
        or shape.dtype != np.int64
    ):
        raise invalid(
            f"SparseTensor[{index}] has indices of shape {indices.shape}, values of shape "
            f"{values.shape} and a shape of {shape.shape}, which do not fit"
        )
    if shape.size and shape.min() < 0:
        raise invalid(
            f"SparseTensor[{index}] must have sizes >= 0, received the shape {shape.tolist()}."
        )
    if sizes and len(shape) != len(sizes[0]):
        raise invalid(
            f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{index}] was: "
            f"{len(sizes[0])} but rank of SparseTensor[{index}] is: {len(shape)}"
        )


_PARTS = ("sparse_indices", "sparse_values", "sparse_shape")


@op("DeserializeManySparse", dtypes=STRING, outputs=_PARTS, grad=None, host=HOST, checked=True)
def deserialize_many_sparse(xp, serialized_sparse, *, dtype):
    """Stack serialized sparse tensors along a new first axis."""
    return _joined(serialized_sparse, serialized_sparse.shape[:1], as_dtype(dtype))


@deserialize_many_sparse.infer
def _(serialized_sparse, *, dtype):
    require_rank(serialized_sparse, 2, "serialized_sparse")
    shape = serialized_sparse.shape
    if shape and shape[1] not in (3, None):
        raise InferError(f"Serialized sparse should have 3 columns but has {shape[1]}")
    return _unknown_sparse(dtype)


@op("DeserializeSparse", dtypes=STRING, outputs=_PARTS, grad=None, host=HOST, checked=True)
def deserialize_sparse(xp, serialized_sparse, *, dtype):
    """Stack serialized sparse tensors; their axes follow those of the input."""
    outer = serialized_sparse.shape[:-1]
    return _joined(serialized_sparse.reshape(-1, 3), outer, as_dtype(dtype))


@deserialize_sparse.infer
def _(serialized_sparse, *, dtype):
    shape = serialized_sparse.shape
    if shape is not None and (not shape or shape[-1] not in (3, None)):
        raise InferError(f"Serialized sparse should have 3 as the last dimension, got {shape}")
    return _unknown_sparse(dtype)


def _unknown_sparse(dtype: DTypeLike) -> tuple[Spec, ...]:
    return (
        Spec((None, None), dtypes.int64),
        Spec((None,), as_dtype(dtype)),
        Spec((None,), dtypes.int64),
    )
