"""The public namespace `tf.keras.applications.resnet_rs`, of Keras 2."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.residual_rs import VARIANTS as _VARIANTS
from tapeflow._src.keras.applications.residual_rs import model_of as _model_of
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)
(
    ResNetRS50,
    ResNetRS101,
    ResNetRS152,
    ResNetRS200,
    ResNetRS270,
    ResNetRS350,
    ResNetRS420,
) = (_model_of(depth) for depth in _VARIANTS)

_explain_missing(__name__)
