"""Cropping and resizing of boxes, and the ops of the gradients."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import as_dtype, float16, float32, float64, int32
from tapeflow._src.core.errors import OutOfRangeError, fmt_shape
from tapeflow._src.core.infer import shape_from_value
from tapeflow._src.core.registry import UNREGISTERED, Free, Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.shape import shape_of
from tapeflow._src.ops.image.resize import PIXELS, target_size

_IMAGE_GRADIENTS = frozenset({float16, float32, float64})
_F32 = np.float32


def _check(boxes: Spec, box_ind: Spec, method: str, methods: tuple[str, ...]) -> Any:
    """Return the number of boxes; raise InferError if shapes are wrong."""
    if method not in methods:
        allowed = ", ".join(f'"{m}"' for m in methods)
        raise InferError(
            f"Value for attr 'method' of \"{method}\" is not in the list of allowed values: "
            f"{allowed}"
        )
    if boxes.dtype is not float32:
        raise InferError(f"boxes must be float32, got {boxes.dtype.name}")
    if box_ind.dtype is not int32:
        raise InferError(f"box_ind must be int32, got {box_ind.dtype.name}")
    count = None
    if boxes.shape is not None:
        if len(boxes.shape) != 2:
            raise InferError(f"boxes must be 2-D{fmt_shape(boxes.shape)}")
        if boxes.shape[1] not in (None, 4):
            raise InferError(f"boxes must have 4 columns, got shape {fmt_shape(boxes.shape)}")
        count = boxes.shape[0]
    if box_ind.shape is not None:
        if len(box_ind.shape) != 1:
            raise InferError(f"box_index must be 1-D{fmt_shape(box_ind.shape)}")
        if None not in (count, box_ind.shape[0]) and box_ind.shape[0] != count:
            raise InferError(f"box_index has incompatible shape {fmt_shape(box_ind.shape)}")
        count = box_ind.shape[0] if count is None else count
    return count


def _require_rank_4(spec: Spec, name: str) -> Any:
    if spec.shape is not None and len(spec.shape) != 4:
        raise InferError(f"{name} must be 4-D{fmt_shape(spec.shape)}")
    return spec.shape or (None,) * 4


def _pixel_coordinates(start: Any, stop: Any, before: int, after: int) -> Any:
    """Return the coordinates of the pixels of each crop along one axis, `[boxes, after]`."""
    last = _F32(before - 1)
    if after > 1:
        step = (stop - start) * last / _F32(after - 1)
        return (start * last)[:, None] + np.arange(after, dtype=_F32) * step[:, None]
    return (_F32(0.5) * (start + stop) * last)[:, None]


def _lattice(xp: ModuleType, boxes: Any, size: Any, crop: Any) -> tuple[Any, Any, Any]:
    """Return rows and columns of the pixels of each crop, and which are inside the image."""
    rows = _pixel_coordinates(boxes[:, 0], boxes[:, 2], size[0], crop[0])
    columns = _pixel_coordinates(boxes[:, 1], boxes[:, 3], size[1], crop[1])
    bottom, right = _F32(size[0] - 1), _F32(size[1] - 1)
    inside_rows = (rows >= 0) & (rows <= bottom)
    inside_columns = (columns >= 0) & (columns <= right)
    inside = inside_rows[:, :, None] & inside_columns[:, None, :]
    rows = xp.clip(rows, _F32(0), bottom)[:, :, None]
    columns = xp.clip(columns, _F32(0), right)[:, None, :]
    return rows, columns, inside[..., None]


def _corners(xp: ModuleType, rows: Any, columns: Any) -> Any:
    """Return the rows and columns around each pixel, and the weight of the second of them."""
    top, left = xp.floor(rows), xp.floor(columns)
    down, along = (rows - top)[..., None], (columns - left)[..., None]
    ints = (x.astype("int32") for x in (top, xp.ceil(rows), left, xp.ceil(columns)))
    return (*ints, down, along)


def _nearest(xp: ModuleType, coordinates: Any) -> Any:
    return xp.floor(coordinates + _F32(0.5)).astype("int32")


_NOT_FINITE = "Boxes contains at least one element that is not finite"


def _crop(
    xp: ModuleType,
    image: Any,
    boxes: Any,
    box_ind: Any,
    crop_size: Any,
    method: str,
    outside: float,
) -> Any:
    crop = [int(n) for n in crop_size]
    xp.require(xp.all(xp.isfinite(boxes)), _NOT_FINITE)
    rows, columns, inside = _lattice(xp, boxes, image.shape[1:3], crop)
    which = xp.clip(box_ind, 0, max(image.shape[0] - 1, 0))[:, None, None]
    wide = image.astype("float32")
    if not box_ind.shape[0]:
        return xp.zeros((0, *crop, image.shape[3]), "float32")
    # One index for each pixel: NumPy copies whole pixels faster than it combines three indices.
    pixels = wide.reshape(-1, image.shape[3])
    first_lines = (which.astype(np.intp) if isinstance(which, np.ndarray) else which) * image.shape[
        1
    ]

    def pick(row: Any, column: Any) -> Any:
        return xp.take(pixels, (first_lines + row) * image.shape[2] + column, axis=0)

    if method == "nearest":
        result = pick(_nearest(xp, rows), _nearest(xp, columns))
    else:
        top, bottom, left, right, down, along = _corners(xp, rows, columns)
        upper = _mix(pick(top, left), pick(top, right), along)
        lower = _mix(pick(bottom, left), pick(bottom, right), along)
        result = _mix(upper, lower, down)
    return xp.where(inside, result, _F32(outside))


def _mix(first: Any, second: Any, share: Any) -> Any:
    return first + (second - first) * share


def _mix_new(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Compute `_mix` in one new array."""
    mixed: np.ndarray = second - first
    mixed *= share
    mixed += first
    return mixed


def _out_of_batch(box_ind: Any, batch: int) -> str:
    return f"box_index has values outside [0, batch_size), the batch size is {batch}: {box_ind}"


@op("CropAndResize", dtypes=PIXELS, checked=True)
def crop_and_resize(
    xp,
    image,
    boxes: Free,
    box_ind: Index,
    crop_size: Static,
    *,
    method="bilinear",
    extrapolation_value=0.0,
):
    """Crop boxes from images and resize them; the edges of a box are pixel centres."""
    batch = image.shape[0]
    xp.require(xp.all((box_ind >= 0) & (box_ind < batch)), lambda: _out_of_batch(box_ind, batch))
    return _crop(xp, image, boxes, box_ind, crop_size, method, extrapolation_value)


@crop_and_resize.kernel("numpy")
def _(xp, image, boxes, box_ind, crop_size, *, method, extrapolation_value):
    _require_in_batch(box_ind, image.shape[0])
    crop = crop_size.tolist()
    if method == "nearest" or not box_ind.size or min(crop) < 2:
        return _crop(xp, image, boxes, box_ind, crop_size, method, extrapolation_value)
    return _crop_on_host(xp, image, boxes, box_ind, crop, extrapolation_value)


@lru_cache(maxsize=64)
def _scales(height: int, width: int, rows: int, columns: int) -> tuple[np.ndarray, ...]:
    """Return, for both axes, the last index of an image and of a crop; and the pixels' indices."""
    sizes = np.array([[height - 1, rows - 1], [width - 1, columns - 1]], _F32)
    return sizes[:, :1], sizes[:, 1:], np.arange(max(rows, columns), dtype=_F32)


def _crop_on_host(
    xp: ModuleType,
    image: np.ndarray,
    boxes: np.ndarray,
    box_ind: np.ndarray,
    crop: list[int],
    outside: float,
) -> np.ndarray:
    """Compute `_crop` with fewer calls of NumPy: both axes and all four corners by one."""
    _, height, width, channels = image.shape
    most, steps, pixels = _scales(height, width, *crop)
    # `[2, boxes]`, of both axes, and `[2, boxes, pixels]` of the longer one.
    first, last = boxes.T.reshape(2, 2, -1)
    step = (last - first) * most / steps
    coordinates = step[..., None] * pixels
    coordinates += (first * most)[..., None]
    clipped = np.maximum(coordinates, _F32(0))
    np.minimum(clipped, most[..., None], out=clipped)
    inside = clipped == coordinates
    all_inside = inside.all()
    # The pixels of a box that is not finite are not inside.
    xp.require(all_inside or np.isfinite(boxes).all(), _NOT_FINITE)
    # Indices `[2, 2, boxes, rows, columns]`: above and below, left and right.
    lines = np.empty((2, *clipped.shape), np.intp)
    lower = np.floor(clipped)
    lines[0], lines[1] = lower, np.ceil(clipped)
    down, along = clipped - lower
    rows = lines[:, 0, :, : crop[0]] * width
    if image.shape[0] > 1:
        rows += (box_ind.astype(np.intp) * (height * width))[:, None]
    which = rows[:, None, :, :, None] + lines[None, :, 1, :, None, : crop[1]]
    corners = image.reshape(-1, channels).take(which, axis=0)
    if corners.dtype != _F32:
        corners = corners.astype(_F32)
    # Weights are repeated: loops over a few channels would take several times as long.
    corners = corners.reshape(*which.shape[:-1], -1)
    along = along[:, : crop[1]].repeat(channels, 1)
    upper, lower = _mix_new(corners[:, 0], corners[:, 1], along[:, None])
    result = _mix_new(upper, lower, down[:, : crop[0], None])
    result = result.reshape(-1, *crop, channels)
    if not all_inside:
        rows, columns = inside[0, :, : crop[0]], inside[1, :, : crop[1]]
        within = rows[:, :, None, None] & columns[:, None, :, None]
        result = np.where(within, result, _F32(outside))
    return result


def _require_in_batch(box_ind: Any, batch: int) -> None:
    # A negative index is a large one without its sign.
    unsigned = box_ind.view("u4" if box_ind.dtype.itemsize == 4 else "u8")
    if box_ind.size and not np.maximum.reduce(unsigned) < batch:
        raise OutOfRangeError(None, None, _out_of_batch(box_ind, batch))


@crop_and_resize.infer
def _(image, boxes, box_ind, crop_size, *, method, extrapolation_value):
    dims = _require_rank_4(image, "input image")
    if 0 in dims[1:3]:
        raise InferError("image dimensions must be positive")
    count = _check(boxes, box_ind, method, ("bilinear", "nearest"))
    return Spec((count, *target_size(crop_size, "crop dimensions"), dims[3]), float32)


@crop_and_resize.gradient
def _(dz, *, image, boxes, box_ind, method, needed):
    for_image = for_boxes = None
    if needed[0]:
        kind = image.dtype if image.dtype in _IMAGE_GRADIENTS else float32
        for_image = crop_and_resize_grad_image(
            dz, boxes, box_ind, shape_of(image), T=kind, method=method
        )
    if needed[1]:
        # Of the nearest pixels, too, as in TensorFlow: as if they had been mixed.
        for_boxes = crop_and_resize_grad_boxes(dz, image, boxes, box_ind)
    return for_image, for_boxes


def _add_crops(
    xp: ModuleType, grads: Any, boxes: Any, box_ind: Any, dims: tuple[int, ...], method: str
) -> Any:
    batch, height, width, _ = dims
    rows, columns, inside = _lattice(xp, boxes, (height, width), grads.shape[1:3])
    which = xp.clip(box_ind, 0, max(batch - 1, 0))[:, None, None]
    grads = xp.where(inside, grads, _F32(0))
    total = xp.zeros(dims, "float32")
    if method == "nearest":
        return xp.index_add(total, (which, _nearest(xp, rows), _nearest(xp, columns)), grads)
    top, bottom, left, right, down, along = _corners(xp, rows, columns)
    for row, down_share in ((top, 1 - down), (bottom, down)):
        for column, along_share in ((left, 1 - along), (right, along)):
            part = grads * (down_share * along_share)
            total = xp.index_add(total, (which, row, column), part)
    return total


@op("CropAndResizeGradImage", grad=UNREGISTERED, checked=True)
def crop_and_resize_grad_image(
    xp, grads: Free, boxes: Free, box_ind: Index, image_size: Static, *, T, method="bilinear"
):
    """Return the gradient w.r.t. the images, from that of the crops."""
    dims = tuple(int(n) for n in image_size)
    xp.require(
        xp.all((box_ind >= 0) & (box_ind < dims[0])), lambda: _out_of_batch(box_ind, dims[0])
    )
    return _add_crops(xp, grads, boxes, box_ind, dims, method).astype(as_dtype(T).np)


@crop_and_resize_grad_image.kernel("numpy")
def _(xp, grads, boxes, box_ind, image_size, *, T, method):
    dims = tuple(int(n) for n in image_size)
    _require_in_batch(box_ind, dims[0])
    return _add_crops(xp, grads, boxes, box_ind, dims, method).astype(as_dtype(T).np)


@crop_and_resize_grad_image.infer
def _(grads, boxes, box_ind, image_size, *, T, method):
    _check_grads(grads)
    _check(boxes, box_ind, method, ("bilinear", "nearest"))
    if image_size.shape is not None and image_size.shape != (4,) and None not in image_size.shape:
        raise InferError(f"image_size must have 4 elements, got {fmt_shape(image_size.shape)}")
    if as_dtype(T) not in _IMAGE_GRADIENTS:
        raise InferError(f"Value for attr 'T' of {as_dtype(T).name} is not allowed")
    return Spec(shape_from_value(image_size) or (None,) * 4, as_dtype(T))


def _check_grads(grads: Spec) -> None:
    _require_rank_4(grads, "grads image")
    if grads.dtype is not float32:
        raise InferError(f"grads must be float32, got {grads.dtype.name}")


def _box_gradients(xp: ModuleType, grads: Any, image: Any, boxes: Any, box_ind: Any) -> Any:
    height, width = image.shape[1:3]
    crop = grads.shape[1:3]
    rows, columns, inside = _lattice(xp, boxes, (height, width), crop)
    which = xp.clip(box_ind, 0, max(image.shape[0] - 1, 0))[:, None, None]
    wide = image.astype("float32")
    top, bottom, left, right, down, along = _corners(xp, rows, columns)
    corner = {
        (i, j): wide[which, row, column]
        for i, row in enumerate((top, bottom))
        for j, column in enumerate((left, right))
    }
    grads = xp.where(inside, grads, _F32(0))
    by_row = _mix(corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], along) * grads
    by_column = _mix(corner[0, 1] - corner[0, 0], corner[1, 1] - corner[1, 0], down) * grads
    edges = []
    for slope, size, count, shape in (
        (by_row, height, crop[0], (1, -1, 1, 1)),
        (by_column, width, crop[1], (1, 1, -1, 1)),
    ):
        share = np.arange(count, dtype=_F32) / _F32(count - 1) if count > 1 else [_F32(0.5)]
        second = np.reshape(np.asarray(share, _F32), shape) * _F32(size - 1)
        first = _F32(size - 1) - second
        edges.append([xp.sum(slope * end, axis=(1, 2, 3)) for end in (first, second)])
    (y1, y2), (x1, x2) = edges
    return xp.stack([y1, x1, y2, x2], axis=1)


@op("CropAndResizeGradBoxes", dtypes=PIXELS, grad=UNREGISTERED, checked=True)
def crop_and_resize_grad_boxes(
    xp, grads: Free, image, boxes: Free, box_ind: Index, *, method="bilinear"
):
    """Return the gradient w.r.t. the boxes, from that of their crops."""
    batch = image.shape[0]
    xp.require(xp.all((box_ind >= 0) & (box_ind < batch)), lambda: _out_of_batch(box_ind, batch))
    return _box_gradients(xp, grads, image, boxes, box_ind)


@crop_and_resize_grad_boxes.kernel("numpy")
def _(xp, grads, image, boxes, box_ind, *, method):
    _require_in_batch(box_ind, image.shape[0])
    return _box_gradients(xp, grads, image, boxes, box_ind)


@crop_and_resize_grad_boxes.infer
def _(grads, image, boxes, box_ind, *, method):
    _check_grads(grads)
    _require_rank_4(image, "input image")
    return Spec((_check(boxes, box_ind, method, ("bilinear",)), 4), float32)
