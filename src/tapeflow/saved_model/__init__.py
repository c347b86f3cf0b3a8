"""`tf.saved_model`: models as files that TensorFlow loads, too. Loaded when it is used."""

from __future__ import annotations

from typing import Any

from tapeflow.core.lazy import LazyModule as _LazyModule
from tapeflow.saved_model import experimental as experimental

_assets = _LazyModule("tapeflow.saving.assets")
_load = _LazyModule("tapeflow.saving.load")
_options = _LazyModule("tapeflow.saving.model_options")
_save = _LazyModule("tapeflow.saving.save")

_PARTS = {
    "Asset": _assets,
    "LoadOptions": _options,
    "SaveOptions": _options,
    "contains_saved_model": _save,
    "load": _load,
    "save": _save,
}

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return getattr(_PARTS[name], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_PARTS, "experimental", *(name for name in globals() if name.isupper())])
