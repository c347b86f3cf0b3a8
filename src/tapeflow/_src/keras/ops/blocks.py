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
    """Returns the complex numbers with an absolute value and an angle.

    Args:
        abs_: The absolute values.
        angle: The angles in radians, of a shape that broadcasts with that of `abs_`.

    Returns:
        A complex tensor: `abs_ * exp(1j * angle)`.

    Example:
        >>> tf.keras.ops.polar([2.0, 1.0], [0.0, np.pi]).numpy().real
        array([ 2., -1.], dtype=float32)
    """
    abs_, angle = promoted_to_float(abs_, angle)
    return tf.complex(abs_ * tf.cos(angle), abs_ * tf.sin(angle))


def _positions(size: int, kernel: int, dilation: int, padding: int, stride: int) -> int:
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


@_nn("Unfold")
def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Extracts the windows of images (batch, channels, height, width).

    Args:
        x: Tensor of shape (batch, channels, height, width), whatever `image_data_format()`.
        kernel_size: Height and width of windows: one integer, or two.
        dilation: Distance of neighbours in a window: one integer, or two.
        padding: Zeros at both ends of height and width: one integer, or two.
        stride: Distance of windows: one integer, or two.

    Returns:
        A tensor of shape (batch, channels * window, number of windows).

    Example:
        >>> tf.keras.ops.unfold(tf.ones((1, 3, 4, 4)), kernel_size=2, stride=2).shape
        TensorShape([1, 12, 4])
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


def _pixel_sums(windows: Any, size: Any, dilation: Any, stride: Any) -> Any:
    """Sum windows (batch, channels, *window, down, across) to (pixels, batch * channels)."""
    batch, (channels, rows, columns, down, across) = tf.shape(windows)[0], windows.shape[1:]
    height, width = size
    # Pixels first: each window adds to the rows of a matrix.
    image = tf.zeros([height * width, batch * channels], windows.dtype)
    for row in range(rows):
        for column in range(columns):
            vertical = tf.range(down) * stride[0] + row * dilation[0]
            horizontal = tf.range(across) * stride[1] + column * dilation[1]
            pixels = tf.reshape(vertical[:, None] * width + horizontal, [-1, 1])
            part = tf.reshape(windows[:, :, row, column], [batch * channels, down * across])
            image = tf.tensor_scatter_nd_add(image, pixels, tf.transpose(part))
    return image


@_nn("Fold")
def fold(
    x: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Sums the windows of `unfold` into images of `output_size`.

    It inverts `unfold` if windows do not overlap.

    Args:
        x: Tensor of shape (batch, channels * window, number of windows).
        output_size: Height and width of the images: one integer, or two.
        kernel_size: Height and width of windows: one integer, or two.
        dilation: Distance of neighbours in a window: one integer, or two.
        padding: Pixels at both ends that are removed: one integer, or two.
        stride: Distance of windows: one integer, or two.

    Returns:
        A tensor of shape (batch, channels, height, width).

    Raises:
        ValueError: The second axis of `x` is not a multiple of the size of windows.

    Example:
        >>> x = tf.random.normal((1, 3, 4, 4))
        >>> windows = tf.keras.ops.unfold(x, kernel_size=2, stride=2)
        >>> tf.keras.ops.fold(windows, output_size=4, kernel_size=2, stride=2).shape
        TensorShape([1, 3, 4, 4])
    """
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
    image = _pixel_sums(windows, (height, width), dilation, stride)
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
    """Moves channels into blocks of `block_size` by `block_size` pixels.

    Args:
        x: Tensor of 4 axes.
        block_size: Side of a block, at least 2.
        data_format: "channels_last" or "channels_first".

    Returns:
        Images `block_size` times as high and wide, with channels divided by its square.

    Raises:
        ValueError: `block_size` is below 2, channels are not a multiple of its square, or `x` does
            not have 4 axes.

    Example:
        >>> x = tf.reshape(tf.range(4), (1, 1, 1, 4))
        >>> tf.keras.ops.depth_to_space(x, 2)[0, :, :, 0].numpy()
        array([[0, 1],
               [2, 3]], dtype=int32)
    """
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
    """Moves blocks of `block_size` by `block_size` pixels into channels.

    It inverts `depth_to_space`.

    Args:
        x: Tensor of 4 axes.
        block_size: Side of a block, at least 2.
        data_format: "channels_last" or "channels_first".

    Returns:
        Smaller images, with channels multiplied by the square of `block_size`.

    Raises:
        ValueError: `block_size` is below 2 or does not divide the images evenly, or `x` does not
            have 4 axes.

    Example:
        >>> tf.keras.ops.space_to_depth(tf.ones((1, 4, 6, 3)), 2).shape
        TensorShape([1, 2, 3, 12])
    """
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
