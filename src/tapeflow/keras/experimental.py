"""The public namespace `tf.keras.experimental`, as Keras 2 had it."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "CosineDecay": "tapeflow.keras.optimizers.schedules",
        "CosineDecayRestarts": "tapeflow.keras.optimizers.schedules",
        "LinearModel": "tapeflow._src.keras.models.premade",
        "SidecarEvaluator": "tapeflow._src.keras.utils.sidecar_evaluator",
        "SequenceFeatures": "tapeflow._src.keras.layers.preprocessing.feature_columns",
        "WideDeepModel": "tapeflow._src.keras.models.premade",
    },
)
