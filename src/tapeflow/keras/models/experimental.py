"""The public namespace `tf.keras.models.experimental`, as Keras 2 had it."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {"SharpnessAwareMinimization": "tapeflow._src.keras.models.sharpness_aware"},
)
