"""`tf.compat.v1.saved_model.signature_constants`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = (
    *("CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES"),
    *("CLASSIFY_OUTPUT_SCORES", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS"),
    *("PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME"),
    *("REGRESS_OUTPUTS",),
)

__getattr__, __dir__ = _later(__name__, globals(), dict.fromkeys(_NAMES, "tapeflow.saved_model"))
