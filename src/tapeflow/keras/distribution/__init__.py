"""The public namespace `tf.keras.distribution`: how models and data lie on devices."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_HOME = "tapeflow._src.keras.distribution"

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(("DeviceMesh", "LayoutMap", "TensorLayout"), f"{_HOME}.layouts"),
        **dict.fromkeys(
            ("DataParallel", "ModelParallel", "distribution", "set_distribution"),
            f"{_HOME}.distributions",
        ),
        **dict.fromkeys(
            ("distribute_tensor", "get_device_count", "initialize", "list_devices"),
            f"{_HOME}.placement",
        ),
    },
)
