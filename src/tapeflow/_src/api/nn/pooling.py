"""`tf.nn`: pooling in one to three dimensions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.arguments import as_float32, numbers
from tapeflow._src.api.nn.convolution import (
    FORMATS,
    explicit_with_height,
    is_first,
    name_only,
    paddings,
    sequence,
    with_height,
)
from tapeflow._src.api.nn.space_to_batch import with_space_to_batch
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import expand_dims, scalar_int, squeeze
from tapeflow._src.ops.nn import argmax_pooling, pooling


def _rank(input: Any, data_format: str | None) -> int:
    """Return the number of spatial axes of `input`."""
    rank = len(data_format) - 2 if data_format else len(input.shape) - 2
    if rank not in FORMATS:
        raise ValueError(
            "Pooling expects inputs of rank 3, 4 or 5 (batch, 1 to 3 spatial axes, channels), "
            f"received shape {input.shape}."
        )
    return rank


def max_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute max pooling with as many spatial axes as `input` has.

    Args:
        input: `[batch, *spatial, channels]`, for channels last; 1 to 3 spatial axes.
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: The layout, such as "NHWC" or "NCW"; channels last by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID")[0, ..., 0].numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]
    """
    input = dispatch.convert(input)
    rank = _rank(input, data_format)
    function: Any = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}[rank]
    return function(input, ksize, strides, padding, data_format or FORMATS[rank][0], name)


def avg_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute average pooling with as many spatial axes as `input` has.

    With padding "SAME", the padding does not count in the average.

    Args:
        input: `[batch, *spatial, channels]`, for channels last; 1 to 3 spatial axes.
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: The layout, such as "NHWC" or "NCW"; channels last by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Raises:
        TypeError: `padding` is not a string.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> tf.nn.avg_pool(x, ksize=2, strides=2, padding="VALID")[0, ..., 0].numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
    """
    input = dispatch.convert(input)
    rank = _rank(input, data_format)
    function: Any = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}[rank]
    if rank == 2:
        name = name or "AvgPool"
    return function(input, ksize, strides, padding, data_format or FORMATS[rank][0], name)


def _pool(
    op: Any,
    rank: int,
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    name: str | None,
) -> Any:
    first = is_first(data_format)
    return op(
        as_float32(input) if op is pooling.max_pool else input,
        ksize=sequence(ksize, rank, first, "ksize"),
        strides=sequence(strides, rank, first, "strides"),
        data_format=data_format or FORMATS[rank][0],
        name=name,
        **(paddings(padding, rank) if op is pooling.max_pool else name_only(padding, op.name)),
    )


def max_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Compute 2-D max pooling.

    Args:
        input: `[batch, height, width, channels]`, for data format "NHWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")[0, ..., 0].numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]
    """
    return _pool(
        pooling.max_pool, 2, input, ksize, strides, padding, data_format, name or "MaxPool2d"
    )


def avg_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Compute 2-D average pooling.

    With padding "SAME", the padding does not count in the average.

    Args:
        input: `[batch, height, width, channels]`, for data format "NHWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Raises:
        TypeError: `padding` is not a string.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> tf.nn.avg_pool2d(x, ksize=2, strides=2, padding="VALID")[0, ..., 0].numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
    """
    return _pool(
        pooling.avg_pool, 2, input, ksize, strides, padding, data_format, name or "AvgPool2D"
    )


def max_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Compute 3-D max pooling.

    Args:
        input: `[batch, depth, height, width, channels]`, for data format "NDHWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Raises:
        TypeError: `padding` is not a string.

    Example:

        >>> tf.nn.max_pool3d(tf.ones((1, 4, 4, 4, 2)), 2, 2, "VALID").shape
        TensorShape([1, 2, 2, 2, 2])
    """
    return _pool(pooling.max_pool3d, 3, input, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Compute 3-D average pooling.

    With padding "SAME", the padding does not count in the average.

    Args:
        input: `[batch, depth, height, width, channels]`, for data format "NDHWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Raises:
        TypeError: `padding` is not a string.

    Example:

        >>> tf.nn.avg_pool3d(tf.ones((1, 4, 4, 4, 2)), 2, 2, "VALID").shape
        TensorShape([1, 2, 2, 2, 2])
    """
    return _pool(pooling.avg_pool3d, 3, input, ksize, strides, padding, data_format, name)


def _pool1d(
    function: Any,
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    name: str | None,
) -> Any:
    """Pool a sequence as an image of height 1."""
    first = is_first(data_format)
    axis = 2 if first else 1
    result = function(
        expand_dims(dispatch.convert(input), scalar_int(axis)),
        with_height(sequence(ksize, 1, first, "ksize"), first),
        with_height(sequence(strides, 1, first, "strides"), first),
        explicit_with_height(padding, first),
        "NCHW" if first else "NHWC",
        name,
    )
    return squeeze(result, axis=[axis])


@scoped("MaxPool1d", names_result=True)
def max_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Compute 1-D max pooling.

    Args:
        input: `[batch, width, channels]`, for data format "NWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NWC" or "NCW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Example:

        >>> x = tf.reshape(tf.range(6.0), (1, 6, 1))
        >>> tf.nn.max_pool1d(x, ksize=2, strides=2, padding="VALID")[0, :, 0].numpy().tolist()
        [1.0, 3.0, 5.0]
    """
    return _pool1d(max_pool2d, input, ksize, strides, padding, data_format, name)


@scoped("AvgPool1D", names_result=True)
def avg_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Compute 1-D average pooling.

    With padding "SAME", the padding does not count in the average.

    Args:
        input: `[batch, width, channels]`, for data format "NWC".
        ksize: The window: one number, one for each spatial axis, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW".
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`: spatial sizes shrink by the strides.

    Raises:
        TypeError: `padding` is not a string.

    Example:

        >>> x = tf.reshape(tf.range(6.0), (1, 6, 1))
        >>> tf.nn.avg_pool1d(x, ksize=2, strides=2, padding="VALID")[0, :, 0].numpy().tolist()
        [0.5, 2.5, 4.5]
    """
    return _pool1d(avg_pool2d, input, ksize, strides, padding, data_format, name)


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute pooling of type "MAX" or "AVG" in one to three dimensions, possibly dilated.

    Args:
        input: `[batch, *spatial, channels]`, for channels last.
        window_shape: A list: the window size of each spatial axis.
        pooling_type: "MAX" or "AVG".
        strides: One number or one per spatial axis; 1 by default.
        padding: "SAME" or "VALID".
        data_format: The layout; channels last by default.
        dilations: The dilation; 1 by default. Not together with strides or "SAME" (ValueError).
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`.

    Example:
        >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
        >>> tf.nn.pool(x, window_shape=[2], pooling_type="MAX", strides=[2])[0, :, 0].numpy()
        array([1., 3., 5.], dtype=float32)
    """
    input = dispatch.convert(input)
    if not isinstance(window_shape, (list, tuple)):
        raise TypeError(f"pool: expected list for argument 'window_shape' not {window_shape!r}.")
    window = numbers(window_shape, "pool", "window_shape")
    rank = len(window)
    functions: dict[str, Any] = {"MAX": max_pool, "AVG": avg_pool}
    if rank not in FORMATS or not isinstance(pooling_type, str) or pooling_type not in functions:
        raise ValueError(f"{rank}-D {pooling_type} pooling is not supported.")
    if input.shape.rank not in (None, rank + 2):
        raise ValueError(
            f"pool: `input` must have rank {rank + 2} for windows of {rank} sizes. Received: "
            f"input.shape={input.shape}"
        )
    function = functions[pooling_type]
    rates, steps = _per_axis(dilations, rank, "dilations"), _per_axis(strides, rank, "strides")
    if any(rate != 1 for rate in rates):
        if any(step != 1 for step in steps):
            raise ValueError(
                f"strides and dilations cannot both exceed 1: received strides {steps} and "
                f"dilation_rate {rates}"
            )
        if padding == "SAME":
            raise ValueError(
                f"padding='SAME' is not available with a dilation_rate above 1, received {rates}: "
                "use 'VALID', after tf.pad."
            )

    def run(x: TensorLike, name: str | None, pads: Any) -> Any:
        return function(x, window, steps, pads, data_format or FORMATS[rank][0], name)

    return _run_dilated(
        run, input, rates, padding, data_format, name or f"{pooling_type.lower()}_pool"
    )


@scoped("pool", names_result=True)
def _run_dilated(
    run: Any, input: TensorLike, rates: Any, padding: Any, data_format: str | None, name: str | None
) -> Any:
    """Apply `run(input, name, padding)` with dilation `rates`."""
    return with_space_to_batch(
        input, rates, padding, lambda x, _, pads: run(x, name, pads), data_format=data_format
    )


def _per_axis(value: TensorLike, rank: int, name: str) -> list[int]:
    """Return a number for each spatial axis."""
    listed = numbers(1 if value is None else value, "pool", name)
    return listed * rank if len(listed) == 1 else listed


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Compute 2-D max pooling; also return the flat index of each maximum.

    Args:
        input: `[batch, height, width, channels]`.
        ksize: The window: one number, one for height and width, or one for each axis.
        strides: The stride, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        output_dtype: The dtype of the indices: int64 (the default) or int32.
        include_batch_in_index: Whether indices count through the whole batch; else through one
            image: `(row * width + column) * channels + channel`.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(output, argmax)`.

    Raises:
        ValueError: `data_format` is another.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> output, argmax = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")
        >>> argmax[0, ..., 0].numpy().tolist()
        [[5, 7], [13, 15]]
    """
    if data_format != "NHWC":
        raise ValueError(
            f"data_format must be 'NHWC' here, received {data_format!r}: transpose the images "
            "first."
        )
    op = argmax_pooling.max_pool_with_argmax
    result = op(
        input,
        ksize=sequence(ksize, 2, False, "ksize"),
        strides=sequence(strides, 2, False, "strides"),
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
        name=name,
        **name_only(padding, op.name),
    )
    return op.result_type(*result)
