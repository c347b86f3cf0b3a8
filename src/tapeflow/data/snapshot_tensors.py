"""The tensors of elements as records of snapshot files: each is the bytes of a TensorProto.

Ragged and sparse tensors are variants there: a ragged tensor is one variant of its row splits and
values, a sparse one three, for its indices, values and shape. TensorFlow writes strings and
variants into `tensor_content`, as their lengths and then their bytes; fields are read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.core import dtypes, protos
from tapeflow.core.dtypes import FROM_NUMPY
from tapeflow.core.errors import DataLossError, UnimplementedError
from tapeflow.core.protos.values import set_shape, tensor_from_proto, tensor_to_proto
from tapeflow.elements import carried_sparse
from tapeflow.ops.ragged_variants import RaggedValue

_RAGGED, _TENSOR = "RaggedTensorVariant", "tensorflow::Tensor"


def to_record(array: Any, is_sparse: bool) -> bytes:
    """Return the record of a tensor; a sparse one is given as three serialized tensors."""
    if is_sparse:
        parts = [protos.TensorProto.FromString(part) for part in array.tolist()]
        proto = _variants((3,), [_variant(_TENSOR, [part]) for part in parts])
    elif isinstance(array, RaggedValue):
        parts = [_proto(part) for part in (*array.splits, array.values)]
        proto = _variants((), [_variant(_RAGGED, parts)])
    elif type(array) is np.ndarray:
        proto = _proto(array)
    else:
        raise UnimplementedError(
            None,
            None,
            f"Dataset.save writes tensors, ragged and sparse ones included. Received an element "
            f"with a {type(array).__name__}.",
        )
    data: bytes = proto.SerializeToString()
    return data


def from_record(data: bytes, is_sparse: bool) -> Any:
    """Return the tensor of a record, as `to_record` takes it."""
    proto = protos.TensorProto.FromString(data)
    if proto.dtype == dtypes.string.as_datatype_enum and proto.tensor_content:
        strings = np.empty(_size(proto), object)
        strings[:] = list(_pieces(proto.tensor_content, strings.size))
        return strings.reshape([dim.size for dim in proto.tensor_shape.dim])
    if proto.dtype != dtypes.variant.as_datatype_enum:
        return tensor_from_proto(proto)
    variants = list(proto.variant_val)
    if proto.tensor_content:
        pieces = _pieces(proto.tensor_content, _size(proto))
        variants = [protos.VariantTensorDataProto.FromString(piece) for piece in pieces]
    tensors = [[tensor_from_proto(each) for each in variant.tensors] for variant in variants]
    kinds = [variant.type_name for variant in variants]
    if is_sparse and kinds == [_TENSOR] * 3:
        return carried_sparse(*[parts[0] for parts in tensors])
    if not is_sparse and kinds == [_RAGGED]:
        (parts,) = tensors
        return RaggedValue(parts[:-1], parts[-1])
    raise UnimplementedError(
        None, None, f"Dataset.load reads tensors. Received an element with variants of {kinds}."
    )


def _proto(array: np.ndarray) -> Any:
    return tensor_to_proto(array, FROM_NUMPY[array.dtype])


def _variant(kind: str, tensors: list[Any]) -> Any:
    return protos.VariantTensorDataProto(type_name=kind, tensors=tensors)


def _variants(dims: tuple[int, ...], variants: list[Any]) -> Any:
    proto = protos.TensorProto(dtype=dtypes.variant.as_datatype_enum, variant_val=variants)
    set_shape(proto.tensor_shape, dims)
    return proto


def _size(proto: Any) -> int:
    size = 1
    for dim in proto.tensor_shape.dim:
        size *= dim.size
    return size


def _pieces(content: bytes, count: int) -> Iterator[bytes]:
    """Yield `count` strings of bytes, whose lengths, as varints, stand before them."""
    at, lengths = 0, []
    # Each length takes a byte at least, so a wrong count ends with the content.
    for _ in range(count):
        length, shift, more = 0, 0, True
        while more:
            if at >= len(content):
                raise DataLossError(None, None, "A record of a snapshot is cut off.")
            byte = content[at]
            at, length, shift = at + 1, length | (byte & 127) << shift, shift + 7
            more = byte >= 128
        lengths.append(length)
    if at + sum(lengths) != len(content):
        raise DataLossError(
            None,
            None,
            f"A record of a snapshot has {len(content) - at} bytes of strings, expected "
            f"{sum(lengths)}.",
        )
    for length in lengths:
        yield content[at : at + length]
        at += length
