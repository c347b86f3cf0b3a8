"""`tf.nn`: convolutions in one to three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.nn.arguments import number, numbers
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    reshape,
    scalar_int,
    shape_of,
    squeeze,
    static_ints,
)
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.nn import conv

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def sequence(
    value: Any, rank: int, channels_first: bool, name: str, kind: type = int
) -> tuple[Any, ...]:
    """Expand a stride or dilation, for one, each spatial, or every axis, to all axes."""
    if type(value) is int and kind is int:  # not to be converted, nor checked
        return (1, 1, *[value] * rank) if channels_first else (1, *[value] * rank, 1)
    items = [1] if value is None else value if isinstance(value, (list, tuple)) else _items(value)
    if len(items) not in (1, rank, rank + 2):
        raise ValueError(
            f"`{name}` must have 1, {rank} or {rank + 2} entries, received {len(items)}: {value}"
        )
    listed = numbers(list(items), f"convolutions and pools in {rank} dimensions", name, kind)
    if len(listed) == rank + 2:
        return tuple(listed)
    spatial = listed * rank if len(listed) == 1 else listed
    one = kind(1)
    return (one, one, *spatial) if channels_first else (one, *spatial, one)


def _items(value: Any) -> list[Any]:
    """Return the elements of a 1-D array or tensor; anything else unchanged."""
    dims = value.static_shape if isinstance(value, Tensor) else np.shape(value)
    return [value] if dims == () else list(value)


def full_list(value: TensorLike, function: str, name: str) -> tuple[int, ...]:
    """Return a stride or dilation that must be specified for every axis."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"{function}: `{name}` must be a list with an entry per axis, received {value!r}."
        )
    return tuple(numbers(value, function, name))


def paddings(padding: Any, rank: int) -> dict[str, Any]:
    """Return the padding attributes for a name or explicit pairs."""
    if isinstance(padding, str):
        return {"padding": padding}
    if not isinstance(padding, (list, tuple)):
        raise TypeError(f"Expected string or list for argument 'padding', not {padding!r}.")
    if len(padding) != rank + 2:
        raise ValueError(
            f"A list as `padding` must have {rank + 2} pairs, one per axis, received "
            f"{len(padding)}: {padding}"
        )
    if any(not isinstance(pair, (list, tuple)) or len(pair) != 2 for pair in padding):
        raise ValueError(
            f"A list as `padding` must consist of pairs [before, after], received {padding}"
        )
    flat = numbers([p for pair in padding for p in pair], "explicit padding", "padding")
    return {"padding": "EXPLICIT", "explicit_paddings": tuple(flat)}


def name_only(padding: Any, function: str) -> dict[str, Any]:
    """Return the padding attribute of 3-D ops, which accept no explicit pairs."""
    if not isinstance(padding, str):
        raise TypeError(
            f"Expected string for argument 'padding' of '{function}' not {padding!r}: pad the "
            f"input instead."
        )
    return {"padding": padding}


def is_first(data_format: str | None) -> bool:
    """Whether the data format is channels-first."""
    return data_format is not None and data_format.startswith("NC")


def _over_batches(run: Any, input: Any, inner_rank: int, name: str | None) -> Any:
    """Apply `run` to an input that may have several batch axes."""
    extra = 0 if input.static_shape is None else len(input.static_shape) - inner_rank
    return run(input, name=name) if extra <= 0 else _squeezed(run, input, extra, name=name)


@scoped("squeeze_batch_dims")
def _squeezed(run: Any, input: TensorLike, extra: int, name: str | None = None) -> Any:
    """Apply `run` to an input whose batch axes are flattened, and restore them."""
    axis = scalar_int(0)
    sizes = shape_of(input)
    batches, inner = sizes[: extra + 1], sizes[extra + 1 :]
    count = prod(batches, static_ints((0,)), keep_dims=True)
    result = run(reshape(input, concat_v2([count, inner], axis)), name=None)
    return reshape(result, concat_v2([batches, shape_of(result)[1:]], axis))


def conv2d(
    input: TensorLike,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 2-D convolution.

    As everywhere in deep learning, this is a cross-correlation: filters are not flipped.

    Args:
        input: `[batch, height, width, in_channels]`, for data format "NHWC". There may be more than
            one batch axis.
        filters: `[height, width, in_channels, out_channels]`. With fewer input channels than
            `input` has, channels are convolved in groups.
        strides: One number, one for height and width, or one for each axis.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor with spatial sizes `ceil(size / stride)` for "SAME", and for "VALID" those that
        whole windows fit into.

    Raises:
        InvalidArgumentError: Channels do not match, or `padding` is unknown.

    Example:

        >>> x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
        >>> mean = tf.fill((2, 2, 1, 1), 0.25)
        >>> tf.nn.conv2d(x, mean, strides=2, padding="VALID")[0, ..., 0].numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
        >>> tf.nn.conv2d(x, mean, strides=1, padding="SAME").shape
        TensorShape([1, 4, 4, 1])
    """
    first = is_first(data_format)
    input, filters = conv.conv2d.convert_inputs((input, filters))
    attrs = {
        "strides": sequence(strides, 2, first, "strides"),
        "dilations": sequence(dilations, 2, first, "dilations"),
        "data_format": data_format or "NHWC",
        **paddings(padding, 2),
    }
    return _over_batches(
        lambda x, name: conv.conv2d(x, filters, name=name, **attrs), input, 4, name
    )


@scoped("conv1d", names_result=True)
def conv1d(
    input: TensorLike,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 1-D convolution.

    Args:
        input: `[batch, width, in_channels]`, for data format "NWC".
        filters: `[width, in_channels, out_channels]`.
        stride: The stride.
        padding: "SAME", "VALID", or pairs of paddings for each axis. For causal sequences, pad the
            front with `tf.pad` and use "VALID".
        data_format: "NWC" or "NCW".
        dilations: The dilation; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch, new_width, out_channels]`.

    Raises:
        ValueError: `data_format` is unknown.

    Example:

        >>> x = tf.reshape(tf.range(5.0), (1, 5, 1))
        >>> tf.nn.conv1d(x, tf.ones((2, 1, 1)), stride=1, padding="VALID")[0, :, 0].numpy().tolist()
        [1.0, 3.0, 5.0, 7.0]
    """
    if data_format not in (None, *FORMATS[1], *FORMATS[2]):
        raise ValueError(f"data_format of conv1d must be 'NWC' or 'NCW', received {data_format!r}")
    first = is_first(data_format)
    input, filters = conv.conv2d.convert_inputs((input, filters))
    image = expand_dims(input, scalar_int(-2 if first else -3))
    result = conv2d(
        image,
        expand_dims(filters, scalar_int(0)),
        with_height(sequence(stride, 1, first, "stride"), first),
        explicit_with_height(padding, first),
        "NCHW" if first else "NHWC",
        with_height(sequence(dilations, 1, first, "dilations"), first),
        name,
    )
    return squeeze(result, axis=[-2 if first else -3])


def with_height(values: Sequence[Any], first: bool, height: Any = 1) -> tuple[Any, ...]:
    """Insert a height of 1 into values per axis."""
    batch, *rest = values
    return (batch, rest[0], height, rest[1]) if first else (batch, height, *rest)


def explicit_with_height(padding: Any, first: bool) -> Any:
    """Insert a height of 1 into explicit padding; names are unchanged."""
    if not isinstance(padding, (list, tuple)) or len(padding) != 3:
        return padding
    return with_height(padding, first, [0, 0])


def conv3d(
    input: TensorLike,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 3-D convolution.

    Args:
        input: `[batch, depth, height, width, in_channels]`, for data format "NDHWC".
        filters: `[depth, height, width, in_channels, out_channels]`.
        strides: A list with the stride of each of the five axes; 1 for batch and channels.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: A list with the dilation of each of the five axes; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 5.

    Raises:
        TypeError: `strides` or `dilations` is not a list, or `padding` not a string.

    Example:

        >>> x = tf.ones((1, 3, 3, 3, 1))
        >>> tf.nn.conv3d(x, tf.ones((2, 2, 2, 1, 4)), [1, 1, 1, 1, 1], "VALID").shape
        TensorShape([1, 2, 2, 2, 4])
    """
    input, filters = conv.conv3d.convert_inputs((input, filters))
    attrs = {
        "strides": full_list(strides, "conv3d", "strides"),
        "dilations": full_list(dilations or (1,) * 5, "conv3d", "dilations"),
        "data_format": data_format or "NDHWC",
        **name_only(padding, "conv3d"),
    }
    return _over_batches(
        lambda x, name: conv.conv3d(x, filters, name=name, **attrs), input, 5, name
    )


@scoped("convolution", names_result=True)
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a convolution with as many spatial axes as the filters have.

    Args:
        input: `[batch, *spatial, in_channels]`, for channels last; 1 to 3 spatial axes.
        filters: `[*spatial, in_channels, out_channels]`.
        strides: One number, one for each spatial axis, or one for each axis; 1 by default.
        padding: "SAME", "VALID", or (in one and two dimensions) pairs of paddings for each axis.
        data_format: The layout, such as "NWC" or "NCHW"; channels last by default.
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the rank of `input`.

    Raises:
        ValueError: Strides and dilations both exceed 1, or the rank is unknown or not supported.

    Example:

        >>> x = tf.reshape(tf.range(5.0), (1, 5, 1))
        >>> tf.nn.convolution(x, tf.ones((2, 1, 1)), dilations=2)[0, :, 0].numpy().tolist()
        [2.0, 4.0, 6.0]
    """
    input = dispatch.convert(input, None, getattr(filters, "dtype", None))
    filters = dispatch.convert(filters, None, input.dtype)
    axes = filters.shape.rank or input.shape.rank
    if axes is None:
        raise ValueError(
            "The number of spatial axes is not known: `input` or `filters` must have a known "
            f"rank, received shapes {input.shape} and {filters.shape}"
        )
    rank = axes - 2
    if rank not in FORMATS:
        raise ValueError(
            f"`filters` must have 3, 4 or 5 dimensions. Received: filters.shape={filters.shape}"
        )
    first = is_first(data_format)
    layout = data_format or FORMATS[rank][0]
    function: Any = {1: conv1d, 2: conv2d, 3: conv3d}[rank]
    steps = sequence(strides, rank, first, "strides")
    rates = sequence(dilations, rank, first, "dilations")
    if max(steps) > 1 and max(rates) > 1:
        raise ValueError(
            f"tf.nn.convolution: strides and dilations cannot both exceed 1, received strides "
            f"{steps} and dilation_rate {rates}. tf.nn.conv{rank}d takes both."
        )
    return function(input, filters, steps, padding, layout, rates, name)


def atrous_conv2d(
    value: TensorLike, filters: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """Compute a dilated (atrous) 2-D convolution.

    Args:
        value: `[batch, height, width, in_channels]`.
        filters: `[height, width, in_channels, out_channels]`.
        rate: The dilation of both axes, 1 or more.
        padding: "SAME" or "VALID".
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: `rate` is below 1.

    Example:

        >>> x = tf.ones((1, 5, 5, 1))
        >>> tf.nn.atrous_conv2d(x, tf.ones((2, 2, 1, 3)), rate=2, padding="VALID").shape
        TensorShape([1, 3, 3, 3])
    """
    require_rate(rate, "atrous_conv2d")
    return conv2d(value, filters, 1, padding, dilations=rate, name=name or "convolution")


def require_rate(rate: Any, function: str) -> None:
    """Raise ValueError unless a dilation rate is positive."""
    if number(rate, function, "rate") < 1:
        raise ValueError(f"{function}: `rate` must be at least one. Received: rate={rate}")
