"""The public namespace `tf.keras.dtensor.experimental`: layouts are refused, see `LayoutMap`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.distribution.dtensor import LayoutMap as LayoutMap
from tapeflow.keras.dtensor.experimental import optimizers as optimizers

_explain_missing(__name__)
