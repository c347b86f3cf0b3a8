"""`tf.math`: binary element-wise functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math import (
    arithmetic,
    division,
    extremes,
    power,
)

# -- arithmetic ------------------------------------------------------------------------------


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x + y` element-wise; strings are concatenated.

    Also written `x + y`. Tensors of different dtypes are not converted: use `tf.cast`. `tf.add_n`
    sums a list.

    Args:
        x: A numeric or string tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Raises:
        InvalidArgumentError: The dtypes differ, or the shapes do not broadcast.

    Example:

        >>> tf.add([1, 2], [[10], [20]]).numpy().tolist()
        [[11, 12], [21, 22]]
        >>> tf.add(["a", "b"], "c").numpy().tolist()
        [b'ac', b'bc']
    """
    return arithmetic.plus(x, y, name=name or "Add")


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x - y` element-wise; also written `x - y`.

    Args:
        x: A numeric tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.subtract([5, 7], 3).numpy().tolist()
        [2, 4]
    """
    return arithmetic.sub(x, y, name=name or "Sub")


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x * y` element-wise; also written `x * y`.

    For the product of matrices see `tf.matmul`.

    Args:
        x: A numeric tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.multiply([[1, 2], [3, 4]], [10, 100]).numpy().tolist()
        [[10, 200], [30, 400]]
    """
    return arithmetic.mul(x, y, name=name or "Mul")


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` as Python 3 does: integers are converted to floats.

    Integers of 8 or 16 bits become float32, larger ones float64.

    Args:
        x: A numeric tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A floating-point or complex tensor of the shape that both broadcast to.

    Example:

        >>> tf.divide([7, 8], 2)
        <tf.Tensor: shape=(2,), dtype=float64, numpy=array([3.5, 4. ])>
    """
    if name is None and isinstance(x, Tensor):
        return x / y  # the operator may promote dtypes
    return arithmetic.true_divide(x, y, name=name)


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` as Python 3 does: integers are converted to floats.

    Integers of 8 or 16 bits become float32, larger ones float64.

    Args:
        x: A numeric tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A floating-point or complex tensor of the shape that both broadcast to.

    Example:

        >>> tf.truediv(tf.constant([3], tf.int8), tf.constant([2], tf.int8))
        <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.5], dtype=float32)>
    """
    return arithmetic.true_divide(x, y, name=name)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded towards negative infinity, as `//` does in Python.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Raises:
        InvalidArgumentError: An integer is divided by zero.

    Example:

        >>> tf.math.floordiv([7, -7], 2).numpy().tolist()
        [3, -4]
    """
    return arithmetic.floor_div(x, y, name=name)


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the remainder of `floordiv`, which has the sign of `y`, as `%` does in Python.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Raises:
        InvalidArgumentError: An integer is divided by zero.

    Example:

        >>> tf.math.floormod([7, -7], 3).numpy().tolist()
        [1, 2]
    """
    return arithmetic.floor_mod(x, y, name=name or "FloorMod")


mod = floormod


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` rounded towards zero, as C does.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.truncatediv([7, -7], 2).numpy().tolist()
        [3, -3]
    """
    return division.truncate_div(x, y, name=name)


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the remainder of `truncatediv`, which has the sign of `x`.

    Args:
        x: An int32, int64 or floating-point tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.truncatemod([7, -7], 3).numpy().tolist()
        [1, -1]
    """
    return division.truncate_mod(x, y, name=name)


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y` of floats.

    Integers are an error; `tf.divide` converts them.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.realdiv([3.0], [2.0]).numpy().tolist()
        [1.5]
    """
    return arithmetic.real_div(x, y, name=name)


@scoped("div_no_nan", names_result=True)
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y`, and 0 where `y` is 0; integers are converted to floats.

    Args:
        x: A numeric tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A floating-point or complex tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.divide_no_nan([3.0, 3.0], [2.0, 0.0]).numpy().tolist()
        [1.5, 0.0]
    """
    x, y = arithmetic.as_quotient(x, y)
    return division.div_no_nan(x, y, name=name)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Compute `x * y`, and 0 where `y` is 0, even if `x` is infinite or NaN.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Raises:
        TypeError: The dtypes differ.

    Example:

        >>> tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy().tolist()
        [0.0, 6.0]
    """
    x = dispatch.operand(x)
    y = dispatch.operand(y, None, x.dtype)
    if x.dtype is not y.dtype:
        raise TypeError(
            f"Division needs x and y of the same dtype, received {x.dtype.name} and "
            f"{y.dtype.name}; tensors are never converted silently: use tf.cast on one of them."
        )
    return division.mul_no_nan(x, y, name=name or "multiply_no_nan")


@scoped("xdivy")
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x / y`, and 0 where `x` is 0, even if `y` is 0.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy().tolist()
        [0.0, 1.5]
    """
    return division.xdivy(x, y)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * log(y)`, and 0 where `x` is 0, even if `y` is 0.

    The form of entropies: `-tf.reduce_sum(tf.math.xlogy(p, p))`.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy().tolist()
        [0.0, 0.0]
    """
    return division.xlogy(x, y, name=name)


@scoped("xlog1py")
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x * log(1 + y)`, and 0 where `x` is 0, even if `y` is -1.

    Args:
        x: A floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy().tolist()
        [0.0, 0.0]
    """
    return division.xlog1py(x, y)


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `(x - y)**2` element-wise; `|x - y|**2` for complex numbers.

    Args:
        x: An int32, int64, floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.squared_difference([1, 2, 3], 2).numpy().tolist()
        [1, 0, 1]
    """
    return arithmetic.squared_difference(x, y, name=name)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute `x` to the power `y` element-wise; also written `x ** y`.

    Args:
        x: A signed integer, floating-point or complex tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Raises:
        InvalidArgumentError: An integer has a negative exponent.

    Example:

        >>> tf.pow([[2, 3]], [[3], [2]]).numpy().tolist()
        [[8, 27], [4, 9]]
    """
    return power.pow_(x, y, name=name or "Pow")


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the element-wise maximum; NaN if either is NaN.

    Of equal elements, `x` receives the gradient. `tf.reduce_max` reduces one tensor.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.maximum([1, 5, 3], 2).numpy().tolist()
        [2, 5, 3]
    """
    return extremes.maximum(x, y, name=name)


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Compute the element-wise minimum; NaN if either is NaN.

    Of equal elements, `x` receives the gradient. `tf.reduce_min` reduces one tensor.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.minimum([1, 5, 3], 2).numpy().tolist()
        [1, 2, 2]
    """
    return extremes.minimum(x, y, name=name)


# -- of several tensors ----------------------------------------------------------------------


@scoped("scalar_mul", names_result=True)
def scalar_mul(scalar: Any, x: TensorLike, name: str | None = None) -> Any:
    """Multiply a dense tensor or `IndexedSlices` by a scalar.

    Args:
        scalar: A number, converted to the dtype of `x`.
        x: A numeric tensor, or `tf.IndexedSlices`, which stay sparse.
        name: Name of the op in a graph.

    Returns:
        A value of the type, shape and dtype of `x`.

    Raises:
        ValueError: `scalar` has a rank above 0.

    Example:

        >>> tf.scalar_mul(3, tf.constant([1, 2])).numpy().tolist()
        [3, 6]
    """
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
    """Sum tensors of one shape and dtype.

    Unlike `+`, it does not broadcast.

    Args:
        inputs: A list of one tensor or more; `tf.IndexedSlices` are made dense.
        name: Name of the op in a graph.

    Returns:
        A tensor of their shape.

    Raises:
        ValueError: The list is empty.
        InvalidArgumentError: Shapes or dtypes differ.

    Example:

        >>> tf.add_n([[1, 2], [10, 20], [100, 200]]).numpy().tolist()
        [111, 222]
    """
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
    """Sum tensors of one shape and dtype, which may be declared.

    Args:
        inputs: A list of one tensor or more.
        shape: The shape that all must have; not checked by default.
        tensor_dtype: The dtype that all must have; that of the first by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of their shape.

    Raises:
        ValueError: The list is empty, or a shape is not `shape`.
        TypeError: A dtype differs.

    Example:

        >>> tf.math.accumulate_n([[1, 2], [10, 20]], shape=[2]).numpy().tolist()
        [11, 22]
    """
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


def _is_sequence(value: TensorLike) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


@scoped("polyval", names_result=True)
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """Evaluate a polynomial, coefficients from the highest power down, by Horner's rule.

    Args:
        coeffs: A list of coefficients, each a number or a tensor that broadcasts with `x`; an empty
            list is the zero polynomial.
        x: Where to evaluate.
        name: Name of the op in a graph.

    Returns:
        A tensor of the dtype of `x`.

    Raises:
        ValueError: `coeffs` is not a list.

    Example:

        >>> tf.math.polyval([2, 0, 1], [1, 2, 3]).numpy().tolist()
        [3, 9, 19]
    """
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
