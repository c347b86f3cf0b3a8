"""`tf.lite.experimental`: names that programs refer to; all of them are refused."""

from __future__ import annotations

from enum import Enum as _Enum

from tapeflow._src.core.refused import refused_class as _refused_class
from tapeflow._src.core.refused import refused_function as _refused_function

REASON = (
    "Tapeflow neither converts to TensorFlow Lite nor runs its models. Save a SavedModel "
    "(tf.saved_model.save, model.export), which TensorFlow's own converter reads, or write "
    "StableHLO with `tapeflow convert`."
)
_SPACE = "tf.lite.experimental"


class OpResolverType(_Enum):
    """Which kernels an interpreter takes."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


Analyzer = _refused_class("Analyzer", _SPACE, REASON)
QuantizationDebugOptions = _refused_class("QuantizationDebugOptions", _SPACE, REASON)
QuantizationDebugger = _refused_class("QuantizationDebugger", _SPACE, REASON)
load_delegate = _refused_function("load_delegate", _SPACE, REASON)
