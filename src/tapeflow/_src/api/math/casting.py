"""`tf.cast` and related functions: conversion between dtypes."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.log import warn_first
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.cast import cast as cast_op
from tapeflow._src.ops.math.complex_parts import complex_ as complex_op
from tapeflow._src.ops.math.complex_parts import imag, real
from tapeflow._src.ops.math.extremes import maximum, minimum

Kind = TypeVar("Kind", IndexedSlices, SparseTensor, RaggedTensor)


@overload
def cast(x: Kind, dtype: Any, name: str | None = None) -> Kind: ...
@overload
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor: ...
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Cast the elements of `x` to `dtype`; a tensor of that dtype is returned unchanged.

    Floats are truncated towards zero; bool becomes 0 and 1, and every number but 0 becomes True.
    What does not fit wraps around or is undefined: `tf.saturate_cast` clips. Gradients flow between
    floating-point and complex dtypes, and are None through integers. Strings are converted with
    `tf.strings.to_number` and `tf.strings.as_string` instead.

    Args:
        x: A tensor, or a sparse or ragged one, or `tf.IndexedSlices`: their values are cast.
        dtype: The target dtype: any but string.
        name: Name of the op in a graph.

    Returns:
        A value of the same kind and shape as `x`.

    Raises:
        UnimplementedError: There is no conversion, as between numbers and strings.

    Example:

        >>> tf.cast([1.9, -1.9], tf.int32)
        <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>
        >>> tf.cast([0, 2], tf.bool).numpy().tolist()
        [False, True]
    """
    target = as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, target, name), x.indices, x.dense_shape)
    x = dispatch.operand(x)
    if x.dtype is target:
        # Other values have no dtype yet: convert them to this one.
        return x if isinstance(x, (Tensor, Composite)) else dispatch.convert(x, target)
    if x.dtype.is_complex and target.is_floating:
        warn_first(
            "cast from complex",
            1,
            "A cast from %s to %s discards the imaginary part; tf.math.real says so more clearly.",
            x.dtype.name,
            target.name,
        )
    return cast_op(x, DstT=target, name=name)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Combine real and imaginary parts to complex numbers.

    Args:
        real: A float32 or float64 tensor.
        imag: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A complex64 tensor of float32 parts, complex128 of float64.

    Raises:
        TypeError: The dtypes differ, or are others.

    Example:

        >>> tf.complex([1.0, 2.0], [3.0, 4.0])
        <tf.Tensor: shape=(2,), dtype=complex64, numpy=array([1.+3.j, 2.+4.j], dtype=complex64)>
    """
    real = dispatch.operand(real)
    imag = dispatch.operand(imag, None, real.dtype)
    kinds = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
    if real.dtype is not imag.dtype or real.dtype not in kinds:
        raise TypeError(
            "The types of `real` and `imag` should be consistent and either float32 or float64. "
            f"Received: real={real.dtype!r} and imag={imag.dtype!r}."
        )
    return complex_op(real, imag, Tout=kinds[real.dtype], name=name)


@scoped("saturate_cast", names_result=True)
@fused
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Cast `value` to `dtype`, clipping values that are out of range.

    Args:
        value: A numeric tensor. Of complex numbers cast to real ones, the real part is used.
        dtype: The target dtype.
        name: Name of the op in a graph.

    Returns:
        A tensor of dtype `dtype`.

    Example:

        >>> tf.saturate_cast([-5, 100, 300], tf.uint8).numpy().tolist()
        [0, 100, 255]
    """
    x = dispatch.operand(value)
    target = as_dtype(dtype)
    if target.is_complex:
        return _saturate_complex(x, target, name)
    if x.dtype.is_complex:
        x = real(x, Tout=x.dtype.real_dtype)
    return _saturate(x, target, name)


def _saturate(x: Any, target: DType, name: str | None = None) -> Any:
    low, high = _common_bounds(x.dtype, target)
    if low is not None:
        x = maximum(x, dispatch.convert(low, x.dtype))
    if high is not None:
        x = minimum(x, dispatch.convert(high, x.dtype), name="clamp")
    return cast(x, target, name=name)


def _saturate_complex(x: Any, target: DType, name: str | None) -> Any:
    if not x.dtype.is_complex:
        return cast(_saturate(x, target.real_dtype), target, name=name)
    if x.dtype.size <= target.size:
        return cast(x, target, name=name)
    part = x.dtype.real_dtype
    parts = [_saturate(take(x, Tout=part), target.real_dtype) for take in (real, imag)]
    return complex_op(*parts, Tout=target, name=name)


def _common_bounds(source: DType, target: DType) -> tuple[Any, Any]:
    """Return the bounds to which `source` values are clipped for `target`; None if not needed."""
    low, high = None, None
    if _exact(source.min, source) < _exact(target.min, target):
        low = _rounded_inwards(target.min, source, target)
    elif source.is_floating:
        low = source.min  # which -inf is below
    if _exact(source.max, source) > _exact(target.max, target):
        high = _rounded_inwards(target.max, source, target)
    elif source.is_floating:
        high = source.max
    return low, high


def _exact(bound: Any, dtype: DType) -> int | float:
    """Return a bound as a Python number, which compares across dtypes without overflow."""
    return int(bound) if dtype.is_integer else float(bound)


def _rounded_inwards(bound: Any, source: DType, target: DType) -> Any:
    """Round `bound` to a `source` number that `target` also represents, inwards."""
    rounded = np.asarray(bound).astype(source.np)
    if source.is_floating and abs(_exact(rounded, target)) > abs(_exact(bound, target)):
        rounded = np.nextafter(rounded, np.zeros((), source.np))
    return rounded
