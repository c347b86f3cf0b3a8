"""Small photographs: 60,000 colour images of 32 x 32 pixels in 10 classes."""

from tapeflow._src.keras.datasets.cifar10 import load_data as load_data
