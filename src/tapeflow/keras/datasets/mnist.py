"""Handwritten digits: 70,000 grey images of 28 x 28 pixels."""

from tapeflow._src.keras.datasets.mnist import load_data as load_data
