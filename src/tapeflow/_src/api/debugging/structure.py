"""Assertions about the ranks, shapes and dtypes of tensors."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow._src.api.debugging.messages import check, name_of, prefixed, settled, showing
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import NUMERIC, QUANTIZED, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import rank as rank_of
from tapeflow._src.ops.array.shape import scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.shape import size as size_of
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math import comparison
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.reduction import any_

# -- dtypes -----------------------------------------------------------------------------------


def assert_type(
    tensor: TensorLike, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raise TypeError unless the tensor has dtype `tf_type`.

    Args:
        tensor: A tensor.
        tf_type: The expected dtype.
        message: Text that the error begins with.

    Returns:
        None.

    Example:
        >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    value = tensor if isinstance(tensor, (RaggedTensor, SparseTensor)) else convert(tensor)
    expected, received = as_dtype(tf_type), value.dtype
    if received is not expected:
        text = f"tensor must be of type tf.{expected.name}; got tf.{received.name}"
        raise TypeError(prefixed(message, text))


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless `x` has an integer dtype.

    Args:
        x: A tensor.
        message: Text that the error begins with.

    Returns:
        None.

    Example:
        >>> tf.debugging.assert_integer([1, 2])
    """
    dtype = convert(x).dtype
    if not dtype.is_integer:
        text = f'Expected "x" to be integer type.  Found: tensor of dtype {dtype}'
        raise TypeError(prefixed(message, text))


def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Return whether `tensor` is a tensor of a numeric dtype.

    Args:
        tensor: Any value.

    Returns:
        A bool.

    Example:
        >>> tf.debugging.is_numeric_tensor(tf.constant(1.0)), tf.debugging.is_numeric_tensor(1.0)
        (True, False)
    """
    return isinstance(tensor, Tensor) and tensor.dtype in NUMERIC | QUANTIZED


def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> Any:
    """Return the floating-point dtype that all tensors share.

    Args:
        tensors: A list of tensors; None among them is skipped.
        dtype: The expected dtype.

    Returns:
        A `tf.DType`; float32 if there is nothing to compare.

    Raises:
        ValueError: If they differ, from each other or from `dtype`, or are not floating-point.

    Example:
        >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0)])
        tf.float32
    """
    expected = None if dtype is None else as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        received = tensor.dtype
        if expected is not None and received is not expected:
            like = "" if first is None else f" as {first!s}"
            raise ValueError(
                f"{tensor!s}, type={received}, must be of the same type ({expected}){like}."
            )
        if expected is None:
            expected, first = received, tensor
    expected = dtypes.float32 if expected is None else expected
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected}.")
    return expected


def assert_proper_iterable(values: TensorLike) -> None:
    """Raise TypeError unless `values` is an iterable other than a tensor, array or string.

    Args:
        values: Any value.

    Returns:
        None.

    Example:
        >>> tf.debugging.assert_proper_iterable([tf.constant(1), tf.constant(2)])
    """
    single = (Tensor, SparseTensor, IndexedSlices, np.ndarray, bytes, str)
    if isinstance(values, single):
        raise TypeError(
            "`values` must be a list or another iterable of tensors, received a single "
            f"{type(values).__name__}"
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f"`values` must be iterable, received {type(values).__name__}")


# -- ranks ------------------------------------------------------------------------------------


def _with_shape(x: TensorLike) -> Any:
    """Convert `x` to a value with a shape: a sparse tensor or a tensor."""
    return x if isinstance(x, SparseTensor) else convert(x)


def _dims(x: Any) -> tuple[int | None, ...] | None:
    """Return the static shape."""
    if not isinstance(x, SparseTensor):
        return x.static_shape
    return None if x.shape.rank is None else tuple(x.shape.as_list())


def _shape(x: TensorLike) -> Any:
    """Return the shape as a tensor."""
    return cast(x.dense_shape, DstT=dtypes.int32) if isinstance(x, SparseTensor) else shape_of(x)


def _scalar_rank(rank: Any) -> Any:
    """Convert a rank to a tensor; assert at run time that it is a scalar, if unknown."""
    tensor = convert(rank)
    assert_type(tensor, dtypes.int32)
    if tensor.static_shape is None:
        is_scalar = comparison.equal(rank_of(tensor), scalar_int(0))
        data = ["Rank must be a scalar.", "Received rank: ", tensor]
        check(is_scalar, lambda: "Rank must be a scalar.", data, None)
    elif tensor.static_shape:
        raise ValueError("Rank must be a scalar.")
    return tensor


# In a graph that is no function's, tensors are compared as objects by `==`.
_OPS = {operator.eq: comparison.equal, operator.ge: comparison.greater_equal}


def _check_rank(x: Any, ranks: list[Any], wording: str, holds: Any, message: str | None) -> Any:
    """Check `holds(rank, expected)` for one of `ranks`, statically if possible, else
    in the graph.
    """
    x = _with_shape(x)
    expected = [_scalar_rank(rank) for rank in ranks]
    static_ranks, dims = [w.static_value for w in expected], _dims(x)
    if dims is not None and all(k is not None for k in static_ranks):
        values = [int(k) for k in static_ranks]
        if any(holds(len(dims), value) for value in values):
            return settled("static_checks_determined_all_ok")
        shown = str(values[0]) if wording != "in " else str(tuple(values))
        text = (
            f"Tensor {name_of(x)} must have rank {wording}{shown}.  Received rank {len(dims)}, "
            f"shape {x.shape}"
        )
        raise ValueError(prefixed(message, text))
    actual_rank = size_of(x.dense_shape) if isinstance(x, SparseTensor) else rank_of(x)
    hits = convert([_OPS[holds](actual_rank, value) for value in expected])
    text = f"Tensor {name_of(x)} must have rank {wording}".rstrip()
    first = f"{message}.  " if message else ""
    data = [first, text, *expected, "Received shape: ", _shape(x)]
    return check(any_(hits, static_ints((0,))), lambda: prefixed(message, text), data, None)


@scoped("assert_rank")
def assert_rank(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless `x` has `rank` axes.

    Args:
        x: A tensor.
        rank: The expected number of axes.
        message: Text that the error begins with.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_rank([[1, 2]], 2)
    """
    return _check_rank(x, [rank], "", operator.eq, message)


@scoped("assert_rank_at_least")
def assert_rank_at_least(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless `x` has `rank` axes or more.

    Args:
        x: A tensor.
        rank: The least number of axes.
        message: Text that the error begins with.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    return _check_rank(x, [rank], "at least ", operator.ge, message)


@scoped("assert_rank_in")
def assert_rank_in(
    x: TensorLike, ranks: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless the number of axes of `x` is one of `ranks`.

    Args:
        x: A tensor.
        ranks: The allowed numbers of axes.
        message: Text that the error begins with.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_rank_in([[1, 2]], (1, 2))
    """
    return _check_rank(x, list(ranks), "in ", operator.eq, message)


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless the tensor is a scalar.

    Args:
        tensor: A tensor.
        message: Text that the error begins with.

    Returns:
        None.

    Example:
        >>> tf.debugging.assert_scalar(3)
    """
    tensor = convert(tensor)
    if tensor.static_shape != ():
        name = name_of(tensor)
        text = f"Expected scalar shape{name and f' for {name}'}, saw shape: {tensor.shape}."
        raise ValueError(prefixed(message, text))


# -- shapes -----------------------------------------------------------------------------------


@scoped("assert_shapes")
def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise ValueError unless tensors have the shapes written beside them.

    Args:
        shapes: List of pairs, or a dict, of a tensor and a shape. A size is an int or a digit, None
            or "." for any, or a symbol that stands for one size wherever it is used; "*" or `...`
            as the first entry stands for any number of axes. A scalar counts as a vector of one,
            and None as a shape asserts nothing.
        data: Tensors to show if an assertion fails when the graph runs.
        summarize: How many of their elements are shown.
        message: Text that the error begins with.

    Returns:
        None.

    Example:
        >>> x, y = tf.zeros([4, 3]), tf.zeros([3])
        >>> tf.debugging.assert_shapes([(x, ("batch", "units")), (y, ("units",))])
    """
    with showing(data, summarize):
        _check_shapes(shapes, message)


def _check_shapes(shapes: Any, message: str | None) -> None:
    sizes_by_symbol: dict[Any, tuple[Any, str]] = {}
    for value, declared in shapes.items() if isinstance(shapes, Mapping) else shapes:
        if declared is None:
            continue
        tensor = _with_shape(value)
        symbols = _symbols(tensor, declared, message)
        for axis, symbol in _named_axes(tensor, symbols, message):
            size = _size(tensor, axis)
            expected, origin = sizes_by_symbol.setdefault(
                symbol, (symbol, "explicitly") if isinstance(symbol, int) else (size, "")
            )
            if not origin:
                sizes_by_symbol[symbol] = (size, f"by tensor {_describe(tensor)} dimension {axis}")
                continue
            _check_size(tensor, axis, size, expected, origin, message)


def _describe(tensor: Any) -> str:
    return name_of(tensor) or f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _symbols(tensor: TensorLike, expected: Any, message: str | None) -> list[Any]:
    if not (hasattr(expected, "__iter__") or hasattr(expected, "__getitem__")):
        text = (
            f"Tensor {_describe(tensor)}: the expected shape must be an iterable of sizes and "
            f"symbols, received {expected!r}"
        )
        raise ValueError(prefixed(message, text))
    symbols = [_explicit(symbol) for symbol in expected] or [1]
    for i, symbol in enumerate(symbols):
        if i and (symbol is Ellipsis or symbol == "*"):
            text = (
                f"Tensor {_describe(tensor)}: `...` or `*`, which stands for any number of "
                f"dimensions, must come first in the expected shape, but is entry {i}"
            )
            raise ValueError(prefixed(message, text))
    return symbols


def _explicit(symbol: Any) -> Any:
    """Return a size written as a digit or NumPy number as an int; anything else unchanged."""
    is_size = isinstance(symbol, int | np.integer) or (isinstance(symbol, str) and symbol.isdigit())
    return int(symbol) if is_size else symbol


def _named_axes(
    tensor: TensorLike, symbols: list[Any], message: str | None
) -> list[tuple[int, Any]]:
    """Check the rank and return the axes that have a symbol.

    Those after a variable number of axes are counted from the last.
    """
    open_ended = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == "*")
    if open_ended:
        symbols = symbols[1:]
        assert_rank_at_least(tensor, len(symbols), message)
    elif len(symbols) < 2:
        assert_rank_in(tensor, (0, 1), message)
    else:
        assert_rank(tensor, len(symbols), message)
    numbered = enumerate(symbols, -len(symbols) if open_ended else 0)
    return [(axis, symbol) for axis, symbol in numbered if symbol not in (None, ".")]


def _size(tensor: TensorLike, axis: int) -> Any:
    """Return the size of an axis, as an int if it is known statically."""
    dims = _dims(tensor)
    if dims == ():
        return 1
    if dims is None and axis >= 0:
        # A scalar counts as a vector of one.
        return get_item(concat_v2([_shape(tensor), static_ints((1,))], scalar_int(0)), axis)
    size = None if dims is None else dims[axis]
    return get_item(_shape(tensor), axis) if size is None else size


def _check_size(
    tensor: Any, axis: int, size: Any, expected: Any, origin: str, message: str | None
) -> None:
    text = prefixed(
        message,
        f"Specified {origin}.  Tensor {_describe(tensor)} dimension {axis} must have size "
        f"{expected}.  Received size {size}, shape {tensor.shape}",
    )
    if isinstance(size, int) and isinstance(expected, int):
        if size != expected:
            raise ValueError(text)
        return
    data = [
        f"{message}.  " if message else "",
        f"Specified {origin}",
        f"Tensor {name_of(tensor)} dimension",
        axis,
        "must have size",
        expected,
        "Received shape: ",
        _shape(tensor),
    ]
    check(comparison.equal(size, expected), lambda: text, data, None)
