"""The public namespace `tf.keras.applications.mobilenet_v3`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.mobile_search import MobileNetV3Large as MobileNetV3Large
from tapeflow._src.keras.applications.mobile_search import MobileNetV3Small as MobileNetV3Small
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)

_explain_missing(__name__)
