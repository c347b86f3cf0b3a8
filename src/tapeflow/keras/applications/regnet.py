"""The public namespace `tf.keras.applications.regnet`, of Keras 2."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.design_space import VARIANTS as _VARIANTS
from tapeflow._src.keras.applications.design_space import model_of as _model_of
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor(None)
(
    RegNetX002,
    RegNetX004,
    RegNetX006,
    RegNetX008,
    RegNetX016,
    RegNetX032,
    RegNetX040,
    RegNetX064,
    RegNetX080,
    RegNetX120,
    RegNetX160,
    RegNetX320,
    RegNetY002,
    RegNetY004,
    RegNetY006,
    RegNetY008,
    RegNetY016,
    RegNetY032,
    RegNetY040,
    RegNetY064,
    RegNetY080,
    RegNetY120,
    RegNetY160,
    RegNetY320,
) = (_model_of(variant) for variant in _VARIANTS)

_explain_missing(__name__)
