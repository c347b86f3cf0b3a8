"""The public namespace `tf.keras.applications.efficientnet_v2`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2B0 as EfficientNetV2B0
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2B1 as EfficientNetV2B1
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2B2 as EfficientNetV2B2
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2B3 as EfficientNetV2B3
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2L as EfficientNetV2L
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2M as EfficientNetV2M
from tapeflow._src.keras.applications.compound_v2 import EfficientNetV2S as EfficientNetV2S
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)

_explain_missing(__name__)
