"""The public namespace `tf.keras.applications.efficientnet`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.compound import EfficientNetB0 as EfficientNetB0
from tapeflow._src.keras.applications.compound import EfficientNetB1 as EfficientNetB1
from tapeflow._src.keras.applications.compound import EfficientNetB2 as EfficientNetB2
from tapeflow._src.keras.applications.compound import EfficientNetB3 as EfficientNetB3
from tapeflow._src.keras.applications.compound import EfficientNetB4 as EfficientNetB4
from tapeflow._src.keras.applications.compound import EfficientNetB5 as EfficientNetB5
from tapeflow._src.keras.applications.compound import EfficientNetB6 as EfficientNetB6
from tapeflow._src.keras.applications.compound import EfficientNetB7 as EfficientNetB7
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)

_explain_missing(__name__)
