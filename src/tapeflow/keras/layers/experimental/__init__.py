"""The public namespace `tf.keras.layers.experimental`: Keras 2's names while these were new."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_LAYERS = "tapeflow.keras.layers"

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "preprocessing": f"{__name__}.preprocessing",
        "DynamicEmbedding": "tapeflow._src.keras.layers.experimental.dynamic_embedding",
        "DynamicLookup": "tapeflow._src.keras.layers.experimental.dynamic_lookup",
        "EinsumDense": _LAYERS,
        "RandomFourierFeatures": "tapeflow._src.keras.layers.core.random_fourier_features",
        "SyncBatchNormalization": "tapeflow._src.keras.layers.experimental.synchronized",
    },
)
