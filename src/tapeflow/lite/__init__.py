"""`tf.lite`: names that programs refer to; converting to TensorFlow Lite is refused."""

from tapeflow._src.api.lite import Interpreter as Interpreter
from tapeflow._src.api.lite import OpsSet as OpsSet
from tapeflow._src.api.lite import Optimize as Optimize
from tapeflow._src.api.lite import RepresentativeDataset as RepresentativeDataset
from tapeflow._src.api.lite import TargetSpec as TargetSpec
from tapeflow._src.api.lite import TFLiteConverter as TFLiteConverter
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.lite import experimental as experimental

_explain_missing(__name__)
