"""Pictures of clothes: 70,000 grey images of 28 x 28 pixels in 10 classes."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.fashion_mnist import load_data as load_data

_explain_missing(__name__)
