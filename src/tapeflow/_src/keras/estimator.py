"""The public namespace `tf.keras.estimator`, of which Keras 2 keeps the name alone."""

from __future__ import annotations

from typing import Any


def model_to_estimator(*args: Any, **kwargs: Any) -> Any:
    """Raise NotImplementedError: TensorFlow has no Estimators any more."""
    raise NotImplementedError(
        "Estimators were removed from TensorFlow 2.16: train the Keras model itself with `fit`."
    )
