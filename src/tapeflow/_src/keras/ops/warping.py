"""Images sampled at other places: transforms, given coordinates, blurs and elastic distortions."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.images import image_op, images_of, on_batch, one_of, require_image_axes
from tapeflow._src.keras.ops.promotion import to_tensor
from tapeflow._src.keras.random.seed_generator import draw_seed

_INTERPOLATIONS = ("nearest", "bilinear")
_FILL_MODES = ("constant", "nearest", "wrap", "reflect")


def projected(
    images: TensorLike,
    transforms: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Sample images at projected places; see `affine_transform`."""

    def transformed(batch: Any) -> Any:
        result = tf.raw_ops.ImageProjectiveTransformV3(
            images=batch,
            transforms=tf.reshape(tf.cast(transforms, tf.float32), (-1, 8)),
            output_shape=tf.shape(batch)[1:-1],
            fill_value=tf.cast(fill_value, tf.float32),
            interpolation=interpolation.upper(),
            fill_mode=fill_mode.upper(),
        )
        return tf.ensure_shape(result, batch.shape)

    return on_batch(transformed, images, data_format)


@image_op("AffineTransform", call=("images", "transform"))
def affine_transform(
    images: TensorLike,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Any:
    """Applies projective transforms to images.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        transform: The first eight entries of a 3x3 matrix whose last is 1, for all images or one
            row for each. It takes homogeneous output coordinates (x, y, 1) to those of the input.
        interpolation: "bilinear" or "nearest".
        fill_mode: How to continue images beyond their borders: "constant", "nearest", "wrap" or
            "reflect".
        fill_value: The constant.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the shape of `images`.

    Raises:
        ValueError: An argument has another value than these, or `transform` does not have one or
            two axes.

    Example:
        >>> x = tf.reshape(tf.range(3.0), (1, 3, 1))
        >>> shifted = tf.keras.ops.image.affine_transform(x, [1.0, 0, 1, 0, 1, 0, 0, 0])
        >>> shifted.numpy().ravel()
        array([1., 2., 0.], dtype=float32)
    """
    images, transform = images_of(images), to_tensor(transform)
    one_of("interpolation", interpolation, _INTERPOLATIONS)
    one_of("fill_mode", fill_mode, _FILL_MODES)
    if transform.shape.rank not in (1, 2):
        raise ValueError(
            f"`transform` must have one axis, or two for a batch. Received shape {transform.shape}"
        )
    transform = transform[None] if transform.shape.rank == 1 else transform
    return projected(images, transform, interpolation, fill_mode, fill_value, data_format)


def homography(start: Any, end: Any) -> Any:
    """The transforms that take the end points to the start points: eight linear equations."""
    x, y = end[..., 0], end[..., 1]
    one, zero = tf.ones_like(x), tf.zeros_like(x)
    rows = []
    for target, known in ((start[..., 0], 0), (start[..., 1], 1)):
        ours, blank = [x, y, one], [zero, zero, zero]
        row = [*(blank if known else ours), *(ours if known else blank), -target * x, -target * y]
        rows.append(tf.stack(row, axis=-1))
    matrix = tf.concat(rows, axis=1)
    targets = tf.concat([start[..., 0], start[..., 1]], axis=1)
    return tf.squeeze(tf.linalg.solve(matrix, targets[..., None]), -1)


@image_op("PerspectiveTransform", call=("images", "start_points", "end_points"))
def perspective_transform(
    images: TensorLike,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Any:
    """Moves four points of images to other positions, and everything else accordingly.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        start_points: Four points (x, y), of shape (4, 2), or (batch, 4, 2) for each image.
        end_points: Where they go, of the same shape.
        interpolation: "bilinear" or "nearest".
        fill_value: Value beyond the borders.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the shape of `images`.

    Raises:
        ValueError: An argument has another value than these, or the points another shape.

    Example:
        >>> corners = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [3.0, 3.0]]
        >>> tf.keras.ops.image.perspective_transform(tf.ones((4, 4, 1)), corners, corners).shape
        TensorShape([4, 4, 1])
    """
    images = images_of(images)
    one_of("interpolation", interpolation, _INTERPOLATIONS)
    start, end = to_tensor(start_points, "float32"), to_tensor(end_points, "float32")
    shapes = start.shape.as_list(), end.shape.as_list()
    if shapes[0] != shapes[1] or len(shapes[0]) not in (2, 3) or shapes[0][-2:] != [4, 2]:
        raise ValueError(
            f"Start and end points must be four pairs (x, y) for all images, or for each. Received "
            f"shapes {start.shape} and {end.shape}"
        )
    if start.shape.rank == 2:
        start, end = start[None], end[None]
    transforms = homography(start, end)
    return projected(images, transforms, interpolation, "constant", fill_value, data_format)


def _neighbours(coordinate: Any, order: int) -> list[tuple[Any, Any]]:
    """Indices around coordinates, and their weights."""
    if order == 0:
        whole = coordinate if coordinate.dtype.is_integer else tf.round(coordinate)
        return [(tf.cast(whole, tf.int32), tf.ones((), coordinate.dtype))]
    if not coordinate.dtype.is_floating:
        coordinate = tf.cast(coordinate, tf.float32)
    lower = tf.floor(coordinate)
    share = coordinate - lower
    index = tf.cast(lower, tf.int32)
    return [(index, 1 - share), (index + 1, share)]


def _inside(index: Any, size: Any, fill_mode: str) -> Any:
    """Indices that are in range, as the fill mode has it; Keras mirrors at 0 without repeating."""
    if fill_mode == "wrap":
        return index % size
    if fill_mode in ("mirror", "reflect"):
        phase = tf.abs(index) % (2 * size)
        back = 2 * size - phase - (1 if fill_mode == "reflect" else 0)
        return tf.where(phase < size, phase, back)
    return tf.clip_by_value(index, 0, size - 1)


@declare("MapCoordinates", family="image", call=("inputs", "coordinates"), nested=True)
def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: float = 0
) -> Any:
    """Samples inputs at coordinates, one array of them for each axis of the inputs.

    Args:
        inputs: Tensor, or a value that converts to one.
        coordinates: Tensor whose first axis has one entry for each axis of `inputs`.
        order: 0 takes the nearest element, 1 interpolates linearly.
        fill_mode: How to continue images beyond their borders: "constant" (`fill_value`),
            "nearest", "wrap", "mirror" or "reflect".
        fill_value: The constant.

    Returns:
        A tensor of the shape of one coordinate array and the dtype of `inputs`.

    Raises:
        ValueError: The number of coordinates or `fill_mode` is wrong.
        NotImplementedError: `order` is neither 0 nor 1.

    Example:
        >>> float(tf.keras.ops.image.map_coordinates([1.0, 3.0], [[0.5]], order=1)[0])
        2.0
    """
    inputs, coordinates = to_tensor(inputs), to_tensor(coordinates)
    if coordinates.shape.rank < 2 or coordinates.shape[0] != inputs.shape.rank:
        raise ValueError(
            f"There must be an array of coordinates for each axis of the inputs. Received shapes "
            f"{coordinates.shape} and {inputs.shape}"
        )
    one_of("fill_mode", fill_mode, (*_FILL_MODES, "mirror"))
    if order not in (0, 1):
        raise NotImplementedError(f"`map_coordinates` has the orders 0 and 1. Received: {order}")
    sizes = tf.shape(inputs)
    by_axis = []
    for axis, coordinate in enumerate(tf.unstack(coordinates)):
        size = sizes[axis] if inputs.shape[axis] is None else inputs.shape[axis]
        by_axis.append(
            [
                (_inside(index, size, fill_mode), (index >= 0) & (index < size), weight)
                for index, weight in _neighbours(coordinate, order)
            ]
        )
    total: Any = 0
    for corner in itertools.product(*by_axis):
        indices, known, weights = zip(*corner)
        values = tf.cast(tf.gather_nd(inputs, tf.stack(indices, axis=-1)), weights[0].dtype)
        if fill_mode == "constant":
            within = functools.reduce(tf.logical_and, known)
            values = tf.where(within, values, tf.cast(fill_value, values.dtype))
        total = total + functools.reduce(lambda a, b: a * b, weights) * values
    return tf.cast(tf.round(total) if inputs.dtype.is_integer else total, inputs.dtype)


def _gaussian(size: Any, sigma: Any, dtype: DTypeLike) -> Any:
    size, sigma = tf.cast(size, dtype), tf.cast(sigma, dtype)
    x = tf.range(size, dtype=dtype) - (size - 1) / 2
    weights = tf.exp(-0.5 * tf.square(x / sigma))
    return weights / tf.reduce_sum(weights)


def _like_images(operation: Any, images: Any) -> KerasTensor:
    require_image_axes(images)
    return KerasTensor(images.shape, images.dtype)


@image_op("GaussianBlur", output_spec=_like_images)
def gaussian_blur(
    images: TensorLike,
    kernel_size: Any = (3, 3),
    sigma: Any = (1.0, 1.0),
    data_format: str | None = None,
) -> Any:
    """Blurs images with a Gaussian window of a size and a standard deviation for each axis.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        kernel_size: Two integers: height and width of the window.
        sigma: Two standard deviations, in pixels.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the shape of `images`. Beyond the borders, pixels count as 0.

    Example:
        >>> tf.keras.ops.image.gaussian_blur(tf.ones((8, 8, 3))).shape
        TensorShape([8, 8, 3])
    """

    def blurred(batch: Any) -> Any:
        across, down = (
            _gaussian(size, deviation, batch.dtype)
            for size, deviation in zip(kernel_size, (sigma[0], sigma[1]))
        )
        # As Keras: the sizes are those of (height, width), but the first one made the columns.
        kernel = tf.reshape(down[:, None] * across, [kernel_size[0], kernel_size[1], 1, 1])
        kernel = tf.tile(kernel, [1, 1, tf.shape(batch)[-1], 1])
        kernel = tf.ensure_shape(kernel, [None, None, batch.shape[-1], 1])
        result = tf.nn.depthwise_conv2d(batch, kernel, [1, 1, 1, 1], "SAME")
        return tf.ensure_shape(result, batch.shape)

    return on_batch(blurred, images, data_format)


@image_op("ElasticTransform")
def elastic_transform(
    images: TensorLike,
    alpha: float = 20.0,
    sigma: float = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: float = 0.0,
    seed: Any = None,
    data_format: str | None = None,
) -> Any:
    """Distorts images smoothly and at random.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        alpha: Strength of the distortion.
        sigma: Scale of the distortion, in pixels.
        interpolation: "bilinear" or "nearest".
        fill_mode: How to continue images beyond their borders: "constant", "nearest", "wrap" or
            "reflect".
        fill_value: The constant.
        seed: An integer, a `keras.random.SeedGenerator`, or None for another result each time.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the shape of `images`.

    Raises:
        ValueError: An argument has another value than these.

    Example:
        >>> tf.keras.ops.image.elastic_transform(tf.ones((1, 8, 8, 3)), seed=1).shape
        TensorShape([1, 8, 8, 3])
    """
    images = images_of(images)
    one_of("interpolation", interpolation, _INTERPOLATIONS)
    one_of("fill_mode", fill_mode, _FILL_MODES)
    style = (interpolation, fill_mode, fill_value)
    return distorted(images, alpha, sigma, *style, draw_seed(seed), data_format)


def distorted(
    images: TensorLike,
    alpha: TensorLike,
    sigma: Any,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    drawn: Any,
    data_format: str | None,
) -> Any:
    """Distort images; `alpha` and `sigma` may be tensors, `drawn` is the seed of a random op."""
    order = _INTERPOLATIONS.index(interpolation)

    def moved(batch: Any) -> Any:
        deviation, strength = tf.cast(sigma, batch.dtype), tf.cast(alpha, batch.dtype)
        size = 6 * tf.cast(deviation, tf.int32) + 1
        shape = tf.shape(batch)
        noise = tf.random.stateless_normal(
            [shape[0], shape[1], shape[2], 1], seed=drawn, dtype=batch.dtype
        )
        sizes, deviations = (size, size), (deviation, deviation)
        noise = gaussian_blur(noise * deviation, sizes, deviations, "channels_last")
        # As Keras: both directions are drawn with the same seed.
        shift = strength * noise
        rows = tf.cast(tf.range(shape[1]), batch.dtype)[None, :, None, None] + shift
        columns = tf.cast(tf.range(shape[2]), batch.dtype)[None, None, :, None] + shift
        full = tf.broadcast_to(tf.zeros((), batch.dtype), shape)
        which = tf.cast(tf.range(shape[0]), batch.dtype)[:, None, None, None]
        channel = tf.cast(tf.range(shape[3]), batch.dtype)
        places = tf.stack([which + full, rows + full, columns + full, channel + full])
        return tf.ensure_shape(
            map_coordinates(batch, places, order, fill_mode, fill_value), batch.shape
        )

    return on_batch(moved, images, standardize_data_format(data_format))
