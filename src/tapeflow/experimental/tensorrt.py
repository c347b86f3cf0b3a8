"""`tf.experimental.tensorrt`: as in a TensorFlow that is built without TensorRT."""

from tapeflow._src.api.experimental.tensorrt import ConversionParams as ConversionParams
from tapeflow._src.api.experimental.tensorrt import Converter as Converter
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
