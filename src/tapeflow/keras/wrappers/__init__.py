"""The public namespace `tf.keras.wrappers`: models as estimators of scikit-learn."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    dict.fromkeys(
        ("SKLearnClassifier", "SKLearnRegressor", "SKLearnTransformer"),
        "tapeflow._src.keras.wrappers.estimators",
    ),
)
