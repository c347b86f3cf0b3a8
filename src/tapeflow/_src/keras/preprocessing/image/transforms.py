"""Keras 2's transformations of one image as an array, random ones and given ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.preprocessing.image.sampling import sample
from tapeflow._src.keras.utils.images import array_to_img, img_to_array

_enhance = LazyModule("PIL.ImageEnhance", "brightness of images", install="pillow")


def apply_affine_transform(
    x: np.ndarray,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """Turn, move, shear and zoom an image, in this order.

    Args:
        x: Image, of rank 3.
        theta: Angle, in degrees.
        tx: Shift along x, in pixels: over the columns if these come after the rows.
        ty: Shift along y, in pixels: over the rows if the columns come after them.
        shear: Angle of the shear, in degrees.
        zx: Part of the image that is visible along x; below 1 zooms in.
        zy: Part of the image that is visible along y.
        row_axis: Axis of the rows.
        col_axis: Axis of the columns.
        channel_axis: Axis of the channels, the first or the last one.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        order: Order of the interpolation.

    Returns:
        An array of the same shape.

    Raises:
        ValueError: The image is not of rank 3, or the axes are not its three axes.

    Example:
        >>> image = np.arange(8.0).reshape(2, 2, 2)
        >>> tf.keras.preprocessing.image.apply_affine_transform(image, theta=0).shape
        (2, 2, 2)
    """
    if {row_axis, col_axis, channel_axis} != {0, 1, 2} or channel_axis == 1:
        raise ValueError(
            f"Rows, columns and channels must be the three axes of an image, with channels first "
            f"or last. Received: row_axis={row_axis}, col_axis={col_axis}, "
            f"channel_axis={channel_axis}"
        )
    if x.ndim != 3:
        raise ValueError(f"Expected one image, of rank 3. Received an array of shape {x.shape}")
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    centre = np.array([x.shape[row_axis], x.shape[col_axis]]) / 2 - 0.5
    linear, shift = matrix[:2, :2], matrix[:2, 2]
    offset = linear @ -centre + shift + centre
    if col_axis > row_axis:
        linear, offset = linear[::-1, ::-1], offset[::-1]
    channels = np.moveaxis(x, channel_axis, 0)
    transformed = sample(channels, linear, offset, order, fill_mode, cval)
    return np.moveaxis(transformed, 0, channel_axis)


def _matrix(theta: float, tx: float, ty: float, shear: float, zx: float, zy: float) -> Any:
    """Return the product of the transformations, or None if there are none."""
    turn, lean = np.deg2rad(theta), np.deg2rad(shear)
    steps = (
        (
            theta,
            [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]],
        ),
        (tx or ty, [[1, 0, tx], [0, 1, ty], [0, 0, 1]]),
        (shear, [[1, -np.sin(lean), 0], [0, np.cos(lean), 0], [0, 0, 1]]),
        (zx != 1 or zy != 1, [[zx, 0, 0], [0, zy, 0], [0, 0, 1]]),
    )
    matrix = None
    for wanted, rows in steps:
        if wanted:
            step = np.array(rows, "float64")
            matrix = step if matrix is None else matrix @ step
    return matrix


def apply_channel_shift(x: np.ndarray, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """Add a number to an image, and clip it to the range that it had.

    Args:
        x: Image.
        intensity: Number to add.
        channel_axis: Ignored.

    Returns:
        An array of the same shape.

    Example:
        >>> image = np.array([[[0.0], [5.0]]])
        >>> tf.keras.preprocessing.image.apply_channel_shift(image, 2.0).ravel()
        array([2., 5.])
    """
    return np.clip(x + intensity, x.min(), x.max()).astype(x.dtype, copy=False)


def apply_brightness_shift(x: np.ndarray, brightness: float, scale: bool = True) -> np.ndarray:
    """Multiply the brightness of an image.

    Args:
        x: Image, of rank 3.
        brightness: Factor; 1 leaves the image as it is.
        scale: Whether to stretch the image to 0 … 255 before.

    Returns:
        An array of the same shape.
    """
    low, high = x.min(), x.max()
    outside = low < 0 or high > 255
    image = array_to_img(x, scale=scale or outside)
    brightened = img_to_array(_enhance.Brightness(image).enhance(brightness))
    return brightened / 255 * (high - low) + low if outside and not scale else brightened


def flip_axis(x: np.ndarray, axis: int) -> np.ndarray:
    """Reverse an axis."""
    return np.flip(x, axis)


def random_rotation(
    x: np.ndarray,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Turn an image by a random angle of at most `rg` degrees.

    Args:
        x: Image, of rank 3.
        rg: Largest angle, in degrees.
        row_axis: Axis of the rows.
        col_axis: Axis of the columns.
        channel_axis: Axis of the channels, the first or the last one.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        interpolation_order: Order of the interpolation, 0 or 1; higher ones need SciPy.

    Returns:
        An array of the same shape.

    Example:
        >>> image = np.ones((8, 8, 3))
        >>> axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
        >>> tf.keras.preprocessing.image.random_rotation(image, 20, **axes).shape
        (8, 8, 3)
    """
    axes = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, np.random.uniform(-rg, rg), 0, 0, 0, 1, 1, *axes)


def random_shift(
    x: np.ndarray,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Move an image by random fractions of its width and height.

    As in Keras 2, the fraction of the height moves it over the columns, and that of the width
    over the rows, if the columns come after the rows.

    Args:
        x: Image, of rank 3.
        wrg: Largest fraction of the width.
        hrg: Largest fraction of the height.
        row_axis: Axis of the rows.
        col_axis: Axis of the columns.
        channel_axis: Axis of the channels, the first or the last one.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        interpolation_order: Order of the interpolation, 0 or 1; higher ones need SciPy.

    Returns:
        An array of the same shape.

    Example:
        >>> image = np.ones((8, 8, 3))
        >>> axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
        >>> tf.keras.preprocessing.image.random_shift(image, 0.1, 0.1, **axes).shape
        (8, 8, 3)
    """
    axes = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(x, 0, tx, ty, 0, 1, 1, *axes)


def random_shear(
    x: np.ndarray,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Shear an image by a random angle of at most `intensity` degrees.

    Args:
        x: Image, of rank 3.
        intensity: Largest angle, in degrees.
        row_axis: Axis of the rows.
        col_axis: Axis of the columns.
        channel_axis: Axis of the channels, the first or the last one.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        interpolation_order: Order of the interpolation, 0 or 1; higher ones need SciPy.

    Returns:
        An array of the same shape.

    Example:
        >>> image = np.ones((8, 8, 3))
        >>> axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
        >>> tf.keras.preprocessing.image.random_shear(image, 10, **axes).shape
        (8, 8, 3)
    """
    axes = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, 0, 0, np.random.uniform(-intensity, intensity), 1, 1, *axes)


def random_zoom(
    x: np.ndarray,
    zoom_range: Any,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Zoom an image by random factors between two limits.

    Args:
        x: Image, of rank 3.
        zoom_range: Two factors; below 1 zooms in.
        row_axis: Axis of the rows.
        col_axis: Axis of the columns.
        channel_axis: Axis of the channels, the first or the last one.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        interpolation_order: Order of the interpolation, 0 or 1; higher ones need SciPy.

    Returns:
        An array of the same shape.

    Raises:
        ValueError: `zoom_range` has not two numbers.

    Example:
        >>> image = np.ones((8, 8, 3))
        >>> axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
        >>> tf.keras.preprocessing.image.random_zoom(image, (0.8, 1.2), **axes).shape
        (8, 8, 3)
    """
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` must be two numbers. Received: {zoom_range}")
    axes = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    zx, zy = 1, 1
    if tuple(zoom_range) != (1, 1):
        zx, zy = np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return apply_affine_transform(x, 0, 0, 0, 0, zx, zy, *axes)


def random_channel_shift(
    x: np.ndarray, intensity_range: float, channel_axis: int = 0
) -> np.ndarray:
    """Add a random number of at most `intensity_range` to an image, and clip it to its range.

    Args:
        x: Image.
        intensity_range: Largest number.
        channel_axis: Ignored.

    Returns:
        An array of the same shape.

    Example:
        >>> image = np.array([[[0.0], [5.0]]])
        >>> tf.keras.preprocessing.image.random_channel_shift(image, 0.0).ravel()
        array([0., 5.])
    """
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis=channel_axis)


def random_brightness(x: np.ndarray, brightness_range: Any, scale: bool = True) -> np.ndarray:
    """Multiply the brightness of an image by a random factor between two limits.

    Args:
        x: Image, of rank 3.
        brightness_range: Two factors.
        scale: Whether to stretch the image to 0 … 255 before.

    Returns:
        An array of the same shape.

    Raises:
        ValueError: `brightness_range` has not two numbers.
    """
    if len(brightness_range) != 2:
        raise ValueError(f"`brightness_range` must be two numbers. Received: {brightness_range}")
    factor = np.random.uniform(brightness_range[0], brightness_range[1])
    return apply_brightness_shift(x, factor, scale)
