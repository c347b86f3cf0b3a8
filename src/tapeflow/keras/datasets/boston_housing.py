"""Prices of houses in Boston: 506 samples with 13 features."""

from tapeflow._src.keras.datasets.boston_housing import load_data as load_data
