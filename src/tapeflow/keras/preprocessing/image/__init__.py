"""The public namespace `tf.keras.preprocessing.image`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_HERE = {
    "generator": ("ImageDataGenerator",),
    "iterator": ("Iterator",),
    "array_iterator": ("NumpyArrayIterator",),
    "file_iterators": ("DataFrameIterator", "DirectoryIterator"),
    "transforms": (
        *("apply_affine_transform", "apply_brightness_shift", "apply_channel_shift"),
        *("random_brightness", "random_channel_shift", "random_rotation", "random_shear"),
        *("random_shift", "random_zoom"),
    ),
}
_IMAGES = ("array_to_img", "img_to_array", "load_img", "save_img", "smart_resize")

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{
            name: f"tapeflow._src.keras.preprocessing.image.{file}"
            for file, names in _HERE.items()
            for name in names
        },
        **dict.fromkeys(_IMAGES, "tapeflow._src.keras.utils.images"),
    },
)
