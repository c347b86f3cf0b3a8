"""The public namespace `tf.keras.applications.vgg19`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.vgg import VGG19 as VGG19
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor("caffe")

_explain_missing(__name__)
