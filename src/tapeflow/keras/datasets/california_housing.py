"""Prices of houses in California: 20,640 samples with 8 features."""

from tapeflow._src.keras.datasets.california_housing import load_data as load_data
