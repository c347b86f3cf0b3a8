"""The tensors of elements as records of snapshot files: each is the bytes of a TensorProto.

Ragged and sparse tensors are variants there: a ragged tensor is one variant of its row splits and
values, a sparse one three, for its indices, values and shape. TensorFlow writes strings and
variants into `tensor_content`, as their lengths and then their bytes; fields are read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.api.elements import carried_sparse
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec
from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec
from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.errors import DataLossError, UnimplementedError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.protos.values import set_shape, tensor_from_proto, tensor_to_proto
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec

protobuf = LazyModule("google.protobuf.message", "saved datasets")

_RAGGED, _TENSOR = "RaggedTensorVariant", "tensorflow::Tensor"


def to_record(array: Any, spec: Any) -> bytes:
    """Return the record of a tensor; a sparse one is given as three serialized tensors."""
    if isinstance(spec, SparseTensorSpec):
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


def from_record(data: bytes, spec: Any) -> Any:
    """Return the tensor of a record, as `to_record` takes it.

    Raises:
        tf.errors.DataLossError: if the record is damaged, or holds no value of the spec.
    """
    try:
        proto = protos.TensorProto.FromString(data)
        if proto.dtype == dtypes.variant.as_datatype_enum:
            return _of_variants(proto, spec)
        return _fitting(_array(proto), spec)
    except (protobuf.DecodeError, ValueError, TypeError, LookupError) as error:
        raise DataLossError(
            None, None, f"A record of a snapshot is damaged: {error or type(error).__name__}"
        ) from error


def _array(proto: Any) -> np.ndarray:
    if proto.dtype != dtypes.string.as_datatype_enum or not proto.tensor_content:
        return tensor_from_proto(proto)
    pieces = list(_pieces(proto.tensor_content, _size(proto)))
    strings = np.empty(len(pieces), object)
    strings[:] = pieces
    return strings.reshape([dim.size for dim in proto.tensor_shape.dim])


def _of_variants(proto: Any, spec: Any) -> Any:
    variants = list(proto.variant_val)
    if proto.tensor_content:
        pieces = _pieces(proto.tensor_content, _size(proto))
        variants = [protos.VariantTensorDataProto.FromString(piece) for piece in pieces]
    tensors = [[tensor_from_proto(each) for each in variant.tensors] for variant in variants]
    kinds = [variant.type_name for variant in variants]
    if isinstance(spec, SparseTensorSpec) and kinds == [_TENSOR] * 3:
        indices, values, shape = [parts[0] for parts in tensors]
        return _sparse(indices, values, shape, spec)
    if isinstance(spec, RaggedTensorSpec) and kinds == [_RAGGED]:
        (parts,) = tensors
        return _ragged(parts[:-1], parts[-1], spec)
    raise UnimplementedError(
        None,
        None,
        f"Dataset.load reads tensors. Received an element with variants of {kinds}, expected "
        f"{spec}",
    )


def _fitting(array: np.ndarray, spec: Any) -> np.ndarray:
    """Return an array that has the dtype and shape of a spec; ValueError if it has not."""
    same = isinstance(spec, TensorSpec) and array.dtype == spec.dtype.np
    if not same or not spec.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"expected {spec}, received dtype {array.dtype.name} and shape {array.shape}"
        )
    return array


def _sparse(indices: np.ndarray, values: np.ndarray, shape: np.ndarray, spec: Any) -> Any:
    for array, part in zip((indices, values, shape), spec._component_specs):
        _fitting(array, part)
    sizes = shape.tolist()
    if not spec.shape.is_compatible_with(sizes) or indices.shape != (values.size, len(sizes)):
        raise ValueError(f"expected {spec}, received a sparse tensor of shape {sizes}")
    if (indices < 0).any() or (indices >= shape).any():
        raise ValueError(f"expected indices into the shape {sizes}")
    return carried_sparse(indices, values, shape)


def _ragged(splits: list[np.ndarray], values: np.ndarray, spec: Any) -> RaggedValue:
    """Return the value of row splits, each of which must fit what it splits."""
    if len(splits) != spec.ragged_rank:
        raise ValueError(f"expected {spec}, received {len(splits)} levels of row splits")
    sizes = [*(part.size - 1 for part in splits[1:]), len(values)]
    for part, size in zip(splits, sizes):
        is_vector = part.ndim == 1 and part.dtype == spec.row_splits_dtype.np and part.size > 0
        if not (is_vector and part[0] == 0 and part[-1] == size and (np.diff(part) >= 0).all()):
            raise ValueError(f"expected row splits from 0 to {size}, received {part.tolist()}")
    rows = [splits[0].size - 1, *[None] * len(splits)] if splits else [len(values)]
    shape = TensorShape([*rows, *values.shape[1:]])
    if values.dtype != spec.dtype.np or not spec.shape.is_compatible_with(shape):
        raise ValueError(
            f"expected {spec}, received values of dtype {values.dtype.name} and shape {shape}"
        )
    return RaggedValue(splits, values)


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
