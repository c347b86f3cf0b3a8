"""Reductions over axes, and cumulative reductions along one."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.axes import every_axis
from tapeflow._src.ops.array.common import (
    reshape,
    scalar_int,
    shape_of,
    static_ints,
    stop_gradient,
    sum_,
)
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math import reduction, scan
from tapeflow._src.ops.math.arithmetic import add_v2, conj, mul, sub
from tapeflow._src.ops.math.cast import as_index, cast
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import exp, log, scalar, sqrt, square
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.rounding import is_finite

_NARROW_AXES = frozenset({dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16})


def _reduce(op: Any, tensor: Any, axis: Any, keepdims: Any, name: str | None = None) -> Any:
    tensor = dispatch.operand(tensor)
    attrs = {"keep_dims": bool(keepdims)}
    result = dispatch.state.mode.execute(op, (tensor, _axes(tensor, axis)), attrs, name)
    return _reduced_shape(result, axis, keepdims)


def _reduced_shape(result: Any, axis: Any, keepdims: Any) -> Any:
    """Declare the result a scalar if all axes were reduced."""
    if axis is None and not keepdims and getattr(result, "static_shape", ()) is None:
        result.set_shape(())
    return result


def _axes(tensor: Any, axis: Any) -> Any:
    """Return the axes to reduce as a tensor; `None` means all."""
    if axis is None:
        axes = every_axis(tensor)
        return axes if axes.static_value is None else dispatch.embedded(axes, "Const")
    if type(axis) is int:
        return scalar_int(axis)
    if type(axis) is float:
        return dispatch.convert(axis, dtypes.int32)  # which refuses it
    if type(axis) in (list, tuple) and all(type(a) is int for a in axis):
        return static_ints(tuple(axis))
    return axis


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Sum over `axis` (all axes if None), in the dtype of the tensor.

    Args:
        input_tensor: The tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.
    """
    return _reduce(sum_, input_tensor, axis, keepdims, name)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the mean over `axis`; of integers it is an integer, rounded towards zero.

    Args:
        input_tensor: The tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.
    """
    return _reduce(reduction.mean, input_tensor, axis, keepdims, name)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the product over `axis`."""
    return _reduce(reduction.prod, input_tensor, axis, keepdims, name)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the maximum over `axis`; equal maxima share the gradient equally."""
    return _reduce(reduction.max_, input_tensor, axis, keepdims, name)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the minimum over `axis`; equal minima share the gradient equally."""
    return _reduce(reduction.min_, input_tensor, axis, keepdims, name)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements over `axis` are true."""
    return _reduce(reduction.all_, _as_bools(input_tensor), axis, keepdims, name)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over `axis` is true."""
    return _reduce(reduction.any_, _as_bools(input_tensor), axis, keepdims, name)


def _as_bools(value: Any) -> Any:
    """Convert Python values to booleans; a tensor of another dtype is left to the op."""
    return value if hasattr(value, "dtype") else dispatch.convert(value, dtypes.bool)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the L2 norm over `axis`."""
    return _reduce(reduction.euclidean_norm, input_tensor, axis, keepdims, name)


@scoped("ReduceLogSumExp", names_result=True)
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute `log(sum(exp(x)))` over `axis`, without overflow."""
    tensor = dispatch.operand(input_tensor)
    axes = _axes(tensor, axis)
    largest = reduction.max_(tensor, axes, keep_dims=True)
    shift = stop_gradient(select_v2(is_finite(largest), largest, scalar(0, largest)))
    total = log(sum_(exp(sub(tensor, shift)), axes, keep_dims=bool(keepdims)))
    _reduced_shape(total, axis, keepdims)
    return add_v2(total, shift if keepdims else reshape(shift, shape_of(total)), name=name)


@scoped("reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the (biased) variance over `axis`; real for complex tensors."""
    tensor = dispatch.operand(input_tensor)
    if isinstance(tensor, Composite):
        if tensor.dtype.is_complex:
            raise ValueError("The variance of complex ragged tensors is not supported.")
        # Its mean may be of another shape in each row: nothing to subtract from all of them. What
        # is left of a small variance may be less than zero, by rounding.
        mean = reduce_mean(tensor, axis, keepdims)
        variance = sub(reduce_mean(square(tensor), axis, keepdims), square(mean))
        return maximum(variance, dispatch.convert(0, variance.dtype))
    if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise TypeError(
            "reduce_variance expects floating-point or complex values, received "
            f"{tensor.dtype.name}: use tf.cast."
        )
    axes = _axes(tensor, axis)
    distance = sub(tensor, reduction.mean(tensor, axes, keep_dims=True))
    if tensor.dtype.is_complex:
        squares = cast(mul(distance, conj(distance)), DstT=tensor.dtype.real_dtype)
    else:
        squares = square(distance)
    variance = reduction.mean(squares, axes, keep_dims=bool(keepdims))
    return _reduced_shape(variance, axis, keepdims)


@scoped("reduce_std")
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the standard deviation over `axis`: the square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


@scoped("count_nonzero")
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Count the elements over `axis` that are not zero, or not the empty string."""
    tensor = dispatch.convert(input)
    zero: Any = {dtypes.string: b"", dtypes.bool: False}.get(tensor.dtype, 0)
    zero_scalar = dispatch.convert(zero, tensor.dtype)
    counted = cast(not_equal(tensor, zero_scalar), DstT=dtypes.int64)
    count = _reduce(sum_, counted, axis, keepdims)
    return count if as_dtype(dtype) is dtypes.int64 else cast(count, DstT=as_dtype(dtype))


def argmax(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Return the index of the maximum along `axis`, the first axis by default."""
    at = scalar_int(0) if axis is None else as_index(axis, _NARROW_AXES)
    return reduction.arg_max(input, at, output_type=as_dtype(output_type), name=name)


def argmin(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Return the index of the minimum along `axis`, the first axis by default."""
    at = scalar_int(0) if axis is None else as_index(axis, _NARROW_AXES)
    return reduction.arg_min(input, at, output_type=as_dtype(output_type), name=name)


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Compute the cumulative sum along `axis`.

    Args:
        x: The tensor.
        axis: The axis.
        exclusive: Whether to leave each element out of its own sum.
        reverse: Whether to sum from the end.
        name: Name of the op in a graph.
    """
    return scan.cumsum(x, axis, exclusive=bool(exclusive), reverse=bool(reverse), name=name)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Compute the cumulative product along `axis`; without the element itself if `exclusive`."""
    return scan.cumprod(x, axis, exclusive=bool(exclusive), reverse=bool(reverse), name=name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Compute `log(cumsum(exp(x)))` along `axis`, without overflow."""
    options = {"exclusive": bool(exclusive), "reverse": bool(reverse)}
    return scan.cumulative_logsumexp(x, axis, **options, name=name)
