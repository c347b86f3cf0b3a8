"""Conversion of arrays and shapes to and from TensorProto and TensorShapeProto.

Both directions take messages of any pool: only the field names matter.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from tapeflow._src.core import dtypes, errors, protos
from tapeflow._src.core.dtypes import DType, as_dtype

Dims = tuple[int | None, ...]

# TensorFlow's limit. NumPy's own is lower.
MOST_DIMS = 254

# The field that holds the elements of a tensor one by one. Dtypes that are not listed use
# `int_val`, as do integers of fewer than 32 bits.
_FIELDS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.int64: "int64_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.bool: "bool_val",
    dtypes.string: "string_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
    **dict.fromkeys((*dtypes.FLOAT8, dtypes.float4_e2m1fn), "float8_val"),
}
# For these dtypes TensorFlow writes the bytes of the whole array if it has two elements or more.
_AS_BYTES = dtypes.REAL | dtypes.QUANTIZED | dtypes.FLOAT8 | {dtypes.float4_e2m1fn}
# float16 and bfloat16 are written as the integers of the same bits.
_BITS = {dtypes.float16: np.uint16, dtypes.bfloat16: np.uint16}


def shape_to_proto(dims: Dims | None) -> Any:
    """Return a TensorShapeProto; -1 stands for an unknown size."""
    shape = protos.TensorShapeProto()
    set_shape(shape, dims)
    return shape


def set_shape(shape: Any, dims: Dims | None) -> None:
    """Write `dims` into an empty TensorShapeProto; that of a scalar is present, and empty."""
    shape.SetInParent()
    if dims is None:
        shape.unknown_rank = True
    else:
        for size in dims:
            shape.dim.add(size=-1 if size is None else size)


def shape_from_proto(shape: Any) -> Dims | None:
    """Return the sizes of a TensorShapeProto, None where they are unknown."""
    if shape.unknown_rank:
        return None
    sizes = [d.size for d in shape.dim]
    if min(sizes, default=0) < -1 or len(sizes) > MOST_DIMS:
        raise ValueError(
            f"A TensorShapeProto has {len(sizes)} sizes from {min(sizes)} on; there are at most "
            f"{MOST_DIMS}, and -1 is the least (unknown)."
        )
    return tuple([None if size == -1 else size for size in sizes])


def tensor_to_proto(array: np.ndarray, dtype: DType, shape: Dims | None = None) -> Any:
    """Return a TensorProto of the array's elements; a larger `shape` repeats the last one."""
    proto = protos.TensorProto(dtype=dtype.as_datatype_enum)
    dims = array.shape if shape is None else shape
    if array.size > 1 and not any(array.strides):
        array = array[(slice(1),) * array.ndim]
    set_shape(proto.tensor_shape, dims)
    if dtype in _AS_BYTES and array.size > 1 and array.size == math.prod(dims):
        proto.tensor_content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return proto
    field = _FIELDS.get(dtype, "int_val")
    flat = array.reshape(-1)
    if field == "float8_val":
        proto.float8_val = flat.tobytes()
    elif array.size:
        getattr(proto, field).extend(_elements(flat, dtype))
    return proto


def _elements(flat: np.ndarray, dtype: DType) -> list[Any]:
    """Return the elements of a vector as the numbers of the message."""
    if dtype in _BITS:
        flat = flat.view(_BITS[dtype])
    elif dtype.is_complex:
        flat = flat.view(dtype.real_dtype.np)
    elif dtype.is_quantized:
        flat = flat[dtype.name]
    elif dtype is dtypes.string:
        return [v.encode() if isinstance(v, str) else v for v in flat.tolist()]
    return [int(v) for v in flat] if flat.dtype in _NARROW else flat.tolist()


_NARROW = frozenset(
    np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
)


# A message holds at most 2 GB; one with a larger shape repeats an element. No program writes such a
# constant, and it is refused before the array is allocated.
MOST_BYTES = 2**31
# From this size on, an array of one value is a broadcast view.
_BROADCAST_ELEMENTS = 2**12


def tensor_from_proto(proto: Any) -> np.ndarray:
    """Return the array of a TensorProto; the last element present is repeated.

    Raises ResourceExhaustedError, before anything is allocated, beyond `MOST_BYTES`.
    """
    dtype = as_dtype(proto.dtype)
    if not dtype.is_numpy_compatible:
        raise TypeError(
            f"A TensorProto of dtype {dtype.name} holds a handle, which is no value: "
            f"no array can be made of it."
        )
    dims = tuple([d.size for d in proto.tensor_shape.dim])
    count = _count(dims, dtype)
    if proto.tensor_content:
        if dtype is dtypes.string:
            raise ValueError("A TensorProto of strings holds them in string_val, not as bytes.")
        stored = np.frombuffer(proto.tensor_content, dtype.np.newbyteorder("<"))
        if stored.size != count:
            raise ValueError(
                f"A TensorProto of shape {list(dims)} has {count} elements, but its "
                f"tensor_content holds {stored.size}."
            )
        return stored.astype(dtype.np).reshape(dims)
    elements = _stored_elements(proto, dtype)
    if elements.size > count:
        raise ValueError(
            f"A TensorProto of shape {list(dims)} has room for {count} elements, "
            f"but holds {elements.size}."
        )
    if elements.size == count:
        return elements.reshape(dims)
    if elements.size <= 1 and count >= _BROADCAST_ELEMENTS:
        return np.broadcast_to(
            elements.reshape(()) if elements.size else _default_element(dtype), dims
        )
    array = np.empty(count, dtype.np)
    array[: elements.size] = elements
    array[elements.size :] = elements[-1] if elements.size else _default_element(dtype)
    return array.reshape(dims)


def _count(dims: tuple[int, ...], dtype: DType) -> int:
    """Return the number of elements of an array of this shape, if it is allowed."""
    if min(dims, default=0) < 0 or len(dims) > _ARRAY_DIMS:
        raise ValueError(
            f"A TensorProto has the shape {list(dims)}; the sizes of an array are not negative, "
            f"and there are at most {_ARRAY_DIMS}."
        )
    count = math.prod(dims)
    size = count * dtype.np.itemsize
    if size > MOST_BYTES:
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"A TensorProto of shape {list(dims)} and dtype {dtype.name} asks for {size:,} bytes; "
            f"at most {MOST_BYTES:,} are made of a message.",
        )
    return count


_ARRAY_DIMS = 64


def _default_element(dtype: DType) -> Any:
    return np.array(b"", object) if dtype is dtypes.string else np.zeros((), dtype.np)


def _stored_elements(proto: Any, dtype: DType) -> np.ndarray:
    """Return the elements that the message contains."""
    field = _FIELDS.get(dtype, "int_val")
    values = getattr(proto, field)
    if field == "float8_val":
        return np.frombuffer(values, dtype.np).copy()
    if dtype in _BITS:
        return np.array(values, _BITS[dtype]).view(dtype.np)
    if dtype.is_complex:
        return np.array(values, dtype.real_dtype.np).view(dtype.np)
    if dtype.is_quantized:
        return np.array([(v,) for v in values], dtype.np)
    return np.array(list(values), dtype.np)
