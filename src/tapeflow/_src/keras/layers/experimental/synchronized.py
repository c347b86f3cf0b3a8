"""`SyncBatchNormalization`: batch normalization over all replicas."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.normalization.batch_normalization import BatchNormalization


class SyncBatchNormalization(BatchNormalization):
    """`BatchNormalization(synchronized=True)`, under the name that Keras 2 had for it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"synchronized": True, **kwargs})
