"""The public namespace `tf.keras.dtensor.experimental`: layouts are refused, see `LayoutMap`."""

from tapeflow._src.keras.distribution.dtensor import LayoutMap as LayoutMap
from tapeflow.keras.dtensor.experimental import optimizers as optimizers
