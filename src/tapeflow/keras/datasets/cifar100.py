"""Small photographs: 60,000 colour images of 32 x 32 pixels in 100 classes of 20 groups."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.cifar100 import load_data as load_data

_explain_missing(__name__)
