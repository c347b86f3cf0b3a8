"""`tf.lite.experimental`: names that programs refer to; all of them are refused."""

from tapeflow._src.api.lite.experimental import REASON as REASON
from tapeflow._src.api.lite.experimental import Analyzer as Analyzer
from tapeflow._src.api.lite.experimental import OpResolverType as OpResolverType
from tapeflow._src.api.lite.experimental import QuantizationDebugger as QuantizationDebugger
from tapeflow._src.api.lite.experimental import QuantizationDebugOptions as QuantizationDebugOptions
from tapeflow._src.api.lite.experimental import load_delegate as load_delegate
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
