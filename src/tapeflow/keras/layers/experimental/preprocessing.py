"""The public namespace `tf.keras.layers.experimental.preprocessing`, as Keras 2 had it."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = (
    *("CategoryEncoding", "CenterCrop", "Discretization", "HashedCrossing", "Hashing"),
    *("IntegerLookup", "Normalization", "RandomContrast", "RandomCrop", "RandomFlip"),
    *("RandomHeight", "RandomRotation", "RandomTranslation", "RandomWidth", "RandomZoom"),
    *("Rescaling", "Resizing", "StringLookup", "TextVectorization"),
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_NAMES, "tapeflow.keras.layers"),
        "PreprocessingLayer": "tapeflow._src.keras.layers.preprocessing.preprocessing_layer",
    },
)
