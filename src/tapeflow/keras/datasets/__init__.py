"""The public namespace `tf.keras.datasets`: small data sets, kept in Keras' cache folder."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = (
    *("boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb"),
    *("mnist", "reuters"),
)

__getattr__, __dir__ = _later(__name__, globals(), {name: f"{__name__}.{name}" for name in _NAMES})
