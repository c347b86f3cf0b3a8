"""The public namespace `tf.keras.utils.bounding_boxes`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_FILES = {
    "formats": ("convert_format",),
    "geometry": ("affine_transform", "clip_to_image_size", "crop", "pad"),
    "deltas": ("decode_deltas_to_boxes", "encode_box_to_deltas"),
    "overlaps": ("compute_ciou", "compute_iou"),
}

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        name: f"tapeflow._src.keras.utils.bounding_boxes.{file}"
        for file, names in _FILES.items()
        for name in names
    },
)
