"""Resizing of images `[batch, height, width, channels]`, and the ops of the gradients."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, float32
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import require_rank, shape_from_value
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.kernels import resampling
from tapeflow._src.kernels import resize_weights as image_weights
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.math.cast import cast

PIXELS = frozenset(
    {
        dtypes.int8,
        dtypes.uint8,
        dtypes.int16,
        dtypes.uint16,
        dtypes.int32,
        dtypes.int64,
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
    }
)
_GRADIENTS = frozenset(
    {dtypes.int8, dtypes.uint8, dtypes.int32, dtypes.float16, dtypes.bfloat16, float32}
    | {dtypes.float64}
)
_F32 = np.dtype(np.float32)


def resized_shape(images: Spec, size: Spec) -> Any:
    """Return the shape of `images` with another height and width; raise InferError if invalid."""
    require_image(images, "input")
    new = target_size(size)
    dims = images.shape or (None,) * 4
    if 0 in dims[1:3]:
        raise InferError("input image must be of non-zero size")
    if dims[3] == 0:
        raise InferError("image must have at least one channel")
    return (dims[0], *new, dims[3])


def require_image(spec: Spec, name: str) -> None:
    """Raise InferError unless a batch of images has four axes."""
    if spec.shape is not None and len(spec.shape) != 4:
        raise InferError(
            f"{name} must be 4-dimensional{fmt_shape(spec.shape)}: batch, height, width, channels"
        )


def target_size(size: Spec, what: str = "output dimensions") -> tuple[Any, Any]:
    """Return the height and width, None where not static."""
    require_rank(size, 1, "size")
    if size.shape is not None and size.shape[0] not in (2, None):
        raise InferError(f"shape_t must have two elements {fmt_shape(size.shape)}")
    new = shape_from_value(size) or (None, None)
    if 0 in new:
        raise InferError(f"{what} must be positive, got {list(new)}")
    return new[0], new[1]


def _infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    images, size = specs
    _check_corners(attrs)
    keeps_dtype = op.name == "ResizeNearestNeighbor"
    return Spec(resized_shape(images, size), images.dtype if keeps_dtype else float32)


def _infer_gradient(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    grads, original = specs
    _check_corners(attrs)
    require_image(grads, "input_grad")
    require_image(original, "original_image")
    if grads.dtype is not float32:
        raise InferError(f"{op.name}: grads must be float32, got {grads.dtype.name}")
    dims = original.shape or (None,) * 4
    received = grads.shape or (None,) * 4
    for axis, what in ((0, "images"), (3, "channels")):
        if None not in (dims[axis], received[axis]) and dims[axis] != received[axis]:
            raise InferError(f"grads have {received[axis]} {what}, original_image {dims[axis]}")
    return Spec(dims, original.dtype)


def _check_corners(attrs: dict[str, Any]) -> None:
    if attrs.get("half_pixel_centers") and attrs["align_corners"]:
        raise InferError("If half_pixel_centers is True, align_corners must be False.")


def weigh(xp: ModuleType, images: Any, rows: Any, columns: Any) -> Any:
    """Multiply `images` by a matrix of weights along the height, and one along the width."""
    if isinstance(images, np.ndarray):
        return resampling.weigh(images, rows, columns)
    batch, height, width, channels = images.shape
    mixed = xp.matmul(rows, images.reshape(batch, height, width * channels))
    mixed = mixed.reshape(batch, rows.shape[0], width, channels)
    mixed = xp.matmul(xp.swapaxes(mixed, 2, 3), columns.T)
    return xp.swapaxes(mixed, 2, 3)


def no_images(xp: ModuleType, images: Any, size: Any, dtype: DTypeLike) -> Any:
    """Return the result for an empty batch without computing the weights of a large size."""
    return xp.zeros((0, int(size[0]), int(size[1]), images.shape[3]), dtype)


# -- bilinear ---------------------------------------------------------------------------------


@op("ResizeBilinear", infer=_infer, dtypes=PIXELS, checked=True)
def resize_bilinear(xp, images, size: Static, *, align_corners=False, half_pixel_centers=False):
    """Resize with bilinear interpolation."""
    if not images.shape[0]:
        return no_images(xp, images, size, _F32)
    mixed = images.astype(_F32)
    for axis, after in ((2, int(size[1])), (1, int(size[0]))):
        lower, upper, share = image_weights.bilinear(
            images.shape[axis], after, align_corners, half_pixel_centers
        )
        share = share.reshape(-1, *(1,) * (3 - axis))
        first = xp.take(mixed, lower, axis=axis)
        mixed = first + (xp.take(mixed, upper, axis=axis) - first) * share
    return mixed


@resize_bilinear.kernel("numpy")
def _(xp, images, size, *, align_corners, half_pixel_centers):
    """Interpolate in blocks that fit a cache: NumPy copies RGB pixels slowly."""
    if not images.shape[0]:
        return no_images(xp, images, size, _F32)
    height, width, channels = images.shape[1:]
    centers = align_corners, half_pixel_centers
    rows = image_weights.bilinear(height, int(size[0]), *centers)
    columns = image_weights.bilinear(width, int(size[1]), *centers)
    numbers = image_weights.bilinear_columns(width, int(size[1]), channels, *centers)
    return resampling.interpolate(images, rows, columns, numbers)


@resize_bilinear.gradient
def _(dz, *, images, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return resize_bilinear_grad(dz, images, **corners)


@op("ResizeBilinearGrad", infer=_infer_gradient, dtypes=FLOATING, checked=True)
def resize_bilinear_grad(
    xp, grads: Free, original_image, *, align_corners=False, half_pixel_centers=False
):
    """Return the gradient w.r.t. the original image: the transposed interpolation."""
    rows, columns = (
        image_weights.bilinear_transposed(
            original_image.shape[i], grads.shape[i], align_corners, half_pixel_centers
        )
        for i in (1, 2)
    )
    return weigh(xp, grads, rows, columns).astype(original_image.dtype)


@resize_bilinear_grad.gradient
def _(dz, *, shape_of_grads, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return resize_bilinear(dz, spatial(shape_of_grads), **corners), None


def spatial(shape: Any) -> Any:
    """Return the height and width of a shape."""
    static_sizes = shape.static_value
    if static_sizes is not None:
        return static_ints(tuple(static_sizes[1:3].tolist()))
    return strided_slice(shape, static_ints((1,)), static_ints((3,)), static_ints((1,)))


# -- nearest neighbour ------------------------------------------------------------------------


@op("ResizeNearestNeighbor", infer=_infer, dtypes=PIXELS, checked=True)
def resize_nearest_neighbor(
    xp, images, size: Static, *, align_corners=False, half_pixel_centers=False
):
    """Resize with nearest-neighbour interpolation."""
    if not images.shape[0]:
        return no_images(xp, images, size, images.dtype)
    for axis, after in ((1, int(size[0])), (2, int(size[1]))):
        chosen = image_weights.nearest(images.shape[axis], after, align_corners, half_pixel_centers)
        images = xp.take(images, chosen, axis=axis)
    return images


@resize_nearest_neighbor.gradient
def _(dz, *, shape_of_images, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return resize_nearest_neighbor_grad(dz, spatial(shape_of_images), **corners), None


@op("ResizeNearestNeighborGrad", dtypes=_GRADIENTS, checked=True)
def resize_nearest_neighbor_grad(
    xp, grads, size: Static, *, align_corners=False, half_pixel_centers=False
):
    """Compute the gradient w.r.t. the original image: each pixel sums over its copies."""
    if not grads.shape[0]:
        return no_images(xp, grads, size, grads.dtype)
    centers = align_corners, half_pixel_centers
    if isinstance(grads, np.ndarray) and grads.dtype == _F32 and np.isfinite(grads.sum()):
        # Sums over copies, as products with matrices of zeros and ones: infinity times zero would
        # reach other pixels.
        rows, columns = (
            image_weights.nearest_transposed(int(size[i]), grads.shape[i + 1], *centers)
            for i in range(2)
        )
        return weigh(xp, grads, rows, columns)
    for axis, before in ((1, int(size[0])), (2, int(size[1]))):
        chosen = image_weights.nearest(before, grads.shape[axis], *centers)
        moved = xp.moveaxis(grads, axis, 0)
        sums = xp.index_add(xp.zeros((before, *moved.shape[1:]), grads.dtype), chosen, moved)
        grads = xp.moveaxis(sums, 0, axis)
    return grads


@resize_nearest_neighbor_grad.infer
def _(grads, size, *, align_corners, half_pixel_centers):
    _check_corners({"align_corners": align_corners, "half_pixel_centers": half_pixel_centers})
    return Spec(resized_shape(grads, size), grads.dtype)


@resize_nearest_neighbor_grad.gradient
def _(dz, *, shape_of_grads, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return resize_nearest_neighbor(dz, spatial(shape_of_grads), **corners), None


# -- bicubic and area -------------------------------------------------------------------------


@op("ResizeBicubic", infer=_infer, dtypes=PIXELS, checked=True)
def resize_bicubic(xp, images, size: Static, *, align_corners=False, half_pixel_centers=False):
    """Resize with bicubic interpolation."""
    if not images.shape[0]:
        return no_images(xp, images, size, _F32)
    rows, columns = (
        image_weights.bicubic_matrix(before, int(after), align_corners, half_pixel_centers)
        for before, after in zip(images.shape[1:3], size, strict=True)
    )
    return weigh(xp, images.astype(_F32), rows, columns)


@resize_bicubic.gradient
def _(dz, *, images, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    if images.dtype in (dtypes.float32, dtypes.float64):
        return resize_bicubic_grad(dz, images, **corners)
    wide = cast(images, DstT=float32)
    return cast(resize_bicubic_grad(dz, wide, **corners), DstT=images.dtype)


@op(
    "ResizeBicubicGrad",
    infer=_infer_gradient,
    dtypes=frozenset({dtypes.float32, dtypes.float64}),
    checked=True,
)
def resize_bicubic_grad(
    xp, grads: Free, original_image, *, align_corners=False, half_pixel_centers=False
):
    """Return the gradient w.r.t. the original image: the transposed interpolation."""
    rows, columns = (
        image_weights.bicubic_transposed(
            original_image.shape[i], grads.shape[i], align_corners, half_pixel_centers
        )
        for i in (1, 2)
    )
    return weigh(xp, grads, rows, columns).astype(original_image.dtype)


@resize_bicubic_grad.gradient
def _(dz, *, shape_of_grads, align_corners, half_pixel_centers):
    corners = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return resize_bicubic(dz, spatial(shape_of_grads), **corners), None


@op("ResizeArea", infer=_infer, dtypes=PIXELS, grad=UNREGISTERED, checked=True)
def resize_area(xp, images, size: Static, *, align_corners=False):
    """Resize with area interpolation: the mean of the covered area."""
    if not images.shape[0]:
        return no_images(xp, images, size, _F32)
    rows, columns = (
        image_weights.area_matrix(before, int(after), align_corners)
        for before, after in zip(images.shape[1:3], size, strict=True)
    )
    return weigh(xp, images.astype(_F32), rows, columns)


# -- any kernel -------------------------------------------------------------------------------


def _check_kernel(scale: Spec, translation: Spec, kernel_type: str) -> None:
    if kernel_type not in image_weights.KERNELS:
        raise InferError(
            f"Unrecognized kernel type: {kernel_type}; known are {list(image_weights.KERNELS)}"
        )
    for name, spec in (("scale", scale), ("translation", translation)):
        require_rank(spec, 1, name)
        if spec.shape is not None and spec.shape[0] not in (2, None):
            raise InferError(f"{name} must have two elements, got shape {fmt_shape(spec.shape)}")
        if spec.dtype is not float32:
            raise InferError(f"{name} must be float32, got {spec.dtype.name}")


def _kernel_matrices(
    xp: ModuleType,
    before: Any,
    after: Any,
    scale: Any,
    shift: Any,
    kernel: str,
    antialias: bool,
    transposed: bool = False,
) -> Any:
    xp.require(xp.all(scale > 0), "Scale must be greater than zero.")
    if isinstance(scale, np.ndarray) and isinstance(shift, np.ndarray):
        return [
            image_weights.cached_kernel_matrix(
                before[i],
                int(after[i]),
                scale[i].item(),
                shift[i].item(),
                kernel,
                antialias,
                transposed,
            )
            for i in range(2)
        ]
    matrices = [
        image_weights.kernel_matrix(
            xp, before[i], int(after[i]), scale[i], shift[i], kernel, antialias
        )
        for i in range(2)
    ]
    return [matrix.T for matrix in matrices] if transposed else matrices


@op("ScaleAndTranslate", dtypes=PIXELS, checked=True)
def scale_and_translate(
    xp,
    images,
    size: Static,
    scale: Free,
    translation: Free,
    *,
    kernel_type="lanczos3",
    antialias=True,
):
    """Scale, then translate images, with a resampling kernel."""
    if not images.shape[0]:
        return no_images(xp, images, size, _F32)
    rows, columns = _kernel_matrices(
        xp, images.shape[1:3], size, scale, translation, kernel_type, antialias
    )
    return weigh(xp, images.astype(_F32), rows, columns)


@scale_and_translate.infer
def _(images, size, scale, translation, *, kernel_type, antialias):
    _check_kernel(scale, translation, kernel_type)
    return Spec(resized_shape(images, size), float32)


@scale_and_translate.gradient
def _(dz, *, images, scale, translation, kernel_type, antialias):
    how = {"kernel_type": kernel_type, "antialias": antialias}
    if images.dtype is float32:
        return scale_and_translate_grad(dz, images, scale, translation, **how)
    wide = cast(images, DstT=float32)
    return cast(scale_and_translate_grad(dz, wide, scale, translation, **how), DstT=images.dtype)


@op("ScaleAndTranslateGrad", dtypes=frozenset({float32}), checked=True)
def scale_and_translate_grad(
    xp,
    grads,
    original_image,
    scale: Free,
    translation: Free,
    *,
    kernel_type="lanczos3",
    antialias=True,
):
    """Return the gradient w.r.t. the original image: the transposed interpolation."""
    rows, columns = _kernel_matrices(
        xp,
        original_image.shape[1:3],
        grads.shape[1:3],
        scale,
        translation,
        kernel_type,
        antialias,
        transposed=True,
    )
    return weigh(xp, grads, rows, columns)


@scale_and_translate_grad.infer
def _(grads, original_image, scale, translation, *, kernel_type, antialias):
    _check_kernel(scale, translation, kernel_type)
    require_image(grads, "grads")
    require_image(original_image, "original_image")
    return Spec(original_image.shape or (None,) * 4, original_image.dtype)


@scale_and_translate_grad.gradient
def _(dz, *, shape_of_grads, scale, translation, kernel_type, antialias):
    how = {"kernel_type": kernel_type, "antialias": antialias}
    back = scale_and_translate(dz, spatial(shape_of_grads), scale, translation, **how)
    return back, None, None, None
