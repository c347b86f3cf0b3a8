"""Pictures of clothes: 70,000 grey images of 28 x 28 pixels in 10 classes."""

from tapeflow._src.keras.datasets.fashion_mnist import load_data as load_data
