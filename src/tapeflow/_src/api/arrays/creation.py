"""Create tensors from a shape or a few numbers."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector, must_be_integer, shape_tensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dispatch import convert, operand
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape, broadcast_shapes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.eager.dtensor import DTensor, in_layout
from tapeflow._src.eager.packed_tensor import EAGER_TYPES
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.array import filling, ranges
from tapeflow._src.ops.array.axes import laid_along
from tapeflow._src.ops.array.broadcasting import broadcast_args, broadcast_to
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import expand_dims, reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, less
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.reduction import max_

# Zeros and ones up to so many stand in graphs as constants.
_SMALL = 1000


def fill(dims: Any, value: TensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """Create a tensor of shape `dims` filled with `value`.

    The dtype is that of `value`. `tf.constant(value, shape=...)` needs a shape known in advance;
    `dims` may be a tensor that is computed.

    Args:
        dims: The shape: a list of ints or an integer tensor of rank 1.
        value: A scalar of any dtype.
        name: Name of the op in a graph.
        layout: The `tf.experimental.dtensor.Layout` of the result; by default none.

    Returns:
        A tensor of shape `dims` and of the dtype of `value`.

    Example:

        >>> tf.fill([2, 3], 9)
        <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
        array([[9, 9, 9],
               [9, 9, 9]], dtype=int32)>
        >>> tf.fill([2], "a").numpy().tolist()
        [b'a', b'a']
    """
    return filling.fill(int_vector(dims), value, name=name)


def _filled(shape: ShapeLike, value: int, dtype: DTypeLike, name: str | None) -> Any:
    dtype = as_dtype(dtype)
    scalar: Any = value
    if dtype is dtypes.string and value == 0:
        scalar = ""
    elif dtype is dtypes.bool:
        scalar = bool(value)
    sizes = shape_tensor(shape)
    if dispatch.state.mode is not dispatch.base_mode() and isinstance(sizes, EagerTensor):
        dims = sizes.static_value.tolist()
        if 0 <= math.prod(dims) < _SMALL and dtype is not dtypes.string:
            small = EagerTensor(np.broadcast_to(np.array(scalar, dtype.as_numpy_dtype), dims))
            return dispatch.embedded(small, name or "Const")
    return filling.fill(sizes, convert(scalar, dtype), name=name)


@scoped("zeros", names_result=True)
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None):
    """Create a tensor of zeros; of empty strings or False for those dtypes.

    Args:
        shape: The shape: ints, a `tf.TensorShape`, an integer tensor of rank 1, or a single size.
        dtype: The dtype of the result; float32 by default.
        name: Name of the op in a graph.
        layout: The `tf.experimental.dtensor.Layout` of the result; by default none.

    Returns:
        A tensor of the requested shape and dtype.

    Example:

        >>> tf.zeros([2, 3], tf.int32)
        <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
        array([[0, 0, 0],
               [0, 0, 0]], dtype=int32)>
        >>> tf.zeros(2, tf.bool).numpy().tolist()
        [False, False]
    """
    return in_layout(_filled(shape, 0, dtype, name), layout)


@scoped("ones", names_result=True)
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None):
    """Create a tensor of ones; of True for booleans.

    Args:
        shape: The shape: ints, a `tf.TensorShape`, an integer tensor of rank 1, or a single size.
        dtype: The dtype of the result, a numeric one or bool; float32 by default.
        name: Name of the op in a graph.
        layout: The `tf.experimental.dtensor.Layout` of the result; by default that of `input`.

    Returns:
        A tensor of the requested shape and dtype.

    Example:

        >>> tf.ones([2, 2])
        <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
        array([[1., 1.],
               [1., 1.]], dtype=float32)>
    """
    return in_layout(_filled(shape, 1, dtype, name), layout)


@scoped("zeros_like", names_result=True)
def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Create a tensor of zeros with the shape and, by default, the dtype of `input`.

    The value of a variable is not read: it may be uninitialized. Ragged tensors keep their
    structure; sparse ones are not accepted.

    Args:
        input: A tensor, or anything that converts to one.
        dtype: The dtype of the result; that of `input` by default.
        name: Name of the op in a graph.
        layout: The `tf.experimental.dtensor.Layout` of the result; by default that of `input`.

    Returns:
        A tensor of the shape of `input`.

    Example:

        >>> tf.zeros_like([[1, 2], [3, 4]])
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[0, 0],
               [0, 0]], dtype=int32)>
        >>> tf.zeros_like([1, 2], dtype=tf.float64).dtype
        tf.float64
    """
    if isinstance(input, Variable) and input.shape.is_fully_defined():
        # Its value is not read: a variable may have none yet.
        return _filled(input.shape, 0, dtype or input.dtype, name)
    tensor = operand(input)
    if layout is not None or type(tensor) is DTensor:
        filled = _filled(shape_of(tensor), 0, dtype or tensor.dtype, name)
        return in_layout(filled, layout or tensor._layout)
    if tensor is input and _has_static_shape(tensor):
        return _filled(tensor.shape, 0, dtype or tensor.dtype, name)
    if dtype is None or as_dtype(dtype) is tensor.dtype:
        return filling.zeros_like(tensor, name=name)
    if isinstance(tensor, Composite):
        return tensor._map_values(lambda values: zeros_like(values, dtype, name))
    return _filled(shape_of(tensor), 0, dtype, name)


def _has_static_shape(value: TensorLike) -> bool:
    """Whether `value` is a symbolic tensor of numbers or strings with a fully defined shape."""
    if not isinstance(value, Tensor) or type(value) in EAGER_TYPES:
        return False
    if value.dtype in (dtypes.variant, dtypes.resource):
        return False
    dims = value.static_shape
    return dims is not None and None not in dims


@scoped("ones_like", names_result=True)
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Create a tensor of ones with the shape and, by default, the dtype of `input`.

    Args:
        input: A tensor, or anything that converts to one.
        dtype: The dtype of the result, a numeric one or bool; that of `input` by default.
        name: Name of the op in a graph.
        layout: The `tf.experimental.dtensor.Layout` of the result; by default that of `input`.

    Returns:
        A tensor of the shape of `input`.

    Example:

        >>> tf.ones_like([[1, 2], [3, 4]])
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[1, 1],
               [1, 1]], dtype=int32)>
    """
    tensor = operand(input)
    if layout is not None or type(tensor) is DTensor:
        filled = _filled(shape_of(tensor), 1, dtype or tensor.dtype, name)
        return in_layout(filled, layout or tensor._layout)
    if tensor is input and _has_static_shape(tensor):
        return _filled(tensor.shape, 1, dtype or tensor.dtype, name)
    if dtype is None or as_dtype(dtype) is tensor.dtype:
        return filling.ones_like(tensor, name=name)
    if isinstance(tensor, Composite):
        return tensor._map_values(lambda values: ones_like(values, dtype, name))
    return _filled(shape_of(tensor), 1, dtype, name)


@scoped("eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create identity matrices: one, or `batch_shape` of them.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; `num_rows` by default. The matrix need not be square.
        batch_shape: Leading axes along which the matrix is repeated.
        dtype: The dtype of the result; float32 by default.
        name: Name of the op in a graph.

    Returns:
        Matrices `[num_rows, num_columns]` behind the axes of `batch_shape`.

    Example:

        >>> tf.eye(2, dtype=tf.int32)
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[1, 0],
               [0, 1]], dtype=int32)>
        >>> tf.eye(2, 3, dtype=tf.int32).numpy().tolist()
        [[1, 0, 0], [0, 1, 0]]
        >>> tf.eye(2, batch_shape=[5]).shape
        TensorShape([5, 2, 2])
    """
    dtype = as_dtype(dtype)
    rows = convert(num_rows, None, dtypes.int32)
    columns = rows if num_columns is None else convert(num_columns, None, dtypes.int32)
    on, off = (True, False) if dtype is dtypes.bool else (1, 0)
    on, off = convert(on, dtype), convert(off, dtype)
    square = columns is rows or (
        rows.static_value is not None and rows.static_value == columns.static_value
    )
    result = "diag" if square else "set_diag"
    every = ranges.range_(0, rows, 1)
    if batch_shape is None:
        return filling.one_hot(every, columns, on, off, name=result)
    matrix = filling.one_hot(every, columns, on, off)
    batch = cast(shape_tensor(batch_shape), DstT=dtypes.int32)
    shape = concat_v2([batch, shape_of(matrix)], scalar_int(0))
    return broadcast_to(matrix, shape, name=result)


# -- numbers in a row -------------------------------------------------------------------------

_RANGE_DTYPES = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)


@scoped("range", names_result=True)
def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Create a sequence of numbers from `start` to `limit`, which is excluded.

    `range(n)` starts at 0. Unlike Python's `range`, it takes floats and tensors.

    Args:
        start: The first number, or the limit if it is the only argument.
        limit: The upper bound, excluded.
        delta: The increment; negative ones count down.
        dtype: The dtype of the result; by default the widest of the arguments.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 1; empty if `limit` equals `start`.

    Raises:
        TypeError: The arguments are not int32, int64 or floating-point, and no `dtype` is passed.
        InvalidArgumentError: `delta` is 0, or `limit` does not lie in its direction.

    Example:

        >>> tf.range(5)
        <tf.Tensor: shape=(5,), dtype=int32, numpy=array([0, 1, 2, 3, 4], dtype=int32)>
        >>> tf.range(10, 0, -3).numpy().tolist()
        [10, 7, 4, 1]
        >>> tf.range(0., 1., 0.25).numpy().tolist()
        [0.0, 0.25, 0.5, 0.75]
    """
    if limit is None:
        start, limit = 0, start
    dtype = None if dtype is None else as_dtype(dtype)
    ends = [v if isinstance(v, Tensor) else convert(v, dtype) for v in (start, limit, delta)]
    if dtype is None:
        for end in ends:
            if end.dtype not in _RANGE_DTYPES:
                raise TypeError(f"tf.range does not take values of dtype {end.dtype.name}.")
        dtype = max((end.dtype for end in ends), key=_RANGE_DTYPES.index)
    ends = [end if end.dtype is dtype else cast(end, DstT=dtype) for end in ends]
    return ranges.range_(*ends, name=name)


@scoped("linspace")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Space `num` values evenly from `start` to `stop`, both included.

    Integer ends are converted to floats first. With `num=1` the result is `start`.

    Args:
        start: The first value; a tensor of any shape.
        stop: The last value, of the same dtype; its shape broadcasts with that of `start`.
        num: The number of values, an integer.
        name: Name of the op in a graph.
        axis: Where the new axis is inserted in the result.

    Returns:
        A floating-point tensor with one axis of size `num` more than the ends.

    Raises:
        TypeError: `num` is not an integer.

    Example:

        >>> tf.linspace(0., 1., 5).numpy().tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        >>> tf.linspace([0., 10.], [1., 20.], 3, axis=-1).numpy().tolist()
        [[0.0, 0.5, 1.0], [10.0, 15.0, 20.0]]
    """
    start = convert(start)
    stop = convert(stop, start.dtype)
    count = must_be_integer(convert(num), num, "num")
    if count.static_shape:
        count = reshape(count, static_ints(()))
    if start.dtype.is_integer:
        exact = dtypes.float32 if start.dtype.size < 4 else dtypes.float64
        start, stop = cast(start, DstT=exact), cast(stop, DstT=exact)
    start, stop = (expand_dims(end, axis) for end in _of_one_shape(start, stop))
    # With a single value, or none, there is no last one beside the first.
    last = maximum(sub(count, 1), 1)
    steps = ranges.range_(0, count, 1)
    steps = reshape(steps, laid_along(start, axis))
    step = real_div(sub(stop, start), cast(last, DstT=start.dtype))
    inner = add_v2(start, mul(step, cast(steps, DstT=start.dtype)))
    # Named as the last op of TensorFlow's, which joins the parts and cuts them.
    return select_v2(equal(steps, last), stop, inner, name="Slice")


def _of_one_shape(x: Any, y: Any) -> tuple[Any, Any]:
    """Broadcast both to their common shape; keep the static sizes known for either."""
    shape = broadcast_args(shape_of(x), shape_of(y))
    static = TensorShape(broadcast_shapes(x.static_shape, y.static_shape))
    x, y = broadcast_to(x, shape), broadcast_to(y, shape)
    for tensor in (x, y):
        if not tensor.shape.is_fully_defined():
            tensor.set_shape(static)
    return x, y


@scoped("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Return the coordinates of a grid spanned by 1-D tensors, one tensor per axis.

    Args:
        *args: The coordinates along each axis; other ranks are flattened.
        **kwargs: `indexing` and `name`. `indexing="xy"` (the default) puts the first tensor along
            the columns and the second along the rows, as plots do; `"ij"` puts tensor `i` along
            axis `i`.

    Returns:
        A list of tensors of one shape, one per argument.

    Raises:
        ValueError: `indexing` is neither "xy" nor "ij".
        TypeError: Another keyword is passed.

    Example:

        >>> x, y = tf.meshgrid([1, 2, 3], [10, 20])
        >>> x.numpy().tolist(), y.numpy().tolist()
        ([[1, 2, 3], [1, 2, 3]], [[10, 10, 10], [20, 20, 20]])
        >>> [grid.shape for grid in tf.meshgrid([1, 2, 3], [10, 20], indexing="ij")]
        [TensorShape([3, 2]), TensorShape([3, 2])]
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        key = next(iter(kwargs))
        raise TypeError(f"meshgrid has no keyword argument '{key}'; it accepts indexing and name.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', received {indexing!r}.")
    count = len(args)
    axes = list(builtins.range(count))
    if indexing == "xy" and count > 1:
        axes[:2] = [1, 0]
    if not args:
        return []
    flat = [reshape(arg, static_ints((-1,))) for arg in args]
    # Swapping the first two is its own inverse: the size along axis i is that of input axes[i].
    shape = concat_v2([shape_of(flat[at]) for at in axes], scalar_int(0))
    columns = [
        static_ints(tuple(-1 if i == at else 1 for i in builtins.range(count))) for at in axes
    ]
    pairs = zip(flat, columns, strict=True)
    # Named as in TensorFlow, which multiplies by ones instead.
    return [broadcast_to(reshape(x, c), shape, name="mul") for x, c in pairs]


# -- by index ---------------------------------------------------------------------------------


def one_hot(
    indices: TensorLike,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Encode indices as one-hot vectors along a new axis.

    Args:
        indices: Integers; those outside of `[0, depth)` have no `on_value`.
        depth: The size of the new axis.
        on_value: The value at the index; 1 by default.
        off_value: The value elsewhere; 0 by default.
        axis: The position of the new axis; the last by default.
        dtype: The dtype of the result, unless values are passed; float32 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor with an axis of size `depth` more than `indices`.

    Raises:
        TypeError: `on_value`, `off_value` and `dtype` disagree about the dtype.

    Example:

        >>> tf.one_hot([0, 2, -1], depth=3, dtype=tf.int32)
        <tf.Tensor: shape=(3, 3), dtype=int32, numpy=
        array([[1, 0, 0],
               [0, 0, 1],
               [0, 0, 0]], dtype=int32)>
        >>> tf.one_hot([1, 0], 2, on_value="yes", off_value="no").numpy().tolist()
        [[b'no', b'yes'], [b'yes', b'no']]
    """
    requested = None if dtype is None else as_dtype(dtype)
    on = None if on_value is None else convert(on_value, None, requested)
    off = None if off_value is None else convert(off_value, None, requested)
    for label, value in (("on_value", on), ("off_value", off)):
        if requested is not None and value is not None and value.dtype is not requested:
            raise TypeError(
                f"dtype {value.dtype} of {label} does not match dtype parameter {requested}"
            )
    typed = on if on is not None else off
    result = requested or (dtypes.float32 if typed is None else typed.dtype)
    on = convert(1, result) if on is None else on
    off = convert(0, result) if off is None else off
    if on.dtype is not off.dtype:
        raise TypeError(
            f"one_hot: on_value is {on.dtype.name} and off_value {off.dtype.name}; both must have "
            "one dtype: use tf.cast."
        )
    positions = operand(indices, None, dtypes.int32)
    at = -1 if axis is None else as_int(axis, "axis")
    return filling.one_hot(positions, convert(depth, dtypes.int32), on, off, axis=at, name=name)


@scoped("SequenceMask")
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Tensor:
    """Return a mask that is true for the first `lengths[i]` of `maxlen` positions.

    Args:
        lengths: Integers of any shape.
        maxlen: The size of the new last axis, a scalar; the largest length by default.
        dtype: The dtype of the mask; bool by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[*lengths.shape, maxlen]`.

    Raises:
        ValueError: `maxlen` is not a scalar.

    Example:

        >>> tf.sequence_mask([1, 3, 0], maxlen=4, dtype=tf.int32)
        <tf.Tensor: shape=(3, 4), dtype=int32, numpy=
        array([[1, 0, 0, 0],
               [1, 1, 1, 0],
               [0, 0, 0, 0]], dtype=int32)>
    """
    lengths = convert(lengths)
    if maxlen is None:
        # With no lengths at all, the largest is the smallest there is.
        longest = max_(reshape(lengths, static_ints((-1,))), static_ints((0,)))
        limit = maximum(longest, convert(0, lengths.dtype))
    else:
        limit = convert(maxlen)
        if limit.static_shape:
            raise ValueError(
                f"sequence_mask: maxlen must be a scalar, received shape {limit.shape}: {maxlen}."
            )
    one = convert(1, limit.dtype)
    row = ranges.range_(convert(0, limit.dtype), limit, one)
    mask = less(row, expand_dims(cast(lengths, DstT=limit.dtype), -1))
    return mask if as_dtype(dtype) is dtypes.bool else cast(mask, DstT=as_dtype(dtype))
