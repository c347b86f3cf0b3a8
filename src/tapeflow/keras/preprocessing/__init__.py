"""The public namespace `tf.keras.preprocessing`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{name: f"{__name__}.{name}" for name in ("image", "sequence", "text")},
        "image_dataset_from_directory": "tapeflow._src.keras.utils.image_dataset",
        "text_dataset_from_directory": "tapeflow._src.keras.utils.text_dataset",
        "timeseries_dataset_from_array": "tapeflow._src.keras.utils.timeseries_dataset",
    },
)
