"""Handwritten digits: 70,000 grey images of 28 x 28 pixels."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.mnist import load_data as load_data

_explain_missing(__name__)
