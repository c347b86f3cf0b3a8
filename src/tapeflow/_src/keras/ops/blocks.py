"""Images cut into blocks and put together again, and complex numbers from polar coordinates."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.layouts import channels_first, channels_last, tuple_of
from tapeflow._src.keras.ops.promotion import promoted_to_float, to_tensor

_nn = functools.partial(declare, family="nn")
_depth = functools.partial(
    declare, family="nn", standardize={"data_format": standardize_data_format}
)


@_nn("Polar", call=("abs_", "angle"))
def polar(abs_: Any, angle: Any) -> Any:
    """Returns the complex numbers with an absolute value and an angle."""
    abs_, angle = promoted_to_float(abs_, angle)
    return tf.complex(abs_ * tf.cos(angle), abs_ * tf.sin(angle))


def _positions(size: int, kernel: int, dilation: int, padding: int, stride: int) -> int:
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


@_nn("Unfold")
def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Extracts the windows of images (batch, channels, height, width).

    Returns:
        (batch, channels * window, number of windows).
    """
    x = to_tensor(x)
    rows, columns = tuple_of("kernel_size", kernel_size, 2)
    dilation, padding, stride = (
        tuple_of(name, value, 2)
        for name, value in (("dilation", dilation), ("padding", padding), ("stride", stride))
    )
    channels = x.shape[1]
    x = tf.pad(x, [[0, 0], [0, 0], [padding[0]] * 2, [padding[1]] * 2])
    windows = tf.image.extract_patches(
        channels_last(x), [1, rows, columns, 1], [1, *stride, 1], [1, *dilation, 1], "VALID"
    )
    down, across = windows.shape[1:3]
    windows = tf.reshape(windows, [-1, down * across, rows * columns, channels])
    windows = tf.transpose(windows, [0, 3, 2, 1])
    return tf.ensure_shape(
        tf.reshape(windows, [-1, channels * rows * columns, down * across]),
        [x.shape[0], channels * rows * columns, down * across],
    )


@_nn("Fold")
def fold(
    x: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Sums the windows of `unfold` into images of `output_size`."""
    x = to_tensor(x)
    rows, columns = tuple_of("kernel_size", kernel_size, 2)
    size, dilation, padding, stride = (
        tuple_of(name, value, 2)
        for name, value in (
            ("output_size", output_size),
            ("dilation", dilation),
            ("padding", padding),
            ("stride", stride),
        )
    )
    if x.shape[1] % (rows * columns):
        raise ValueError(
            f"The second axis must hold {rows}x{columns} windows of each channel. Received shape "
            f"{x.shape}"
        )
    channels = x.shape[1] // (rows * columns)
    shape = zip(size, (rows, columns), dilation, padding, stride)
    down, across = (_positions(*each) for each in shape)
    windows = tf.reshape(x, [-1, channels, rows, columns, down, across])
    height, width = (s + 2 * p for s, p in zip(size, padding))
    batch = tf.shape(x)[0]
    # Pixels first: each window adds to the rows of a matrix (pixels, batch * channels).
    image = tf.zeros([height * width, batch * channels], x.dtype)
    for row in range(rows):
        for column in range(columns):
            vertical = tf.range(down) * stride[0] + row * dilation[0]
            horizontal = tf.range(across) * stride[1] + column * dilation[1]
            pixels = tf.reshape(vertical[:, None] * width + horizontal, [-1, 1])
            part = tf.reshape(windows[:, :, row, column], [batch * channels, down * across])
            image = tf.tensor_scatter_nd_add(image, pixels, tf.transpose(part))
    image = tf.reshape(tf.transpose(image), [-1, channels, height, width])
    inside = image[:, :, padding[0] : height - padding[0], padding[1] : width - padding[1]]
    return tf.ensure_shape(inside, [x.shape[0], channels, *size])


def _require_blocks(block_size: Any) -> None:
    if not isinstance(block_size, int) or block_size < 2:
        raise ValueError(f"`block_size` must be an integer above 1. Received: {block_size!r}")


def _blocks(function: Any, x: Any, block_size: int, data_format: str) -> Any:
    x = to_tensor(x)
    if x.shape.rank != 4:
        raise ValueError(f"Expected images, with 4 axes. Received shape {x.shape}")
    if standardize_data_format(data_format) == "channels_last":
        return function(x, block_size)
    return channels_first(function(channels_last(x), block_size))


@_depth()
def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Moves channels into blocks of `block_size` by `block_size` pixels."""
    _require_blocks(block_size)
    x = to_tensor(x)
    channels = x.shape[-1 if data_format == "channels_last" else 1] if x.shape.rank == 4 else 0
    if channels is not None and channels % block_size**2:
        raise ValueError(
            f"The {channels} channels cannot be divided into blocks of {block_size} by "
            f"{block_size}. Received shape {x.shape}"
        )
    return _blocks(tf.nn.depth_to_space, x, block_size, data_format)


@_depth()
def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Moves blocks of `block_size` by `block_size` pixels into channels."""
    _require_blocks(block_size)
    x = to_tensor(x)
    sizes = x.shape.as_list()
    spatial = sizes[1:3] if data_format == "channels_last" else sizes[2:4]
    if len(sizes) == 4 and any(size is not None and size % block_size for size in spatial):
        raise ValueError(
            f"Images cannot be divided into blocks of {block_size} by {block_size}. Received "
            f"shape {x.shape}"
        )
    return _blocks(tf.nn.space_to_depth, x, block_size, data_format)
