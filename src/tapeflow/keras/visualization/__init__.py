"""The public namespace `tf.keras.visualization`: boxes and masks drawn into images, galleries."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_FILES = {
    "drawing": ("draw_bounding_boxes", "draw_segmentation_masks"),
    "galleries": (
        *("plot_bounding_box_gallery", "plot_image_gallery", "plot_segmentation_mask_gallery"),
    ),
}

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        name: f"tapeflow._src.keras.visualization.{file}"
        for file, names in _FILES.items()
        for name in names
    },
)
