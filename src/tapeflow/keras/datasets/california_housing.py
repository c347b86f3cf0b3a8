"""Prices of houses in California: 20,640 samples with 8 features."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.california_housing import load_data as load_data

_explain_missing(__name__)
