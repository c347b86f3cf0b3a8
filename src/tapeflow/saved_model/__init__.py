"""`tf.saved_model`: models as files that TensorFlow loads, too. Loaded when it is used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later
from tapeflow.saved_model import experimental as experimental

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

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Asset": "tapeflow._src.checkpoint.assets",
        "LoadOptions": "tapeflow._src.saved_model.model_options",
        "SaveOptions": "tapeflow._src.saved_model.model_options",
        "contains_saved_model": "tapeflow._src.saved_model.save",
        "load": "tapeflow._src.saved_model.load",
        "save": "tapeflow._src.saved_model.save",
    },
)
