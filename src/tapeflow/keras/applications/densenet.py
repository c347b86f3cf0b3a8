"""The public namespace `tf.keras.applications.densenet`."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.dense_blocks import DenseNet121 as DenseNet121
from tapeflow._src.keras.applications.dense_blocks import DenseNet169 as DenseNet169
from tapeflow._src.keras.applications.dense_blocks import DenseNet201 as DenseNet201
from tapeflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow.keras.applications.imagenet_utils import preprocessor as _preprocessor

preprocess_input = _preprocessor("torch")

_explain_missing(__name__)
