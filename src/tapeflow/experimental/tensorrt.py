"""`tf.experimental.tensorrt`: as in a TensorFlow that is built without TensorRT."""

from tapeflow._src.api.experimental.tensorrt import ConversionParams as ConversionParams
from tapeflow._src.api.experimental.tensorrt import Converter as Converter
