"""Reductions over axes, and cumulative reductions along one."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, DTypeLike, TensorLike
from tapeflow._src.eager.fused import fused
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
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sum over `axis` (all axes if None), in the dtype of the tensor.

    Small integers overflow silently; cast them first. The sum of no elements is 0. The elements of
    a ragged tensor are reduced row by row.

    Args:
        input_tensor: A numeric tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Raises:
        InvalidArgumentError: An axis is out of range.

    Example:

        >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
        >>> tf.reduce_sum(x).numpy()
        np.int32(21)
        >>> tf.reduce_sum(x, axis=0).numpy().tolist()
        [5, 7, 9]
        >>> tf.reduce_sum(x, axis=1, keepdims=True).numpy().tolist()
        [[6], [15]]
    """
    return _reduce(sum_, input_tensor, axis, keepdims, name)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Compute the mean over `axis`; of integers it is an integer, rounded towards zero.

    Cast integers to a floating-point dtype for the usual mean. The mean of no elements is NaN.

    Args:
        input_tensor: A numeric tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=1).numpy().tolist()
        [1.5, 4.5]
        >>> tf.reduce_mean([1, 2]).numpy()
        np.int32(1)
    """
    return _reduce(reduction.mean, input_tensor, axis, keepdims, name)


def reduce_prod(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the product over `axis`; of no elements it is 1.

    Args:
        input_tensor: A numeric tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.reduce_prod([[1, 2], [3, 4]], axis=0).numpy().tolist()
        [3, 8]
    """
    return _reduce(reduction.prod, input_tensor, axis, keepdims, name)


def reduce_max(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the maximum over `axis`; equal maxima share the gradient equally.

    Of no elements it is the lowest value of the dtype. `tf.maximum` compares two tensors,
    `tf.argmax` returns the index.

    Args:
        input_tensor: A real tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.reduce_max([[1, 7], [5, 3]], axis=1).numpy().tolist()
        [7, 5]
    """
    return _reduce(reduction.max_, input_tensor, axis, keepdims, name)


def reduce_min(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the minimum over `axis`; equal minima share the gradient equally.

    Of no elements it is the highest value of the dtype.

    Args:
        input_tensor: A real tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.reduce_min([[1, 7], [5, 3]], axis=1).numpy().tolist()
        [1, 3]
    """
    return _reduce(reduction.min_, input_tensor, axis, keepdims, name)


def reduce_all(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return whether all elements over `axis` are true; they are if there are none.

    Args:
        input_tensor: A bool tensor. Numbers are not converted.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A bool tensor without the reduced axes.

    Example:

        >>> tf.reduce_all([[True, True], [True, False]], axis=1).numpy().tolist()
        [True, False]
    """
    return _reduce(reduction.all_, _as_bools(input_tensor), axis, keepdims, name)


def reduce_any(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return whether any element over `axis` is true; none is if there are none.

    Args:
        input_tensor: A bool tensor. Numbers are not converted.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A bool tensor without the reduced axes.

    Example:

        >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
        [True, False]
    """
    return _reduce(reduction.any_, _as_bools(input_tensor), axis, keepdims, name)


def _as_bools(value: TensorLike) -> Any:
    """Convert Python values to booleans; a tensor of another dtype is left to the op."""
    return value if hasattr(value, "dtype") else dispatch.convert(value, dtypes.bool)


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the L2 norm over `axis`; of integers it is truncated to an integer.

    For other norms see `tf.norm`.

    Args:
        input_tensor: A numeric tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().tolist()
        [5.0, 5.0]
    """
    return _reduce(reduction.euclidean_norm, input_tensor, axis, keepdims, name)


@scoped("ReduceLogSumExp", names_result=True)
@fused
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute `log(sum(exp(x)))` over `axis`, without overflow.

    Args:
        input_tensor: A floating-point tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tensor without the reduced axes, of the same dtype.

    Example:

        >>> tf.reduce_logsumexp([1000.0, -1000.0]).numpy()
        np.float32(1000.0)
        >>> tf.round(tf.reduce_logsumexp([[0.0, 0.0]], axis=1) * 100).numpy().tolist()
        [69.0]
    """
    tensor = dispatch.operand(input_tensor)
    axes = _axes(tensor, axis)
    largest = reduction.max_(tensor, axes, keep_dims=True)
    shift = stop_gradient(select_v2(is_finite(largest), largest, scalar(0, largest)))
    total = log(sum_(exp(sub(tensor, shift)), axes, keep_dims=bool(keepdims)))
    _reduced_shape(total, axis, keepdims)
    return add_v2(total, shift if keepdims else reshape(shift, shape_of(total)), name=name)


@scoped("reduce_variance")
@fused
def reduce_variance(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the (biased) variance over `axis`; real for complex tensors.

    The sum of squared distances is divided by the number of elements, not by one less.

    Args:
        input_tensor: A floating-point or complex tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A floating-point tensor without the reduced axes.

    Raises:
        TypeError: The tensor is neither floating-point nor complex.

    Example:

        >>> tf.math.reduce_variance([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy().tolist()
        [1.0, 0.0]
    """
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
@fused
def reduce_std(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the standard deviation over `axis`: the square root of the variance.

    Its gradient is NaN where all elements are equal.

    Args:
        input_tensor: A floating-point or complex tensor.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A floating-point tensor without the reduced axes.

    Raises:
        TypeError: The tensor is neither floating-point nor complex.

    Example:

        >>> tf.math.reduce_std([1.0, 3.0]).numpy()
        np.float32(1.0)
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


@scoped("count_nonzero")
@fused
def count_nonzero(
    input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Count the elements over `axis` that are not zero, or not the empty string.

    Args:
        input: A tensor of numbers, booleans or strings.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1; no by default.
        dtype: The dtype of the counts; int64 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of counts, without the reduced axes.

    Example:

        >>> tf.math.count_nonzero([[0, 1, 2], [0, 0, 5]], axis=1).numpy().tolist()
        [2, 1]
        >>> tf.math.count_nonzero(["", "a"]).numpy()
        np.int64(1)
    """
    tensor = dispatch.convert(input)
    zero: Any = {dtypes.string: b"", dtypes.bool: False}.get(tensor.dtype, 0)
    zero_scalar = dispatch.convert(zero, tensor.dtype)
    counted = cast(not_equal(tensor, zero_scalar), DstT=dtypes.int64)
    count = _reduce(sum_, counted, axis, keepdims)
    return count if as_dtype(dtype) is dtypes.int64 else cast(count, DstT=as_dtype(dtype))


def argmax(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the index of the maximum along `axis`, the first axis by default.

    Of equal elements the first counts. No gradient flows through indices.

    Args:
        input: A real or bool tensor.
        axis: The axis. Unlike NumPy, None means 0 instead of all axes.
        output_type: The dtype of the indices: int64 (the default) or int32. int16 and uint16 too.
        name: Name of the op in a graph.

    Returns:
        A tensor of indices without that axis.

    Raises:
        InvalidArgumentError: The axis is out of range or has no elements.

    Example:

        >>> tf.argmax([[1, 9, 3], [7, 2, 8]], axis=1).numpy().tolist()
        [1, 2]
        >>> tf.argmax([4, 4, 1, 1]).numpy()
        np.int64(0)
    """
    at = scalar_int(0) if axis is None else as_index(axis, _NARROW_AXES)
    return reduction.arg_max(input, at, output_type=as_dtype(output_type), name=name)


def argmin(
    input: TensorLike,
    axis: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the index of the minimum along `axis`, the first axis by default.

    Of equal elements the first counts. No gradient flows through indices.

    Args:
        input: A real or bool tensor.
        axis: The axis. Unlike NumPy, None means 0 instead of all axes.
        output_type: The dtype of the indices: int64 (the default) or int32.
        name: Name of the op in a graph.

    Returns:
        A tensor of indices without that axis.

    Raises:
        InvalidArgumentError: The axis is out of range or has no elements.

    Example:

        >>> tf.argmin([[1, 9, 3], [7, 2, 8]], axis=1).numpy().tolist()
        [0, 1]
        >>> tf.argmin([4, 4, 1, 1]).numpy()
        np.int64(2)
    """
    at = scalar_int(0) if axis is None else as_index(axis, _NARROW_AXES)
    return reduction.arg_min(input, at, output_type=as_dtype(output_type), name=name)


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Compute the cumulative sum along `axis`.

    Args:
        x: A numeric tensor.
        axis: The axis; the first by default.
        exclusive: Whether to leave each element out of its own sum, so that the first is 0.
        reverse: Whether to start from the end.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: The axis is out of range.

    Example:

        >>> tf.cumsum([1, 2, 3]).numpy().tolist()
        [1, 3, 6]
        >>> tf.cumsum([1, 2, 3], exclusive=True).numpy().tolist()
        [0, 1, 3]
        >>> tf.cumsum([1, 2, 3], reverse=True).numpy().tolist()
        [6, 5, 3]
    """
    return scan.cumsum(x, axis, exclusive=bool(exclusive), reverse=bool(reverse), name=name)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Compute the cumulative product along `axis`.

    Args:
        x: A numeric tensor.
        axis: The axis; the first by default.
        exclusive: Whether to leave each element out of its own product, so that the first is 1.
        reverse: Whether to start from the end.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: The axis is out of range.

    Example:

        >>> tf.math.cumprod([1, 2, 3, 4]).numpy().tolist()
        [1, 2, 6, 24]
        >>> tf.math.cumprod([1, 2, 3], exclusive=True).numpy().tolist()
        [1, 1, 2]
    """
    return scan.cumprod(x, axis, exclusive=bool(exclusive), reverse=bool(reverse), name=name)


def cumulative_logsumexp(
    x: TensorLike,
    axis: Axis = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute `log(cumsum(exp(x)))` along `axis`, without overflow.

    Args:
        x: A floating-point tensor.
        axis: The axis; the first by default.
        exclusive: Whether to leave each element out of its own sum, so that the first is -inf.
        reverse: Whether to start from the end.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: The axis is out of range.

    Example:

        >>> tf.math.cumulative_logsumexp([1000.0, 0.0, -1000.0]).numpy().tolist()
        [1000.0, 1000.0, 1000.0]
    """
    options = {"exclusive": bool(exclusive), "reverse": bool(reverse)}
    return scan.cumulative_logsumexp(x, axis, **options, name=name)
