"""The public namespace `tf.keras.layers.experimental`: Keras 2's names while these were new."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

_LAYERS = "tapeflow.keras.layers"

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "preprocessing": f"{__name__}.preprocessing",
        "DynamicEmbedding": f"{__name__}.dynamic_embedding",
        "DynamicLookup": f"{__name__}.dynamic_lookup",
        "EinsumDense": _LAYERS,
        "RandomFourierFeatures": f"{_LAYERS}.core.random_fourier_features",
        "SyncBatchNormalization": f"{__name__}.synchronized",
    },
)
