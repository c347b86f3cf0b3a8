"""`tf.math`: binary element-wise functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math import (
    arithmetic,
    division,
    extremes,
    power,
    rounding,
    trigonometry,
)

# -- arithmetic ------------------------------------------------------------------------------


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x + y` element-wise; strings are concatenated."""
    return arithmetic.plus(x, y, name=name or "Add")


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x - y` element-wise."""
    return arithmetic.sub(x, y, name=name or "Sub")


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x * y` element-wise."""
    return arithmetic.mul(x, y, name=name or "Mul")


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y` as Python 3 does: integers are converted to floats."""
    if name is None and isinstance(x, Tensor):
        return x / y  # the operator may promote dtypes
    return arithmetic.true_divide(x, y, name=name)


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y` as Python 3 does: integers are converted to floats."""
    return arithmetic.true_divide(x, y, name=name)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded towards negative infinity."""
    return arithmetic.floor_div(x, y, name=name)


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute the remainder of `floordiv`, which has the sign of `y`."""
    return arithmetic.floor_mod(x, y, name=name or "FloorMod")


mod = floormod


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded towards zero."""
    return division.truncate_div(x, y, name=name)


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute the remainder of `truncatediv`, which has the sign of `x`."""
    return division.truncate_mod(x, y, name=name)


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y` of floats."""
    return arithmetic.real_div(x, y, name=name)


@scoped("div_no_nan", names_result=True)
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y`, and 0 where `y` is 0; integers are converted to floats."""
    x, y = arithmetic.as_quotient(x, y)
    return division.div_no_nan(x, y, name=name)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x * y`, and 0 where `y` is 0, even if `x` is infinite or NaN."""
    x = dispatch.operand(x)
    y = dispatch.operand(y, None, x.dtype)
    if x.dtype is not y.dtype:
        raise TypeError(
            f"Division needs x and y of the same dtype, received {x.dtype.name} and "
            f"{y.dtype.name}; tensors are never converted silently: use tf.cast on one of them."
        )
    return division.mul_no_nan(x, y, name=name or "multiply_no_nan")


@scoped("xdivy")
def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x / y`, and 0 where `x` is 0."""
    return division.xdivy(x, y)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x * log(y)`, and 0 where `x` is 0."""
    return division.xlogy(x, y, name=name)


@scoped("xlog1py")
def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x * log(1 + y)`, and 0 where `x` is 0."""
    return division.xlog1py(x, y)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `(x - y)**2` element-wise."""
    return arithmetic.squared_difference(x, y, name=name)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x` to the power `y` element-wise."""
    return power.pow_(x, y, name=name or "Pow")


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Compute the angle of the point (`x`, `y`) in [-π, π]."""
    return trigonometry.atan2(y, x, name=name)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Return the next float after `x1` towards `x2`."""
    return rounding.next_after(x1, x2, name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute the element-wise maximum; NaN if either is NaN."""
    return extremes.maximum(x, y, name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute the element-wise minimum; NaN if either is NaN."""
    return extremes.minimum(x, y, name=name)


# -- of several tensors ----------------------------------------------------------------------


@scoped("scalar_mul", names_result=True)
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiply a dense tensor or `IndexedSlices` by a scalar."""
    factor = dispatch.convert(scalar, x.dtype if hasattr(x, "dtype") else None)
    if factor.shape.rank not in (0, None):
        raise ValueError(
            f"scalar_mul: `scalar` must be a single number (rank 0), received {scalar}."
        )
    if isinstance(x, IndexedSlices):
        values = arithmetic.mul(factor, x.values, name=name)
        return IndexedSlices(values, x.indices, x.dense_shape)
    return arithmetic.mul(factor, x, name=name)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Sum tensors of one shape and dtype."""
    if isinstance(inputs, (IndexedSlices, Composite)):
        inputs = [inputs]
    tensors = [dispatch.operand(t) for t in inputs] if isinstance(inputs, Iterable) else []
    if not tensors:
        raise ValueError(
            f"add_n needs one tensor or more, all of one dtype and shape, received {inputs}."
        )
    if len(tensors) == 1:
        return identity(tensors[0], name=name) if name else tensors[0]
    return arithmetic.add_n(tensors, name=name)


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Sum tensors of one shape and dtype, which may be declared."""
    if not _is_sequence(inputs) or not inputs:
        raise ValueError(
            "accumulate_n needs a list of one tensor or more, all of one dtype and shape, "
            f"received {inputs}."
        )
    tensors = [dispatch.convert(t) for t in inputs]
    dtype = tensors[0].dtype if tensor_dtype is None else as_dtype(tensor_dtype)
    for tensor in tensors:
        if tensor.dtype is not dtype:
            raise TypeError(f"inputs must be of {dtype!r}, got one of {tensor.dtype!r}. Cast it.")
        if not tensor.shape.is_compatible_with(shape):
            raise ValueError(f"inputs must have the shape {shape}, got one of {tensor.shape}")
    return add_n(tensors, name=name)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


@scoped("polyval", names_result=True)
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """Evaluate a polynomial, coefficients from the highest power down, by Horner's rule."""
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval: coeffs must be a list, received {type(coeffs).__name__}.")
    x = dispatch.convert(x)
    if not coeffs:
        return zeros_like(x, name=name)
    total, *others = (
        dispatch.convert(coefficient, x.dtype, None, f"coeff_{index}")
        for index, coefficient in enumerate(coeffs)
    )
    for coefficient in others:
        total = arithmetic.add_v2(coefficient, arithmetic.mul(total, x))
    return total
