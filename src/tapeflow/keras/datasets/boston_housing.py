"""Prices of houses in Boston: 506 samples with 13 features."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.datasets.boston_housing import load_data as load_data

_explain_missing(__name__)
