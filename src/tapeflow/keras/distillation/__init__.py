"""The public namespace `tf.keras.distillation`: a small model learns from a large one."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Distiller": "tapeflow._src.keras.distillation.distiller",
        **dict.fromkeys(
            ("DistillationLoss", "FeatureDistillation", "LogitsDistillation"),
            "tapeflow._src.keras.distillation.distillation_losses",
        ),
    },
)
